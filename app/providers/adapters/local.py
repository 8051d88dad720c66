"""Adapter for a language model on this computer that rates given texts. It answers no questions."""

import time
from collections.abc import Sequence

from app.errors import UnsupportedError
from app.neural.batching import BatchedCalls
from app.neural.likelihood import Pair, TokenProbability, token_logprobs
from app.neural.loading import check_installed, check_there, load_language_model
from app.providers.base import ChatReply, ChatRequest, TokenLogprob
from app.providers.model_name import ModelName


class LocalModel:
    """A model on this computer; texts that wait at the same time are computed together."""

    is_llm = True

    def __init__(self, name: ModelName) -> None:
        """Load the model. Raises NotReadyError without the libraries or without the model."""
        check_installed(f"The model {name}", "local")
        check_there(name.model)
        self._name = name
        self._together = BatchedCalls[Pair, list[TokenProbability]](self._rate)

    @property
    def name(self) -> str:
        return str(self._name)

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return a given text's log-probabilities. Raises UnsupportedError for other requests and texts too long."""
        if request.given is None:
            raise UnsupportedError(
                f"{self.name} only says how likely given texts are.", "It can judge with gptscore, nothing else."
            )
        started = time.perf_counter()
        found = await self._together.get(Pair(request.before, request.given))
        logprobs = tuple(TokenLogprob(token.token, token.logprob) for token in found)
        return ChatReply("", self.name, seconds=time.perf_counter() - started, logprobs=logprobs)

    async def aclose(self) -> None:
        """Do nothing: the model stays loaded for the next run."""

    def _rate(self, pairs: Sequence[Pair]) -> list[list[TokenProbability]]:
        return token_logprobs(load_language_model(self._name.model), pairs)


def open_model(name: ModelName) -> LocalModel:
    """Open the model. Raises NotReadyError."""
    return LocalModel(name)
