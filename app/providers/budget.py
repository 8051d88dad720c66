"""A budget that holds: what a request will probably cost is set aside before it is sent."""

import asyncio
from dataclasses import dataclass

from app.errors import BudgetError
from app.providers.adapters.output_room import START
from app.providers.base import ChatRequest, Usage
from app.providers.pricing import Price, estimate_tokens

# Tokens of input are estimated from characters; code and tables have more than the estimate says.
CAREFUL = 1.3


@dataclass(slots=True)
class Reservation:
    """US dollars set aside for one request, for a likely and for the dearest answer, and its tokens as estimated."""

    likely: float
    dearest: float
    input_tokens: int


class Budget:
    """US dollars that one run may still spend with one model.

    Answers may be as long as the request allows, and some of a reasoning model's are a hundred times as long as others.
    The first request goes alone: it shows what answers take, and whether the provider says so. Then as many go at once
    as fit if all their answers were the dearest; else as many as fit by what answers took so far (a quarter more than
    the longest) beside one that is the dearest, and at most twice as many as have come back; else one at a time while
    a likely answer fits. A request that doesn't fit waits for those in flight, and is refused once there are none.
    """

    def __init__(
        self,
        limit: float,
        model: str,
        answered: int = 0,
        longest: int = 0,
        known: bool = True,
        whose: str = "The run's budget",
    ) -> None:
        """answered: how many replies of the run came before; longest: tokens of output of the longest of them.

        known: False where the cost of some of them is not known, so that nobody can say what is left. whose: how the
        limit is called where it is reached.
        """
        self._limit = limit
        self._model = model
        self._answered = answered
        self._longest = longest
        self._known = known
        self._whose = whose
        self._per_estimate = 0.0  # tokens of input for each estimated one, at most so far
        self._spent = 0.0
        self._likely = 0.0
        self._dearest = 0.0
        self._in_flight = 0
        self._returned = asyncio.Condition()

    async def reserve(self, request: ChatRequest, price: Price | None) -> Reservation:
        """Wait until the request fits. Raises BudgetError where it won't."""
        estimated = _input_tokens(request)
        async with self._returned:
            while not self._fits(wanted := self._wanted(request, estimated, price)):
                await self._returned.wait()
            self._likely += wanted.likely
            self._dearest += wanted.dearest
            self._in_flight += 1
        return wanted

    async def settle(self, reserved: Reservation, usage: Usage | None, cost: float | None) -> None:
        """The request came back with what it took, None for nothing. cost: None where nobody knows, as of a reply that
        was lost."""
        async with self._returned:
            self._likely -= reserved.likely
            self._dearest -= reserved.dearest
            self._in_flight -= 1
            if usage is not None:
                self._learn(reserved, usage, cost)
            self._returned.notify_all()

    def _learn(self, reserved: Reservation, usage: Usage, cost: float | None) -> None:
        if cost is None:
            self._known = False
            return
        self._spent += cost
        self._answered += 1
        self._longest = max(self._longest, usage.output_tokens)
        self._per_estimate = max(self._per_estimate, usage.input_tokens / max(reserved.input_tokens, 1))

    def _wanted(self, request: ChatRequest, estimated: int, price: Price | None) -> Reservation:
        room = max(START, request.max_output_tokens, *(2 * room for room in request.cut_off))
        dearest = likely = _cost(price, estimated * CAREFUL, room)
        if self._answered:
            longest = min(room, 1.25 * self._longest)
            likely = _cost(price, estimated * (self._per_estimate or CAREFUL), longest)
        return Reservation(likely, dearest, estimated)

    def _fits(self, wanted: Reservation) -> bool:
        """Whether it may be sent now. Raises BudgetError where nothing comes back to wait for, or nobody knows what
        was spent."""
        if not self._known:
            raise BudgetError(
                f"What {self._model} took isn't known: a reply was lost, or doesn't say how many tokens it has. So the "
                "budget can't be kept.",
                "Start a run without a budget; what was answered isn't asked again.",
            )
        left = self._limit - self._spent
        if self._in_flight:
            all_dearest = self._dearest + wanted.dearest <= left
            one_dearest = self._likely + wanted.dearest <= left and self._in_flight < 2 * self._answered
            return bool(self._answered) and (all_dearest or one_dearest)
        if left > 0 and (wanted.likely <= left or not self._answered):
            return True
        raise BudgetError(
            f"{self._whose} is reached: ${max(left, 0.0):.4f} of it is left, and the next request may cost "
            f"${wanted.likely:.4f}."
        )


def _cost(price: Price | None, input_tokens: float, output_tokens: float) -> float:
    """All input is taken to be written to the provider's cache, where that is dearer."""
    if price is None:
        return 0.0  # no reply will have a known cost: the first says so
    dearest_input = max(price.input, price.written or 0.0)
    return (input_tokens * dearest_input + output_tokens * price.output) / 1e6


def _input_tokens(request: ChatRequest) -> int:
    turns = (part for turn in request.turns for part in (turn.answer, turn.correction))
    return sum(map(estimate_tokens, (request.before, request.given or "", *turns)))
