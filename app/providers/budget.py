"""A budget that holds: what a request will probably cost is set aside before it is sent."""

import asyncio
from dataclasses import dataclass

from app.errors import BudgetError
from app.providers.base import ChatRequest, Usage
from app.providers.output_room import START
from app.providers.pricing import Price, estimate_tokens

# Tokens of input are estimated from characters; code and tables have more than the estimate says.
CAREFUL = 1.3


@dataclass(slots=True)
class Reservation:
    """US dollars set aside for one request, with the estimate they rest on."""

    amount: float
    input_tokens: int


class Budget:
    """US dollars that one run may still spend with one model.

    Answers may be as long as the request allows, and reasoning models' are sometimes a hundred times as long as others.
    So the dearest possible answer is set aside while that fits. Where it doesn't fit, requests go out by what answers
    took so far (a quarter more than the longest), and never more than twice as many at once as have come back: the
    first goes alone, and what is in flight is always few beside what is known. A request for which nothing is left
    waits for those in flight, and is refused once there are none.
    """

    def __init__(self, limit: float, model: str, answered: int = 0, longest: int = 0, known: bool = True) -> None:
        """answered: how many replies of the run came before; longest: tokens of output of the longest of them.

        known: False where the cost of some of them is not known, so that nobody can say what is left.
        """
        self._limit = limit
        self._model = model
        self._answered = answered
        self._longest = longest
        self._known = known
        self._per_estimate = 0.0  # tokens of input for each estimated one, at most so far
        self._spent = 0.0
        self._set_aside = 0.0
        self._in_flight = 0
        self._returned = asyncio.Condition()

    async def reserve(self, request: ChatRequest, price: Price | None) -> Reservation:
        """Wait until the request fits. Raises BudgetError where it won't."""
        estimated = _input_tokens(request)
        async with self._returned:
            while (amount := self._affordable(request, estimated, price)) is None:
                await self._returned.wait()
            self._set_aside += amount
            self._in_flight += 1
        return Reservation(amount, estimated)

    async def settle(
        self, reserved: Reservation, usage: Usage | None, cost: float | None, perhaps_billed: bool = False
    ) -> None:
        """The request came back: with its usage, or None where the provider told of none.

        perhaps_billed: it broke off after it was sent; then what was set aside counts as spent.
        """
        async with self._returned:
            self._set_aside -= reserved.amount
            self._in_flight -= 1
            if usage is not None:
                self._learn(reserved, usage, cost)
            elif perhaps_billed:
                self._spent += reserved.amount
            self._returned.notify_all()

    def _learn(self, reserved: Reservation, usage: Usage, cost: float | None) -> None:
        if cost is None:
            self._known = False
            return
        self._spent += cost
        self._answered += 1
        self._longest = max(self._longest, usage.output_tokens)
        self._per_estimate = max(self._per_estimate, usage.input_tokens / max(reserved.input_tokens, 1))

    def _affordable(self, request: ChatRequest, estimated: int, price: Price | None) -> float | None:
        """What to set aside; None where the request has to wait. Raises BudgetError where nothing comes back to wait
        for, or nobody knows what was spent."""
        if not self._known:
            raise BudgetError(
                f"{self._model} doesn't say how many tokens its replies took, so the budget can't be kept.",
                "Start a run without a budget; what was answered isn't asked again.",
            )
        left = self._limit - self._spent - self._set_aside
        room = max(START, request.max_output_tokens, *(2 * room for room in request.cut_off))
        dearest = _cost(price, estimated * CAREFUL, room)
        if dearest <= left:
            return dearest
        likely = dearest
        if self._answered:
            longest = min(room, 1.25 * self._longest)
            likely = _cost(price, estimated * (self._per_estimate or CAREFUL), longest)
            if likely <= left and self._in_flight < 2 * self._answered:
                return likely
        if self._in_flight:
            return None
        if not self._answered and left > 0:  # one alone, to learn what answers take
            return dearest
        raise BudgetError(
            f"The run's budget is reached: ${max(left, 0.0):.4f} of it is left, and the next request may cost "
            f"${likely:.4f}."
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
