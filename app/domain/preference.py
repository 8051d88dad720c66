"""Preferences: which of two texts of one source an expert finds better, and why."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.domain.project import TextPlace


class Winner(StrEnum):
    """A rater's verdict on which of two texts is better."""

    A = "a"
    B = "b"
    TIE = "tie"

    @property
    def swapped(self) -> "Winner":
        """Return the same verdict with the two texts in the other order."""
        return {Winner.A: Winner.B, Winner.B: Winner.A}.get(self, self)


@dataclass(frozen=True, slots=True)
class PairDraw:
    """Pairs of texts, by id, that every expert of a dimension compares."""

    id: int
    pairs: tuple[tuple[int, int], ...]
    drawn_at: datetime


@dataclass(frozen=True, slots=True)
class Preference:
    """The verdict of `rater` on which of two texts of one source is better on a dimension. `attribute`: the id of the
    attribute that `reason` became, None if there was no reason or the attribute was deleted."""

    dimension: str
    rater: str
    a: TextPlace
    b: TextPlace
    winner: Winner
    reason: str = ""
    attribute: int | None = None
    id: int = 0

    @property
    def key(self) -> tuple[int, int]:
        """Return the ids of both texts."""
        return self.a.id, self.b.id
