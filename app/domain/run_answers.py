"""All answers of a run on a dimension as columns of numbers: a million texts have too many for an object each."""

from array import array
from dataclasses import dataclass, field

from app.domain.judgment import Answer

ANSWERS = tuple(Answer)
"""What the numbers in `answers` stand for."""


def _numbers() -> "array[int]":
    return array("q")


def _small_numbers() -> "array[int]":
    return array("b")


@dataclass(frozen=True, slots=True, eq=False)
class RunAnswers:
    """Columns of one length, a place for each answer, in the order in which they were given.

    `texts` and `questions` are ids (64 bits), `repeats` count from 0 (64 bits), `answers` are places in ANSWERS (8
    bits). numpy reads each as an array without a copy.
    """

    texts: "array[int]" = field(default_factory=_numbers)
    repeats: "array[int]" = field(default_factory=_numbers)
    questions: "array[int]" = field(default_factory=_numbers)
    answers: "array[int]" = field(default_factory=_small_numbers)
