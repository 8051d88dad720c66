"""Budgets: the likely cost of a request is reserved before it is sent."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from math import inf
from typing import Protocol

from app.errors import BudgetError
from app.providers.adapters.request_style import START
from app.providers.base import ChatRequest, Usage
from app.providers.pricing import Price, estimate_input_tokens, most_input_tokens

# Tokens of input are estimated from characters; code and tables have more than the estimate says.
CAREFUL = 1.3
LOOK_SECONDS = 2.0
RUN_S = "The run's budget"


@dataclass(frozen=True, slots=True)
class SharedBudget:
    """US dollars left of an amount that other runs and stages spend from too. `whose`: its name in messages when
    nothing is left, `hint`: what to do then."""

    left: float
    whose: str
    hint: str


Look = Callable[[], Awaitable[SharedBudget | None]]
"""Reads what is left of money that several processes spend; None for no limit. Raises BudgetError at nothing."""


class TokenBudget(Protocol):
    """The budget of an API token. The cost of the longest answer is reserved before a request is sent."""

    def left(self) -> float:
        """Return the US dollars that are left."""
        ...

    async def reserve(self, usd: float) -> None:
        """Reserve US dollars. Raises BudgetError if less is left."""
        ...

    async def settle(self, reserved: float, cost: float) -> None:
        """Replace what was reserved by the actual cost."""
        ...


@dataclass(slots=True)
class Reservation:
    """US dollars reserved for a request, for a likely and for the longest answer, and its estimated input tokens."""

    likely: float
    dearest: float
    input_tokens: int


@dataclass(frozen=True, slots=True)
class RequestSize:
    """What a request's cost depends on: estimated tokens, the most output tokens, and the most input tokens."""

    tokens: int
    room: int
    most: int

    @classmethod
    def of(cls, request: ChatRequest) -> "RequestSize":
        room = max(START, request.max_output_tokens, *(2 * room for room in request.cut_off))
        return cls(estimate_input_tokens(request), room, most_input_tokens(request))


class Budget:
    """US dollars that one run may still spend with one model, at most what is left of the budget it shares with others.

    The shared budget is read every few seconds, so that several processes together can exceed it at most by their
    requests in flight.

    Answers may be as long as the request allows, and some of a reasoning model's are a hundred times as long as others.
    The first request goes alone: it shows what answers take, and whether the provider says so. Then as many requests go
    at once as fit if all answers were the longest possible; else as many as fit by the answers so far (a quarter more
    than the longest) beside one longest possible answer, and at most twice as many as have come back; else one at a
    time while a likely answer fits. A request that doesn't fit waits for those in flight, and is refused if there are
    none.
    """

    def __init__(
        self,
        limit: float | None,
        model: str,
        answered: int = 0,
        longest: int = 0,
        known: bool = True,
        look: Look | None = None,
        token_budget: TokenBudget | None = None,
        most: int | None = None,
    ) -> None:
        """Set up the budget. limit: None if only the shared budget limits. answered: replies that the run had before;
        longest: output tokens of the longest of them.

        known: False if the cost of some of them is unknown, so that nobody can say what is left. look: reads the shared
        budget; called before the first request. token_budget: a further, strict limit. most: output tokens that an
        answer may have, None if nobody chose a number.
        """
        self._limit = inf if limit is None else limit
        self._model = model
        self._answered = answered
        self._longest = longest
        self._known = known
        self._look = look
        self._token_budget = token_budget
        self._most = inf if most is None else most
        self._looked = -inf
        self._shared: SharedBudget | None = None
        self._shared_at = inf  # how much is spent here when the shared budget is empty
        self._per_estimate = 0.0  # tokens of input for each estimated one, at most so far
        self._spent = 0.0
        self._likely = 0.0
        self._dearest = 0.0
        self._in_flight = 0
        self._returned = asyncio.Condition()

    async def reserve(self, request: ChatRequest, price: Price | None) -> Reservation:
        """Wait until the request fits, and reserve its cost. Raises BudgetError if it won't fit."""
        size = RequestSize.of(request)
        async with self._returned:
            await self._read_shared_budget()
            while not (self._fits(wanted := self._wanted(size, price)) and await self._reserved_of_token(wanted)):
                await self._returned.wait()
            self._likely += wanted.likely
            self._dearest += wanted.dearest
            self._in_flight += 1
        return wanted

    async def settle(self, reserved: Reservation, usage: Usage | None, cost: float | None) -> None:
        """Release a reservation. usage: the reply's, None without one. cost: None if unknown, as for a lost reply."""
        async with self._returned:
            self._likely -= reserved.likely
            self._dearest -= reserved.dearest
            self._in_flight -= 1
            if usage is not None:
                self._learn(reserved, usage, cost)
            try:
                if self._token_budget is not None:
                    unknown = reserved.dearest if usage is not None else 0.0
                    await self._token_budget.settle(reserved.dearest, unknown if cost is None else cost)
            finally:
                self._returned.notify_all()

    async def reserve_batch(self, requests: Iterable[ChatRequest], price: Price | None) -> Reservation:
        """Reserve the cost of requests that go at once, at the price of a batch. Raises BudgetError if likely answers
        don't fit; longest answers would never fit."""
        wanted = [self._wanted(RequestSize.of(request), price) for request in requests]
        likely, tokens = sum(each.likely for each in wanted), sum(each.input_tokens for each in wanted)
        together = Reservation(likely, likely, tokens)
        async with self._returned:
            await self._read_shared_budget()
            while self._in_flight:
                await self._returned.wait()
            if not self._fits(together) or likely > self._left():
                raise self._reached(likely)
            self._likely += likely
            self._dearest += likely
            self._in_flight += 1
        return together

    async def settle_batch(self, reserved: Reservation, cost: float | None) -> None:
        """Release a batch's reservation. cost: of the whole batch; None if unknown."""
        async with self._returned:
            self._likely -= reserved.likely
            self._dearest -= reserved.dearest
            self._in_flight -= 1
            self._known = self._known and cost is not None
            self._spent += cost or 0.0
            self._returned.notify_all()

    async def _reserved_of_token(self, wanted: Reservation) -> bool:
        """Reserve in the token's budget; return False if something has to come back first."""
        if self._token_budget is None:
            return True
        try:
            await self._token_budget.reserve(wanted.dearest)
        except BudgetError:
            if self._in_flight:
                return False
            raise
        return True

    async def _read_shared_budget(self) -> None:
        """Read the shared budget. What this process paid and hasn't recorded yet doesn't count as left: only others'
        spending lowers it."""
        if self._look is None or time.monotonic() - self._looked < LOOK_SECONDS:
            return
        found = await self._look()
        self._looked = time.monotonic()
        if found is not None and self._spent + found.left < self._shared_at:
            self._shared, self._shared_at = found, self._spent + found.left

    def _learn(self, reserved: Reservation, usage: Usage, cost: float | None) -> None:
        if cost is None:
            self._known = False
            return
        self._spent += cost
        self._answered += 1
        self._longest = max(self._longest, usage.output_tokens)
        self._per_estimate = max(self._per_estimate, usage.input_tokens / max(reserved.input_tokens, 1))

    def _wanted(self, size: RequestSize, price: Price | None) -> Reservation:
        room = min(size.room, self._most)
        dearest = likely = _cost(price, size.tokens * CAREFUL, room)
        if self._token_budget is not None:  # what binds strictly goes by no estimate
            dearest = _cost(price, max(size.most, size.tokens * CAREFUL), room)
        if self._answered:
            longest = min(room, 1.25 * self._longest)
            likely = _cost(price, size.tokens * (self._per_estimate or CAREFUL), longest)
        return Reservation(likely, dearest, size.tokens)

    def _fits(self, wanted: Reservation) -> bool:
        """Return whether the request may be sent now. Raises BudgetError if nothing is in flight to wait for, or
        spending is unknown."""
        if not self._known:
            alone = self._limit == inf
            again = "Go on with it" if alone else "Start a run without a budget"
            raise BudgetError(
                f"What {self._model} took isn't known: a reply was lost, or doesn't say how many tokens it has. So the "
                "budget can't be kept.",
                f"{again}; what was answered isn't asked again.",
            )
        left = self._left()
        if self._in_flight:
            all_dearest = self._dearest + wanted.dearest <= left
            one_dearest = self._likely + wanted.dearest <= left and self._in_flight < 2 * self._answered
            return bool(self._answered) and (all_dearest or one_dearest)
        if left > 0 and (wanted.likely <= left or not self._answered):
            return True
        raise self._reached(wanted.likely)

    def _left(self) -> float:
        return min(self._limit, self._shared_at) - self._spent

    def _reached(self, likely: float) -> BudgetError:
        shared = self._shared if self._shared_at < self._limit else None
        return BudgetError(
            f"{shared.whose if shared else RUN_S} is reached: ${max(self._left(), 0.0):.4f} of it is left, and what is "
            f"asked next may cost ${likely:.4f}.",
            shared.hint if shared else "",
        )


def _cost(price: Price | None, input_tokens: float, output_tokens: float) -> float:
    """Return the cost, with all input taken to be written to the provider's cache if that costs more."""
    if price is None:
        return 0.0  # no reply will have a known cost: the first says so
    sized = price.at(input_tokens)
    dearest_input = max(sized.input, sized.written or 0.0)
    return (input_tokens * dearest_input + output_tokens * sized.output) / 1e6
