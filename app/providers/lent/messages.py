"""What a process that keeps a limit and a budget, and one that borrows from it, tell each other."""

from dataclasses import dataclass

from app.errors import BudgetError
from app.providers.base import Usage
from app.providers.budget import RequestSize, Reservation
from app.providers.pricing import Price


class FromBorrower:
    """What the keeper hears."""

    __slots__ = ()


class FromKeeper:
    """What the borrower hears."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class SlotsWanted(FromBorrower):
    """So many requests wait for a slot each; said where slots are lent for one request."""

    slots: int


@dataclass(frozen=True, slots=True)
class SlotsBack(FromBorrower):
    """started: when the request left that had the slot, None for one that none had; passed: whether it was answered."""

    slots: int
    started: float | None = None
    passed: bool = False


@dataclass(frozen=True, slots=True)
class RequestsPassed(FromBorrower):
    """So many passed with slots that are kept; the first left then."""

    count: int
    started: float


@dataclass(frozen=True, slots=True)
class RequestRefused(FromBorrower):
    """A request that left then was refused; its slot comes back with this. refusals: how often in a row before."""

    number: int
    started: float
    by_rate: bool
    retry_after: float | None
    refusals: int


@dataclass(frozen=True, slots=True)
class SlotsLent(FromKeeper):
    slots: int


@dataclass(frozen=True, slots=True)
class Narrowed(FromKeeper):
    """Whether the provider complained: then each slot is lent for one request, else for good."""

    narrowed: bool


@dataclass(frozen=True, slots=True)
class Verdict(FromKeeper):
    """What a refusal means, as AdaptiveLimit has it."""

    number: int
    paced: bool
    exhausted: bool


@dataclass(frozen=True, slots=True)
class ReservationWanted(FromBorrower):
    number: int
    size: RequestSize
    price: Price | None


@dataclass(frozen=True, slots=True)
class Reserved(FromKeeper):
    number: int
    reservation: Reservation | None
    error: BudgetError | None = None


@dataclass(frozen=True, slots=True)
class RequestSettled(FromBorrower):
    number: int
    usage: Usage | None
    cost: float | None
