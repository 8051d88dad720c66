"""People and LLMs side by side, blind, as one expert sees them (InteractEval, Appendix F)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class SideBySide:
    """`people` and `llms` are the wordings as this expert sees them; which of them is set A was drawn.

    `answers`: question -> text. Nothing changes any more once it is `revealed`. `outside`: the expert had not thought
    aloud about the dimension when the comparison began.
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
