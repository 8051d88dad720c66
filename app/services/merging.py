"""Attributes that say the same: found by similarity, merged by a person, put back as they were; and moved ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from app.attribute_analysis.similarity import rouge_l_matrix
from app.attribute_analysis.tokens import tokenize
from app.domain.attribute import Attribute, AttributeStatus
from app.errors import ConflictError, InputError
from app.services.workbench import Workbench

LIKELY = 0.6
MOST_PAIRS = 50


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """Two attributes in use with alike wordings; `likeness` is ROUGE-L F, from 0 to 1."""

    first: Attribute
    second: Attribute
    likeness: float


def near_duplicates(
    attributes: Sequence[Attribute], at_least: float = LIKELY, most: int = MOST_PAIRS
) -> tuple[list[NearDuplicate], int]:
    """The pairs in use that are most alike in wording, most alike first, and how many there are in all."""
    active = [a for a in attributes if a.status is AttributeStatus.ACTIVE]
    pairs = _pairs(tuple(a.text for a in active), at_least)
    return [NearDuplicate(active[i], active[j], value) for i, j, value in pairs[:most]], len(pairs)


# 2,000 attributes take about a second: a screen that is redrawn doesn't wait again.
@lru_cache(maxsize=16)
def _pairs(texts: tuple[str, ...], at_least: float) -> list[tuple[int, int, float]]:
    if len(texts) < 2:
        return []
    likeness = np.triu(rouge_l_matrix(tokenize(texts).words), k=1)
    rows, columns = np.nonzero(likeness >= at_least)
    found = [(int(i), int(j), float(likeness[i, j])) for i, j in zip(rows, columns, strict=True)]
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
