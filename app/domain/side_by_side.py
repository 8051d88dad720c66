"""Side by side: an expert's blind comparison of people's and LLMs' attributes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class SideBySide:
    """One expert's blind comparison of attributes by people and by LLMs. `people` and `llms` are the wordings this
    expert sees; which of the two is set A is random.

    `answers`: question -> answer text; final once `revealed_at` is set. `outside`: the expert had not thought aloud
    about the dimension when the comparison began.
    """

    id: int
    expert: str
    people_are_a: bool
    people: tuple[str, ...]
    llms: tuple[str, ...]
    answers: Mapping[str, str] = field(default_factory=dict)
    revealed_at: datetime | None = None
    outside: bool = False

    @property
    def revealed(self) -> bool:
        return self.revealed_at is not None

    @property
    def a(self) -> tuple[str, ...]:
        return self.people if self.people_are_a else self.llms

    @property
    def b(self) -> tuple[str, ...]:
        return self.llms if self.people_are_a else self.people
