"""A model whose replies are recorded: the same request is paid once, and every call is in the ledger."""

import asyncio
from collections.abc import Sequence
from copy import copy
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

from app.domain.model_call import RecordedCall
from app.errors import ProviderError, StoppedError
from app.providers.adapters.reply_text import storable_reply
from app.providers.base import ChatModel, ChatReply, ChatRequest, TokenLogprob, Usage, digest_of, note_spending
from app.providers.budget import Budget
from app.providers.known_prices import known_prices, today
from app.providers.model_options import FLEX_OR_STANDARD
from app.providers.pricing import STANDARD
from app.providers.retry import RetryingModel
from app.providers.specs import traced_names
from app.telemetry import request_span


class Ledger(Protocol):
    """The store of recorded calls."""

    async def find(self, digest: str, usable: bool = False) -> RecordedCall | None:
        """Return the newest reply to this exact request, None without one; usable: only one that wasn't discarded."""
        ...

    async def intend(self, digest: str, run: int) -> str:
        """Record, before it is sent, that a run sends this request; return its idempotency key."""
        ...

    async def withdraw(self, key: str) -> None:
        """Record that the request was not sent."""
        ...

    async def add(self, call: RecordedCall, key: str = "") -> None:
        """Record the call durably; it is recorded even if the caller is cancelled. key: the one of `intend`."""
        ...

    async def discard(self, digests: Sequence[str]) -> None:
        """Mark the replies to these requests as unusable."""
        ...

    async def look_again(self) -> None:
        """Load what others have asked since the ledger was opened."""
        ...

    async def note_use(self, digest: str, project: int) -> None:
        """Record that the project uses a reply that another project paid for."""
        ...


@dataclass(slots=True)
class Tally:
    """Counts of requests: `calls` reached the model, `cached` were answered from the ledger.

    `mended` replies held characters that no database stores (app.domain.storable_text). `cost_usd` is None once a price
    is unknown: a sum without it would be wrong.
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
    """Answers from the ledger if possible; else asks `inner` and records the reply before returning it.

    Without a ledger it only counts: a model that is no LLM costs nothing and repeats itself. With a budget it sends
    nothing that there is no money for. After `stop` it sends nothing at all.

    project, person: to whom its calls are attributed.
    tier: the service tier, as in ModelOptions, of `inner`: reservations and costs are at its price.
    use_cache: False asks again what anybody has asked before; its ledger then has only this run's calls, so that a
    resumed run pays for none twice.
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
        """Return a copy for retries: it asks again for replies that were unusable, and finds the others."""
        again = copy(self)
        again._second_try = True
        return again

    def stop(self) -> None:
        """Send nothing more; requests in flight are waited for and recorded."""
        self._stopped.set()

    async def look_again(self) -> None:
        """Load also what other processes have asked and paid meanwhile."""
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
        """The run's message while the server can't be reached; "" otherwise."""
        pause = self._inner.pause if isinstance(self._inner, RetryingModel) else None
        return pause.message if pause is not None else ""

    @property
    def effort(self) -> str:
        """The effort of all requests; "" for the model's default."""
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
        """Return whether a recorded reply may answer. Without the cache, only one of an earlier session of this run, or
        one of this session in a second try."""
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
            with request_span(*traced_names(self.name), request.prompt, self._run) as span:
                reply, mended = storable_reply(await self._inner.complete(request))
                span.answered(reply.text, traced_names(reply.model)[1], reply.finish, reply.usage)
            usage, cost = reply.usage, prices.cost(self.name, reply.usage, day, reply.tier or STANDARD)
        except ProviderError as error:
            usage = error.usage if isinstance(error.usage, Usage) else None
            cost = prices.cost(self.name, usage, day, at_most) if usage is not None else None
            await self._record_failure(request, digest, error, usage, cost)
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

    async def _record_failure(
        self, request: ChatRequest, digest: str, error: ProviderError, usage: Usage | None, cost: float | None
    ) -> None:
        """Record a failure. Some are paid: a reply came, but was useless. The cost of a lost reply is unknown."""
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
        """Return the reply with no cost: it was paid before."""
        self.tally.cached += 1
        return replace(reply, usage=Usage(), seconds=0.0)

    async def aclose(self) -> None:
        await self._inner.aclose()

    def _call(self, digest: str, request: ChatRequest) -> RecordedCall:
        prompt = request.prompt
        return RecordedCall(
            digest, self.name, prompt.label, prompt.digest, run=self._run, project=self._project, person=self._person
        )

    async def _keep(self, call: RecordedCall, key: str = "") -> None:
        if self._ledger is not None:
            await self._ledger.add(call, key)


def answered_call(call: RecordedCall, reply: ChatReply, cost: float | None) -> RecordedCall:
    """Return the call with its reply."""
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
    """Return the usage as the ledger stores it; an unknown usage shows in the cost, which is unknown too."""
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
