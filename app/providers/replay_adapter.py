"""Answers from recorded calls, without a network."""

import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

from app.domain.call import Finish, RecordedCall
from app.errors import FileFormatError, NotFoundError, UnsupportedError
from app.providers.base import ChatReply, ChatRequest, Usage


class ReplayModel:
    """A ChatModel that repeats what models once answered to the very same requests.

    Recordings of several models may share a file: a request is looked up under the name of each of them. The reply
    names the model that gave it; the model's own name keeps "replay:", so that screens can say what it is.
    """

    is_llm = True

    def __init__(self, path: Path) -> None:
        """Raises NotFoundError and FileFormatError (naming the line)."""
        self._path = path
        self._replies = read_recording(path)
        self._models = sorted({reply.model for reply in self._replies.values()})

    @property
    def name(self) -> str:
        return f"replay:{self._path}"

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Raises UnsupportedError for a request that isn't recorded, and for log-probabilities, which never are."""
        if request.top_logprobs:
            raise UnsupportedError(
                "Recordings hold no log-probabilities.", "Ask a model, or use a method without them."
            )
        for model in self._models:
            reply = self._replies.get(request.digest(model))
            if reply is not None:
                return reply
        raise UnsupportedError(
            f"{self._path.name} holds no answer to this request ({request.prompt.label}); "
            f"{len(self._replies)} calls are recorded, of {', '.join(self._models) or 'no model'}.",
            "Use the texts, checklist, prompts and options of the recorded run, or ask a model.",
        )

    async def aclose(self) -> None:
        """Nothing is open."""


def write_recording(path: Path, calls: Iterable[RecordedCall]) -> int:
    """One JSON object a line for each call that was answered; returns how many.

    `digest` is `ChatRequest.digest` under the name of the model that was asked, `model` that name. The file holds what
    was answered, not what was asked, and appears whole or not at all.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    written = 0
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as lines:
            for call in calls:
                if not call.error_kind:
                    lines.write(json.dumps(_entry(call), ensure_ascii=False) + "\n")
                    written += 1
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return written


def read_recording(path: Path) -> dict[str, ChatReply]:
    """Replies by digest. Raises NotFoundError and FileFormatError, naming the line."""
    try:
        # Split at line feeds alone: answers may hold other characters that end a line.
        lines = path.read_text(encoding="utf-8").split("\n")
    except (FileNotFoundError, IsADirectoryError) as error:
        raise NotFoundError(f"There is no recording {path}.", "Export one from a run.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise FileFormatError(f"{path} is not readable as a recording.", "Export it again.") from error
    return dict(_parse(path, number, line) for number, line in enumerate(lines, start=1) if line.strip())


def _entry(call: RecordedCall) -> dict[str, Any]:
    return {
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
        },
    }


def _parse(path: Path, number: int, line: str) -> tuple[str, ChatReply]:
    try:
        entry = json.loads(line)
        usage = {name: int(count) for name, count in entry.get("usage", {}).items()}
        reply = ChatReply(
            text=_string(entry["text"]),
            model=_string(entry["model"]),
            usage=Usage(**usage),
            finish=_finish(entry.get("finish", "stop")),
            rationales={_string(key): _string(said) for key, said in entry.get("rationales", {}).items()},
        )
        return _string(entry["digest"]), reply
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FileFormatError(
            f"Line {number} of {path} is not a recorded call.", "Export the recording again."
        ) from error


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a string")
    return value


def _finish(value: Any) -> Finish:
    if value not in get_args(Finish):
        raise ValueError("not a way to finish")
    finish: Finish = value
    return finish
