"""A model whose answers are kept: the same request is paid for once, and every call stands in the ledger."""

import asyncio
from dataclasses import asdict, dataclass, field, replace
from typing import Protocol

from app.domain.call import RecordedCall
from app.errors import BudgetError, ProviderError
from app.providers.base import ChatModel, ChatReply, ChatRequest, TokenLogprob, Usage
from app.providers.pricing import shipped_prices
from app.providers.retry import Patient
from app.providers.storable_reply import storable_reply


class Ledger(Protocol):
    """Where calls are kept."""

    async def find(self, digest: str) -> RecordedCall | None:
        """The reply to this very request, if it was ever answered."""
        ...

    async def add(self, call: RecordedCall) -> None:
        """Returns once the call is kept for good; cancelled, it is kept all the same."""
        ...


@dataclass(slots=True)
class Tally:
    """What was asked so far: `calls` reached the model, `cached` were answered from the ledger.

    `mended` replies held what no database keeps (app.domain.storable_text).
    `cost_usd` is None once a price is unknown: a sum that leaves out what it doesn't know would be wrong.
    """

    calls: int = 0
    cached: int = 0
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = 0.0
    mended: int = 0

    def paid(self, usage: Usage, cost: float | None) -> None:
        self.usage += usage
        self.cost_usd = None if cost is None or self.cost_usd is None else self.cost_usd + cost


class RecordedModel:
    """Answers from the ledger where it can; else asks `inner` and writes the reply down before handing it on.

    Without a ledger it only counts: a model that is no LLM costs nothing and says the same again at once. With a budget
    (US dollars) it asks nothing more once that much was spent; what is in flight then is still paid.
    """

    def __init__(
        self,
        inner: ChatModel,
        ledger: Ledger | None,
        run: int | None = None,
        use_cache: bool = True,
        budget: float | None = None,
        project: int | None = None,
    ) -> None:
        self._inner = inner
        self._ledger = ledger
        self._run = run
        self._use_cache = use_cache
        self._budget = budget
        self._project = project
        self._asking: dict[str, asyncio.Future[ChatReply]] = {}
        self.tally = Tally()

    def afresh(self) -> "RecordedModel":
        """The same model, asked even where the ledger has an answer: what failed with that answer is tried again."""
        fresh = RecordedModel(self._inner, self._ledger, self._run, False, self._budget, self._project)
        fresh.tally = self.tally
        return fresh

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
        if self._ledger is None:
            return await self._ask(request, "")
        digest = request.digest(self.name)
        if not self._use_cache:
            return await self._ask(request, digest)
        if digest in self._asking:  # the same request is under way: one of the two is enough
            return self._free(await asyncio.shield(self._asking[digest]))
        self._asking[digest] = under_way = asyncio.ensure_future(self._find_or_ask(request, digest))
        try:
            return await under_way
        finally:
            del self._asking[digest]

    async def _find_or_ask(self, request: ChatRequest, digest: str) -> ChatReply:
        assert self._ledger is not None
        found = await self._ledger.find(digest)
        if found is None:
            return await self._ask(request, digest)
        return self._free(_reply(found))

    async def _ask(self, request: ChatRequest, digest: str) -> ChatReply:
        if self._budget is not None and (self.tally.cost_usd or 0.0) >= self._budget:
            raise BudgetError("The run's budget is reached.")
        self.tally.calls += 1
        try:
            reply, mended = storable_reply(await self._inner.complete(request))
        except ProviderError as error:
            await self._keep(replace(self._call(digest, request), error_kind=error.kind))
            raise
        self.tally.mended += mended
        cost = shipped_prices().cost(self.name, reply.usage)
        self.tally.paid(reply.usage, cost)
        await self._keep(_answered(self._call(digest, request), reply, cost))
        return reply

    def _free(self, reply: ChatReply) -> ChatReply:
        """A reply that was paid before costs nothing now."""
        self.tally.cached += 1
        return replace(reply, usage=Usage(), seconds=0.0)

    async def aclose(self) -> None:
        await self._inner.aclose()

    def _call(self, digest: str, request: ChatRequest) -> RecordedCall:
        prompt = request.prompt
        return RecordedCall(digest, self.name, prompt.label, prompt.digest, run=self._run, project=self._project)

    async def _keep(self, call: RecordedCall) -> None:
        if self._ledger is not None:
            await self._ledger.add(call)


def _answered(call: RecordedCall, reply: ChatReply, cost: float | None) -> RecordedCall:
    return replace(
        call,
        reply=reply.text,
        rationales=reply.rationales,
        logprobs=[[token.token, token.logprob, dict(token.top)] for token in reply.logprobs],
        finish=reply.finish,
        **asdict(reply.usage),
        cost_usd=cost,
        seconds=reply.seconds,
    )


def _reply(call: RecordedCall) -> ChatReply:
    logprobs = tuple(TokenLogprob(token, logprob, top) for token, logprob, top in call.logprobs)
    return ChatReply(call.reply, call.model, finish=call.finish, logprobs=logprobs, rationales=call.rationales)
