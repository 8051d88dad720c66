"""Names of models: their parts, models and recordings on this computer, and which models chat or transcribe."""

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.errors import InputError, UnknownModelError
from app.providers.specs import KNOWN_PROVIDERS, provider_names, spec_of
from app.settings import settings


@dataclass(frozen=True, slots=True)
class ModelName:
    """A model's name in parts. `model` is the provider's name of it; a file for replay, "" for rules."""

    provider: str
    model: str

    @property
    def title(self) -> str:
        return spec_of(self.provider).title

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}" if self.model else self.provider


def parse_model_name(name: str) -> ModelName:
    """Return the name in parts. Raises UnknownModelError, with the probable name, if it can't be understood."""
    written = name.strip()
    prefix, colon, model = written.partition(":")
    spec = KNOWN_PROVIDERS.get(prefix)
    if spec and not spec.placeholder and not colon:
        return ModelName(prefix, "")
    if not colon:
        raise UnknownModelError(f"{_shown(written)} names no provider.", _suggest_provider(written))
    if spec is None or not spec.placeholder:
        raise UnknownModelError(f"{_shown(prefix)} is not a provider.", _suggest_prefix(prefix, model))
    if not model:
        raise UnknownModelError(f"{prefix}: lacks the model's name.", f"Write it like {spec.example}.")
    if tagged := next(_with_colon(prefix, model, by_tag=True), ""):
        raise UnknownModelError(f"{spec.title} has no model {_shown(model)}.", f"Did you mean {tagged}?")
    return ModelName(prefix, model)


def _suggest_provider(model: str) -> str:
    if model in KNOWN_PROVIDERS:
        return f"Add the model, for example {KNOWN_PROVIDERS[model].example}."
    meant = [f"{spec.prefix}:{model}" for spec in KNOWN_PROVIDERS.values() if spec.family.match(model.lower())]
    return f"Did you mean {' or '.join(meant)}?" if meant else provider_names()


def _suggest_prefix(prefix: str, model: str) -> str:
    if prefix in KNOWN_PROVIDERS:
        return f"The built-in judge is written {prefix}, without a model."
    if named := next(_with_colon(prefix, model), ""):
        return f"Did you mean {named}?"
    close = difflib.get_close_matches(prefix.lower(), KNOWN_PROVIDERS, n=1)
    if close and spec_of(close[0]).placeholder:
        return f"Did you mean {close[0]}:{model}?"
    return provider_names()


def _with_colon(name: str, tag: str, by_tag: bool = False) -> Iterator[str]:
    """Yield provider:name:tag for the other providers whose models may be called name:tag. by_tag: only if no vendor's
    model is called like the tag."""
    for spec in KNOWN_PROVIDERS.values():
        if not spec.colon_in_names or spec.prefix == name or not spec.family.match(name.lower()):
            continue
        if not by_tag or spec.tags.match(tag.lower()):
            yield f"{spec.prefix}:{name}:{tag}"


def _shown(name: str) -> str:
    """Return the typed name for a message, unless its length or form suggests a pasted key or text."""
    if not name:
        return "An empty name"
    return f"'{name}'" if re.fullmatch(r"(?!sk-|AIza)[\w./@+:-]{1,60}", name) else "What was given"


_BY_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")


def folder_recordings() -> list[str]:
    """Return the names of the recordings in the folder, as `replay:NAME`."""
    return [f"replay:{path.name}" for path in _entries(settings().replays) if path.is_file()]


def folder_models() -> list[str]:
    """Return the names of the models in the folder, as `local:NAME`."""
    return [f"local:{path.name}" for path in _entries(settings().models) if path.is_dir()]


def recording_path(name: str) -> Path:
    """Return the path of this recording: in the folder, else the name as a path."""
    return settings().replays / name if f"replay:{name}" in folder_recordings() else Path(name)


def check_model_name(name: ModelName, guest: bool = False) -> None:
    """Raise InputError for a recording or model by path, existing or not. guest: as in check_local_model."""
    by_path = spec_of(name.provider).by_path
    if by_path == "recording" and str(name) not in folder_recordings():
        raise _by_path("recording", settings().replays, guest)
    if by_path == "model":
        check_local_model(name.model, guest)


def check_local_model(name: str, guest: bool = False) -> None:
    """Raise InputError for a model of this computer that is neither in the folder nor downloaded by its name. guest:
    the person isn't the computer's owner and may not use models downloaded for other purposes."""
    if f"local:{name}" in folder_models():
        return
    # A folder beside the program could bear the name of a downloaded model, and would be opened in its place.
    if guest or not _BY_NAME.fullmatch(name) or Path(name).exists():
        raise _by_path("model", settings().models, guest)


def _by_path(what: str, folder: Path, guest: bool) -> InputError:
    """Return the error for a model or recording by path. A guest isn't told the folder's path."""
    if guest:
        return InputError(
            f"There is no such {what} for you on this server.",
            f"Choose one that is listed, or ask the server's owner to put the {what} into its folder.",
        )
    return InputError(
        f"In the browser a {what} is named without a path, and has to lie in the workbench's folder.",
        f"Put it into {folder}, or name its path on the command line.",
    )


def _entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


# Embeddings and rerankers, speech, pictures, and models that only sort out what is unsafe.
_NO_CHAT = re.compile(
    r"embed|rerank|whisper|transcri|moderation|guard|shieldgemma|stable-diffusion|dall-e"
    r"|(^|[-_/:.])(bge|e5|gte|minilm|colbert|tts|stt|asr|sdxl|flux)([-_/:.\d]|$)",
    re.IGNORECASE,
)
# What vendors sell beside models that are asked in text and answer in text.
_NO_TEXT = re.compile(
    r"audio|realtime|image|video|search|research|live|robotics|computer-use|codex|instruct|omni|sora|veo|imagen|lyria"
    r"|aqa|banana|cyber|rosalind|translate|(^|-)(davinci|babbage|curie|ada)(-|$)|:|[.]ft-",
    re.IGNORECASE,
)
_DATED = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8})$")
_LISTENS = re.compile(r"whisper|transcri|(^|[-_/:.])(stt|asr)([-_/:.\d]|$)", re.IGNORECASE)


def chats(name: str) -> bool:
    """Return whether a model, with or without its provider, answers questions; in doubt True, as the first answer
    tells."""
    return not _NO_CHAT.search(name)


def answers_in_text(name: str) -> bool:
    """Return whether a vendor's model (name without the provider) is one for questions, and not a special model that
    also chats."""
    return chats(name) and not _NO_TEXT.search(name)


def newest_first(names: Iterable[str]) -> list[str]:
    """Return a vendor's models by the number of their generation, if their names tell it; else in the given order."""
    return sorted(names, key=_generation, reverse=True)


def _generation(name: str) -> tuple[int, ...]:
    """Return a name's generation: gpt-6.1-sol is (6, 1), claude-opus-5-5 (5, 5); dates of snapshots and sizes don't
    count. OpenAI's o3 is between gpt-4.1 and gpt-5."""
    own = _DATED.sub("", name)
    if reasoner := re.match(r"o(\d)", own):
        return (4, 5, int(reasoner.group(1)))
    parts = re.findall(r"(?<![a-z\d.])(\d{1,2})(?:\.(\d{1,2}))?(?![\da-z])", own)
    return tuple(int(part) for pair in parts for part in pair if part)[:2]


def listens(name: str) -> bool:
    """Return whether the model transcribes speech."""
    return bool(_LISTENS.search(name))


def preferred(names: Sequence[str]) -> str:
    """Return the chat model that is suggested if a server has several; "" if it has none.

    A model called llama, which the method's paper used, preferably one trained to follow instructions; else the first,
    as servers list the main or newest model first.
    """
    chat = [name for name in names if chats(name)]
    return min(chat, key=lambda name: ("llama" not in _own(name), "instruct" not in _own(name)), default="")


def _own(name: str) -> str:
    """Return the name in lower case without the prefix llama:."""
    return name.lower().removeprefix("llama:")
