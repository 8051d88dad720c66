"""Answers of a run's judge as an array: (repeats, texts, questions)."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from app.domain.judgment import Answer
from app.domain.run import ANSWERS, RunAnswers
from app.meta_evaluation.score_matrix import Bools, Floats

Ints = NDArray[np.int64]


def judge_cube(
    given: RunAnswers, texts: Sequence[int] | Ints, questions: Sequence[int], values: Mapping[Answer, float]
) -> Floats:
    """(repeats, texts, questions) of the answers about these texts to these questions, which are ids; NaN where there
    is none. values: what stands for an answer, NaN for one that isn't named. There is at least one repeat."""
    repeats, numbers = np.asarray(given.repeats), np.array([values.get(answer, np.nan) for answer in ANSWERS])
    cube = np.full((int(repeats.max(initial=0)) + 1, len(texts), len(questions)), np.nan)
    text, known = places_among(np.asarray(given.texts), np.asarray(texts, dtype=np.int64))
    question, asked = places_among(np.asarray(given.questions), np.asarray(questions, dtype=np.int64))
    here = known & asked
    cube[repeats[here], text[here], question[here]] = numbers[np.asarray(given.answers)[here]]
    return cube


def judged_texts(given: RunAnswers) -> Ints:
    """The texts with an answer, in the order in which they were first judged."""
    found, first = np.unique(np.asarray(given.texts), return_index=True)
    return found[np.argsort(first)]


def places_among(wanted: Ints, among: Ints) -> tuple[Ints, Bools]:
    """Where each of `wanted` stands in `among`, whose values differ, and whether it does."""
    if not among.size:
        return np.zeros(wanted.size, dtype=np.int64), np.zeros(wanted.size, dtype=bool)
    order = np.argsort(among, kind="stable")
    place = order[np.minimum(np.searchsorted(among, wanted, sorter=order), among.size - 1)]
    there: Bools = among[place] == wanted
    return place, there
