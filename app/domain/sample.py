"""A text that people and LLMs read while thinking aloud."""

from dataclasses import dataclass

from app.domain.text import Text


@dataclass(frozen=True, slots=True)
class Sample:
    """`score` is the mean human rating shown with it; `chosen_by` is "auto" or "hand"."""

    position: int
    text: Text
    score: float
    chosen_by: str = "auto"
