"""Models that are files: recordings of calls, and models of this computer, in folders of the workbench's own.

On the command line any path may be named. In the browser, where whoever types may be anybody, a path would tell which
files there are and have them opened: there only what lies in these folders, or was downloaded by name, can be named.
"""

import re
from pathlib import Path

from app.errors import InputError
from app.providers.model_name import ModelName
from app.providers.specs import spec_of
from app.settings import settings

_BY_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")


def kept_recordings() -> list[str]:
    """Names of the recordings in the folder, as `replay:NAME`."""
    return [f"replay:{path.name}" for path in _entries(settings().replays) if path.is_file()]


def kept_models() -> list[str]:
    """Names of the models in the folder, as `local:NAME`."""
    return [f"local:{path.name}" for path in _entries(settings().models) if path.is_dir()]


def recording_path(name: str) -> Path:
    """Where the recording of this name lies: in the folder, else wherever the name says."""
    return settings().replays / name if f"replay:{name}" in kept_recordings() else Path(name)


def check_kept(name: ModelName) -> None:
    """Raises InputError for a recording or model by path, whether or not it exists."""
    by_path = spec_of(name.provider).by_path
    if by_path == "recording" and str(name) not in kept_recordings():
        raise _by_path("recording", settings().replays)
    if by_path == "model":
        check_kept_model(name.model)


def check_kept_model(name: str) -> None:
    """Raises InputError for a model of this computer that is neither in the folder nor downloaded by its name."""
    if f"local:{name}" in kept_models():
        return
    # A folder beside the program could bear the name of a downloaded model, and would be opened in its place.
    if not _BY_NAME.fullmatch(name) or Path(name).exists():
        raise _by_path("model", settings().models)


def _by_path(what: str, folder: Path) -> InputError:
    return InputError(
        f"In the browser a {what} is named without a path, and has to lie in the workbench's folder.",
        f"Put it into {folder}, or name its path on the command line.",
    )


def _entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []
