"""A model whose answers are kept: the same request is paid for once, and every call stands in the ledger."""

import asyncio
from collections.abc import Sequence
from copy import copy
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

from app.domain.run import RecordedCall
from app.errors import ProviderError, StoppedError
from app.providers.adapters.reply_text import storable_reply
from app.providers.base import ChatModel, ChatReply, ChatRequest, TokenLogprob, Usage, digest_of, note_spending
from app.providers.budget import Budget
from app.providers.known_prices import known_prices, today
from app.providers.model_options import FLEX_OR_STANDARD
from app.providers.pricing import STANDARD
from app.providers.retry import RetryingModel
from app.providers.specs import traced_names
from app.telemetry import asked_span


class Ledger(Protocol):
    """The store of recorded calls."""

    async def find(self, digest: str, usable: bool = False) -> RecordedCall | None:
        """The newest reply to this very request, if it was ever answered; usable: that wasn't discarded."""
        ...

    async def intend(self, digest: str, run: int) -> str:
        """Returns once it is written down that this request of a run is about to be sent: its idempotency key."""
        ...

    async def withdraw(self, key: str) -> None:
        """The request was not sent."""
        ...

    async def add(self, call: RecordedCall, key: str = "") -> None:
        """Returns once the call is kept for good; cancelled, it is kept all the same. key: of its intent."""
        ...

    async def discard(self, digests: Sequence[str]) -> None:
        """Mark the replies to these requests: nothing could be made of them."""
        ...

    async def look_again(self) -> None:
        """Learn what others asked since it was opened."""
        ...

    async def note_use(self, digest: str, project: int) -> None:
        """The project rests on a reply that another paid for."""
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

    def __add__(self, other: "Tally") -> "Tally":
        together = Tally(self.calls + other.calls, self.cached + other.cached, self.usage, self.cost_usd, self.mended)
        together.paid(other.usage, other.cost_usd)
        together.mended += other.mended
        return together


class RecordedModel:
    """Answers from the ledger where it can; else asks `inner` and writes the reply down before handing it on.

    Without a ledger it only counts: a model that is no LLM costs nothing and says the same again at once. With a budget
    nothing is sent for which no money is left. Once `stop` was called nothing more is asked at all.

    project, person: whom its calls are put down to.
    tier: the service tier, as in ModelOptions, that `inner` asks in: what is set aside and paid is at its price.
    use_cache: False asks again what was asked before, by whom and when ever; its ledger then knows the calls of this
        run alone, so that a resumed run pays nothing again.
    """

    def __init__(
        self,
        inner: ChatModel,
        ledger: Ledger | None,
        run: int | None = None,
        use_cache: bool = True,
        budget: Budget | None = None,
        project: int | None = None,
        stopped: asyncio.Event | None = None,
        effort: str = "",
        person: int | None = None,
        tier: str = "",
    ) -> None:
        self._inner = inner
        self._ledger = ledger
        self._run = run
        self._use_cache = use_cache
        self._budget = budget
        self._project = project
        self._stopped = stopped or asyncio.Event()
        self._effort = effort
        self._person = person
        self._tier = tier
        self._second_try = False
        self._asking: dict[str, asyncio.Future[ChatReply]] = {}
        self._asked_here: set[str] = set()
        self.tally = Tally()

    def second_try(self) -> "RecordedModel":
        """The same model for what failed: it asks anew where nothing could be made of a reply, and finds the others."""
        again = copy(self)
        again._second_try = True
        return again

    def stop(self) -> None:
        """Ask nothing more; what is under way is waited for and kept."""
        self._stopped.set()

    async def look_again(self) -> None:
        """Find also what other processes asked and paid meanwhile."""
        if self._ledger is not None:
            await self._ledger.look_again()

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def is_llm(self) -> bool:
        return self._inner.is_llm

    @property
    def retries(self) -> int:
        return self._inner.retries if isinstance(self._inner, RetryingModel) else 0

    @property
    def pause_message(self) -> str:
        """What is said of its run while the server can't be reached; "" while it can."""
        pause = self._inner.pause if isinstance(self._inner, RetryingModel) else None
        return pause.message if pause is not None else ""

    @property
    def effort(self) -> str:
        """With which everything is asked; "" leaves it to the model."""
        return self._effort

    async def complete(self, request: ChatRequest) -> ChatReply:
        request = replace(request, effort=self._effort) if self._effort else request
        if self._ledger is None:
            return await self._ask(request, "")
        digest = digest_of(request, self)
        if not self._may_find(digest):
            return await self._ask(request, digest)
        if digest in self._asking:  # the same request is under way: one of the two is enough
            return self._free(await asyncio.shield(self._asking[digest]))
        self._asking[digest] = under_way = asyncio.ensure_future(self._find_or_ask(request, digest))
        try:
            return await under_way
        finally:
            del self._asking[digest]

    def _may_find(self, digest: str) -> bool:
        """Without the cache, only what an earlier session of this run asked, or this one in a first try."""
        return self._use_cache or (self._run is not None and (self._second_try or digest not in self._asked_here))

    async def discard(self, requests: Sequence[ChatRequest]) -> None:
        if self._ledger is not None:
            await self._ledger.discard([digest_of(request, self) for request in requests])

    async def _find_or_ask(self, request: ChatRequest, digest: str) -> ChatReply:
        assert self._ledger is not None
        found = await self._ledger.find(digest, self._second_try)
        if found is None:
            return await self._ask(request, digest)
        if self._project is not None and found.project != self._project:
            await self._ledger.note_use(digest, self._project)
        return self._free(_reply(found))

    async def _ask(self, request: ChatRequest, digest: str) -> ChatReply:
        self._asked_here.add(digest)
        prices, day = known_prices(), today()
        at_most = STANDARD if self._tier == FLEX_OR_STANDARD else self._tier
        price = prices.of(self.name, day, at_most) if self._budget is not None else None
        reserved = await self._budget.reserve(request, price) if self._budget is not None else None
        usage, cost, key = None, None, ""
        try:
            self._check_open()
            if self._ledger is not None and self._run is not None:
                key = await self._ledger.intend(digest, self._run)
                request = replace(request, idempotency_key=key)
            self.tally.calls += 1
            with asked_span(*traced_names(self.name), request.prompt, self._run) as span:
                reply, mended = storable_reply(await self._inner.complete(request))
                span.answered(reply.text, traced_names(reply.model)[1], reply.finish, reply.usage)
            usage, cost = reply.usage, prices.cost(self.name, reply.usage, day, reply.tier or STANDARD)
        except ProviderError as error:
            usage = error.usage if isinstance(error.usage, Usage) else None
            cost = prices.cost(self.name, usage, day, at_most) if usage is not None else None
            await self._keep_failure(request, digest, error, usage, cost)
            raise
        finally:
            if self._budget is not None and reserved is not None:
                await self._budget.settle(reserved, usage, cost)
        self.tally.mended += mended
        self._pay(reply.usage, cost)
        await self._keep(answered_call(self._call(digest, request), reply, cost), key)
        return reply

    def _pay(self, usage: Usage, cost: float | None) -> None:
        self.tally.paid(usage, cost)
        note_spending(cost)

    def _check_open(self) -> None:
        if self._stopped.is_set():
            raise StoppedError("The run is ending: nothing more is asked.")

    async def _keep_failure(
        self, request: ChatRequest, digest: str, error: ProviderError, usage: Usage | None, cost: float | None
    ) -> None:
        """Some failures are paid: a reply came, and was of no use. Of one that was lost nobody knows."""
        key = request.idempotency_key
        if isinstance(error, StoppedError) and usage is None:  # it was never sent
            if self._ledger is not None and key:
                await self._ledger.withdraw(key)
            return
        call = replace(self._call(digest, request), error_kind=error.kind, cost_usd=0.0)
        if usage is not None:
            self._pay(usage, cost)
            call = replace(call, **_counted(usage), cost_usd=cost)
        await self._keep(call, key)

    def _free(self, reply: ChatReply) -> ChatReply:
        """A reply that was paid before costs nothing now."""
        self.tally.cached += 1
        return replace(reply, usage=Usage(), seconds=0.0)

    async def aclose(self) -> None:
        await self._inner.aclose()

    def _call(self, digest: str, request: ChatRequest) -> RecordedCall:
        prompt = request.prompt
        return RecordedCall(
            digest,
            self.name,
            prompt.label,
            prompt.digest,
            run=self._run,
            project=self._project,
            person=self._person,
        )

    async def _keep(self, call: RecordedCall, key: str = "") -> None:
        if self._ledger is not None:
            await self._ledger.add(call, key)


def answered_call(call: RecordedCall, reply: ChatReply, cost: float | None) -> RecordedCall:
    """The call with the reply to it."""
    return replace(
        call,
        reply=reply.text,
        rationales=reply.rationales,
        logprobs=[[token.token, token.logprob, dict(token.top)] for token in reply.logprobs],
        finish=reply.finish,
        **_counted(reply.usage),
        cost_usd=cost,
        seconds=reply.seconds,
    )


def _counted(usage: Usage) -> dict[str, Any]:
    """As the ledger has it: a usage that isn't known shows in the cost, which isn't known either."""
    tokens = asdict(usage)
    del tokens["known"]
    return tokens


def _reply(call: RecordedCall) -> ChatReply:
    logprobs = tuple(TokenLogprob(token, logprob, top) for token, logprob, top in call.logprobs)
    # What was cut off had used up its room.
    room = call.output_tokens if call.finish == "length" else 0
    return ChatReply(
        call.reply, call.model, finish=call.finish, logprobs=logprobs, rationales=call.rationales, room=room
    )
