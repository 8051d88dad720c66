"""Stages: asked by a method once for a dimension, kept on record, found again, however many texts wait for them."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, Generic, Protocol, TypeVar

from app.domain.run import StageRun
from app.domain.task import Dimension
from app.providers.base import ChatModel, ChatRequest, digest_of
from app.providers.structured import Check, ask

Made = TypeVar("Made")


class Stages(Protocol):
    """Where such answers are kept."""

    async def find(self, dimension: int, stage: str, inputs_digest: str) -> str | None:
        """The newest output of this very request, edited ones included."""
        ...

    async def keep(self, dimension: int, stage: StageRun) -> None: ...


class NullStages:
    """Keeps nothing."""

    async def find(self, dimension: int, stage: str, inputs_digest: str) -> str | None:
        return None

    async def keep(self, dimension: int, stage: StageRun) -> None:
        """Nothing to do."""


class SharedCalls(Generic[Made]):
    """Work that is begun by the first who waits for it and shared by all; so is its failure."""

    def __init__(self, work: Callable[[], Awaitable[Made]]) -> None:
        self._work = work
        self._under_way: asyncio.Future[Made] | None = None

    async def get(self) -> Made:
        if self._under_way is None:
            self._under_way = asyncio.ensure_future(self._work())
        return await asyncio.shield(self._under_way)


async def ask_once(
    stages: Stages, model: ChatModel, dimension: Dimension, stage: str, request: ChatRequest, check: Check | None = None
) -> dict[str, Any]:
    """The kept answer to this request, else the model's, which is then kept. Raises what `ask` raises."""
    digest = digest_of(request, model)
    found = await stages.find(dimension.id, stage, digest)
    if found is not None:
        value: dict[str, Any] = json.loads(found)
        return value
    answered = await ask(model, request, check=check)
    usage = answered.reply.usage
    await stages.keep(
        dimension.id,
        StageRun(
            stage=stage,
            model=model.name,
            prompt=request.prompt.label,
            prompt_digest=request.prompt.digest,
            inputs_digest=digest,
            inputs=request.prompt.variables,
            output=json.dumps(answered.value, ensure_ascii=False),
            input_tokens=usage.input_tokens,
            cached_tokens=usage.cached_tokens,
            output_tokens=usage.output_tokens,
        ),
    )
    return answered.value
