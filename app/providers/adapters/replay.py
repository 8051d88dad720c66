"""Answers from recorded calls, without a network."""

from pathlib import Path

from app.errors import ProviderError, UnsupportedError
from app.providers.base import ChatReply, ChatRequest
from app.providers.model_name import ModelName, recording_path
from app.providers.recording import read_recording


class ReplayModel:
    """A ChatModel that repeats what models once answered to the very same requests.

    Recordings of several models may share a file: a request is looked up under the name of each of them. The reply
    names the model that gave it; the model's own name keeps "replay:", so that screens can say what it is.
    """

    is_llm = True

    def __init__(self, path: Path, name: str = "") -> None:
        """name: what it was called, where that isn't its path.

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
        """Raises ProviderError where the recorded call failed, UnsupportedError for a request that isn't recorded."""
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
        """Nothing is open."""


def open_model(name: ModelName) -> ReplayModel:
    """Raises NotFoundError and FileFormatError."""
    return ReplayModel(recording_path(name.model), str(name))
