"""Recordings of calls, JSON Lines with one call a line, and the model `replay:` that answers from one.

`digest` is `ChatRequest.digest` with the name of the model that was asked, `model` that name. An answered call has
`text`, a failed one `error` (its kind).
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from app.domain.model_call import Finish, RecordedCall
from app.errors import FileFormatError, ProviderError, UnsupportedError
from app.input_file import open_file, shown_path
from app.providers.base import ChatReply, ChatRequest, TokenLogprob, Usage
from app.providers.model_name import ModelName, recording_path

_KIND = re.compile(r"[a-z-]{1,40}")
_LONGEST_LINE = 50 * 2**20  # bytes; a longer one is no reply, and would only fill the memory


@dataclass(frozen=True, slots=True)
class RecordedEntry:
    """One recorded call. `reply` is None if it failed, for `error_kind`."""

    digest: str
    model: str
    reply: ChatReply | None
    error_kind: str = ""


def recording_lines(calls: Iterable[RecordedCall]) -> Iterator[str]:
    """Yield the lines of a recording, each with its line feed."""
    for call in calls:
        yield json.dumps(_answered(call) if not call.error_kind else _failed(call), ensure_ascii=False) + "\n"


def write_recording(path: Path, calls: Iterable[RecordedCall]) -> int:
    """Write a recording; return how many calls it has."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with path.open("w", encoding="utf-8") as file:
        for line in recording_lines(calls):
            file.write(line)
            written += 1
    return written


def read_recording(path: Path) -> dict[str, RecordedEntry]:
    """Return entries by digest: the last answer to a request, or a failure if no answer is recorded.

    Raises NotFoundError, and FileFormatError that names the line.
    """
    entries: dict[str, RecordedEntry] = {}
    with open_file(path) as file:  # bytes are split at line feeds alone: answers may hold other ends of a line
        for number, line in enumerate(iter(lambda: file.readline(_LONGEST_LINE + 1), b""), start=1):
            if line.strip():
                entry = _parse(path, number, line)
                if entry.reply is not None or entry.digest not in entries:
                    entries[entry.digest] = entry
    return entries


def _answered(call: RecordedCall) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "digest": call.digest,
        "model": call.model,
        "prompt": call.prompt,
        "text": call.reply,
        "rationales": dict(call.rationales),
        "finish": call.finish,
        "usage": {
            "input_tokens": call.input_tokens,
            "cached_tokens": call.cached_tokens,
            "output_tokens": call.output_tokens,
            "cache_write_tokens": call.cache_write_tokens,
        },
    }
    if call.logprobs:
        entry["logprobs"] = list(call.logprobs)
    return entry


def _failed(call: RecordedCall) -> dict[str, Any]:
    return {"digest": call.digest, "model": call.model, "prompt": call.prompt, "error": call.error_kind}


def _parse(path: Path, number: int, line: bytes) -> RecordedEntry:
    try:
        entry = json.loads(line.decode("utf-8"))
        digest, model = _string(entry["digest"]), _string(entry["model"])
        if "error" in entry:
            if not _KIND.fullmatch(_string(entry["error"])):
                raise ValueError("not a kind of error")
            kind: str = entry["error"]
            return RecordedEntry(digest, model, None, kind)
        reply = ChatReply(
            text=_string(entry["text"]),
            model=model,
            usage=Usage(**{str(name): int(count) for name, count in entry.get("usage", {}).items()}),  # type: ignore[arg-type]
            finish=_finish(entry.get("finish", "stop")),
            logprobs=tuple(_token(token) for token in entry.get("logprobs", [])),
            rationales={_string(key): _string(said) for key, said in entry.get("rationales", {}).items()},
        )
        return RecordedEntry(digest, model, reply)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FileFormatError(
            f"Line {number} of {shown_path(path)} is not a recorded call.", "Export the recording again."
        ) from error


def _token(value: Any) -> TokenLogprob:
    token, logprob, top = value
    return TokenLogprob(_string(token), float(logprob), {_string(word): float(lp) for word, lp in top.items()})


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a string")
    return value


def _finish(value: Any) -> Finish:
    if value not in get_args(Finish):
        raise ValueError("not a way to finish")
    finish: Finish = value
    return finish


class ReplayModel:
    """A ChatModel that repeats what models once answered to the very same requests.

    Recordings of several models may share a file: a request is looked up under the name of each of them. The reply
    names the model that gave it; the model's own name keeps "replay:", so that screens can say what it is.
    """

    is_llm = True

    def __init__(self, path: Path, name: str = "") -> None:
        """Read the recording. name: the model's name, if not its path.

        Raises NotFoundError and FileFormatError (naming the line).
        """
        self._path = path
        self._name = name or f"replay:{path}"
        self._entries = read_recording(path)
        self._models = sorted({entry.model for entry in self._entries.values()})

    @property
    def name(self) -> str:
        return self._name

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the recorded reply. Raises ProviderError if it is a failure, UnsupportedError if there is none."""
        for model in self._models:
            entry = self._entries.get(request.digest(model))
            if entry is not None and entry.reply is not None:
                return entry.reply
            if entry is not None:
                raise ProviderError(
                    f"{model} gave no answer to this request when it was recorded ({entry.error_kind}).",
                    "Retry the failures of the recorded run, then record it again.",
                )
        raise UnsupportedError(
            f"{self._path.name} holds no answer to this request ({request.prompt.label}); "
            f"{len(self._entries)} calls are recorded, of {', '.join(self._models) or 'no model'}.",
            "Use the texts, checklist, prompts and options of the recorded run, or ask a model.",
        )

    async def aclose(self) -> None:
        """Do nothing: there is no connection."""


def open_model(name: ModelName) -> ReplayModel:
    """Open the recording. Raises NotFoundError and FileFormatError."""
    return ReplayModel(recording_path(name.model), str(name))
