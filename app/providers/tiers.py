"""Service tiers: the slower one of a vendor, and the standard one where the person would rather pay than wait."""

from dataclasses import replace

from app.errors import NoRoomError, OverloadedError
from app.providers.base import ChatModel, ChatReply, ChatRequest, WrappedModel
from app.providers.model_options import FLEX_OR_STANDARD
from app.providers.pricing import FLEX, STANDARD


class TieredModel(WrappedModel):
    """A model that is asked in a tier; a ChatModel itself. Its replies say which one they were billed in."""

    def __init__(self, model: ChatModel, tier: str) -> None:
        """tier: as in ModelOptions."""
        super().__init__(model)
        self._tier = tier

    async def complete(self, request: ChatRequest) -> ChatReply:
        """A request that finds no room isn't billed, so that asking it once more in the other tier costs nothing."""
        try:
            return await self._ask(request, FLEX)
        except (NoRoomError, OverloadedError):
            if self._tier != FLEX_OR_STANDARD:
                raise
        return await self._ask(request, STANDARD)

    async def _ask(self, request: ChatRequest, tier: str) -> ChatReply:
        reply = await self._model.complete(replace(request, tier=tier))
        return reply if reply.tier is not None else replace(reply, tier=tier)
