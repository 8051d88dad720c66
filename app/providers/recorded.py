"""A model whose answers are kept: the same request is paid for once, and every call stands in the ledger."""

import asyncio
from dataclasses import dataclass, field
from typing import Protocol

from app.domain.call import RecordedCall
from app.errors import ProviderError
from app.providers.base import ChatModel, ChatReply, ChatRequest, Usage
from app.providers.pricing import shipped_prices
from app.providers.retry import Patient


class Ledger(Protocol):
    """Where calls are kept. Called from worker threads."""

    def find(self, digest: str) -> RecordedCall | None: ...

    def add(self, call: RecordedCall) -> None: ...


@dataclass(slots=True)
class Tally:
    """What was asked so far: `calls` reached the model, `cached` were answered from the ledger.

    `cost_usd` is None once a price is unknown: a sum that leaves out what it doesn't know would be wrong.
    """

    calls: int = 0
    cached: int = 0
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = 0.0

    def paid(self, usage: Usage, cost: float | None) -> None:
        self.usage += usage
        self.cost_usd = None if cost is None or self.cost_usd is None else self.cost_usd + cost


class RecordedModel:
    """Answers from the ledger where it can; else asks `inner` and writes the reply down before handing it on.

    Without a ledger it only counts: a model that is no LLM costs nothing and says the same again at once.
    """

    def __init__(self, inner: ChatModel, ledger: Ledger | None, run: int | None = None, use_cache: bool = True) -> None:
        self._inner = inner
        self._ledger = ledger
        self._run = run
        self._use_cache = use_cache
        self.tally = Tally()

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def is_llm(self) -> bool:
        return self._inner.is_llm

    @property
    def retries(self) -> int:
        return self._inner.retries if isinstance(self._inner, Patient) else 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        digest = request.digest(self.name) if self._ledger else ""
        if self._ledger and self._use_cache:
            found = await asyncio.to_thread(self._ledger.find, digest)
            if found is not None:
                self.tally.cached += 1
                return _reply(found)
        self.tally.calls += 1
        try:
            reply = await self._inner.complete(request)
        except ProviderError as error:
            await self._keep(RecordedCall(digest, self.name, *_prompt(request), error_kind=error.kind, run=self._run))
            raise
        cost = shipped_prices().cost(self.name, reply.usage)
        self.tally.paid(reply.usage, cost)
        await self._keep(self._call(digest, request, reply, cost))
        return reply

    async def aclose(self) -> None:
        await self._inner.aclose()

    def _call(self, digest: str, request: ChatRequest, reply: ChatReply, cost: float | None) -> RecordedCall:
        return RecordedCall(
            digest,
            self.name,
            *_prompt(request),
            reply=reply.text,
            rationales=reply.rationales,
            finish=reply.finish,
            input_tokens=reply.usage.input_tokens,
            cached_tokens=reply.usage.cached_tokens,
            output_tokens=reply.usage.output_tokens,
            cost_usd=cost,
            seconds=reply.seconds,
            run=self._run,
        )

    async def _keep(self, call: RecordedCall) -> None:
        if self._ledger:
            # A paid reply is written down even when the run is being stopped around it.
            await asyncio.shield(asyncio.to_thread(self._ledger.add, call))


def _prompt(request: ChatRequest) -> tuple[str, str]:
    return request.prompt.label, request.prompt.digest


def _reply(call: RecordedCall) -> ChatReply:
    """A reply from the ledger costs nothing now: its usage was counted when it was paid."""
    return ChatReply(call.reply, call.model, finish=call.finish, rationales=call.rationales)
