"""Models that are files: recordings of calls, and models of this computer, in folders of the workbench's own.

On the command line any path may be named. In the browser, where whoever types may be anybody, a path would tell which
files there are and have them opened: there only what lies in these folders, or was downloaded by name, can be named.
Somebody who has signed in names only what whoever runs the server put into the folders, and the models that methods
name themselves.
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


def check_kept(name: ModelName, guest: bool = False) -> None:
    """Raises InputError for a recording or model by path, whether or not it exists. guest: as in check_kept_model."""
    by_path = spec_of(name.provider).by_path
    if by_path == "recording" and str(name) not in kept_recordings():
        raise _by_path("recording", settings().replays, guest)
    if by_path == "model":
        check_kept_model(name.model, guest)


def check_kept_model(name: str, guest: bool = False) -> None:
    """Raises InputError for a model of this computer that is neither in the folder nor downloaded by its name. guest:
    it isn't their computer, so that what was downloaded for other ends is none of theirs either."""
    if f"local:{name}" in kept_models():
        return
    # A folder beside the program could bear the name of a downloaded model, and would be opened in its place.
    if guest or not _BY_NAME.fullmatch(name) or Path(name).exists():
        raise _by_path("model", settings().models, guest)


def _by_path(what: str, folder: Path, guest: bool) -> InputError:
    """Where the folder lies is nobody's business but that of whoever runs the server."""
    if guest:
        return InputError(
            f"There is no such {what} for you on this server.",
            f"Choose one that is listed, or ask whoever runs the server to put the {what} into its folder.",
        )
    return InputError(
        f"In the browser a {what} is named without a path, and has to lie in the workbench's folder.",
        f"Put it into {folder}, or name its path on the command line.",
    )


def _entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []
