"""Gate: the last step before a request leaves, which a run that ends closes."""

import asyncio
from collections.abc import Awaitable, Callable

from app.errors import StoppedError
from app.providers.base import ChatModel, ChatReply, ChatRequest, WrappedModel

MayAsk = Callable[[], Awaitable[None]]


class GatedModel(WrappedModel):
    """A model that is asked nothing more once `stopped` is set; a ChatModel itself. What is under way goes on.

    may_ask: awaited before each request; raises where it must not be sent.
    """

    def __init__(self, model: ChatModel, stopped: asyncio.Event, may_ask: MayAsk | None = None) -> None:
        super().__init__(model)
        self._stopped = stopped
        self._may_ask = may_ask

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Raises StoppedError, what `may_ask` raises, and what the model raises."""
        if self._may_ask is not None:
            await self._may_ask()
        if self._stopped.is_set():
            raise StoppedError("The run is ending: nothing more is asked.")
        return await self._model.complete(request)
