"""Attributes that say the same: found by similarity, merged by a person, put back as they were; and moved ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from app.attribute_analysis.char_ngram_similarity import shared_parts_matrix
from app.attribute_analysis.similarity import rouge_l_matrix
from app.attribute_analysis.tokens import tokenize
from app.domain.attribute import Attribute, AttributeStatus
from app.errors import ConflictError, InputError
from app.services.runtime.workbench import Workbench

Measure = Literal["words", "order"]
# From where on a pair is worth a look: on attributes of the paper's authors most pairs above it do say the same.
LIKELY: dict[Measure, float] = {"words": 0.35, "order": 0.6}
MOST_PAIRS = 50


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """Two attributes in use that may say the same; `likeness` from 0 to 1, by the measure that was asked for."""

    first: Attribute
    second: Attribute
    likeness: float


def near_duplicates(
    attributes: Sequence[Attribute], at_least: float | None = None, most: int = MOST_PAIRS, measure: Measure = "words"
) -> tuple[list[NearDuplicate], int]:
    """The pairs in use that are most alike, most alike first, and how many there are in all.

    measure: words, the telling parts of words they share (`shared_parts`), in any order and form; order, the same
    words in the same order (ROUGE-L F). at_least: LIKELY of the measure where it is not given.
    """
    active = [a for a in attributes if a.status is AttributeStatus.ACTIVE]
    least = LIKELY[measure] if at_least is None else at_least
    pairs = _pairs(tuple(a.text for a in active), least, measure)
    return [NearDuplicate(active[i], active[j], value) for i, j, value in pairs[:most]], len(pairs)


# 2,000 attributes take about a second: a screen that is redrawn doesn't wait again.
@lru_cache(maxsize=16)
def _pairs(texts: tuple[str, ...], at_least: float, measure: Measure) -> list[tuple[int, int, float]]:
    if len(texts) < 2:
        return []
    matrix = shared_parts_matrix(texts) if measure == "words" else rouge_l_matrix(tokenize(texts).words)
    rows, columns = np.nonzero(np.triu(matrix >= at_least, k=1))
    found = [(int(i), int(j), float(matrix[i, j])) for i, j in zip(rows, columns, strict=True)]
    return sorted(found, key=lambda pair: (-pair[2], pair[0], pair[1]))


def merge(workbench: Workbench, kept: Attribute, merged: Attribute, reason: str = "says the same") -> None:
    """One stands for both from now on. The other keeps its wording and contributor, and what stands for it.

    Raises InputError for one and the same or two dimensions, ConflictError where either is no longer in use.
    """
    if kept.id == merged.id:
        raise InputError("An attribute can't be merged with itself.", "Choose another.")
    if kept.dimension != merged.dimension:
        raise InputError("These attributes are about two dimensions.", "Move one of them first.")
    with workbench.database.write() as work:
        for attribute in (kept, merged):
            if work.think_aloud.status_of(attribute.id) is not AttributeStatus.ACTIVE:
                raise ConflictError("One of the two is no longer in use.")
        work.think_aloud.set_status(merged.id, AttributeStatus.MERGED, reason, kept.id)


def move(workbench: Workbench, attribute: Attribute, dimension_id: int) -> None:
    """To another dimension of its project; where it was first said stays on record."""
    with workbench.database.write() as work:
        work.think_aloud.move(attribute.id, dimension_id)
