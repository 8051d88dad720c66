"""A language model on this computer that says how likely given texts are. It answers no questions."""

import time
from collections.abc import Sequence

from app.errors import UnsupportedError
from app.neural.batching import BatchedCalls
from app.neural.likelihood import Pair, TokenProbability, token_logprobs
from app.neural.loading import check_installed, check_there, load_language_model
from app.providers.base import ChatReply, ChatRequest, TokenLogprob
from app.providers.model_name import ModelName


class LocalModel:
    """Texts that wait at the same time go through the model together."""

    is_llm = True

    def __init__(self, name: ModelName) -> None:
        """Raises NotReadyError without the libraries or without the model."""
        check_installed(f"The model {name}", "local")
        check_there(name.model)
        self._name = name
        self._together = BatchedCalls[Pair, list[TokenProbability]](self._rate)

    @property
    def name(self) -> str:
        return str(self._name)

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Raises UnsupportedError for anything but a given text, and for one that is too long."""
        if request.given is None:
            raise UnsupportedError(
                f"{self.name} only says how likely given texts are.", "It can judge with gptscore, nothing else."
            )
        started = time.perf_counter()
        found = await self._together.get(Pair(request.before, request.given))
        logprobs = tuple(TokenLogprob(token.token, token.logprob) for token in found)
        return ChatReply("", self.name, seconds=time.perf_counter() - started, logprobs=logprobs)

    async def aclose(self) -> None:
        """The model stays for the next run; nothing else is open."""

    def _rate(self, pairs: Sequence[Pair]) -> list[list[TokenProbability]]:
        return token_logprobs(load_language_model(self._name.model), pairs)


def open_model(name: ModelName) -> LocalModel:
    """Raises NotReadyError."""
    return LocalModel(name)
