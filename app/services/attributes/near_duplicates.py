"""Near-duplicates: attributes that say nearly the same, in pairs and groups."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from app.attribute_analysis.embedding import shared_parts_matrix
from app.attribute_analysis.similarity import rouge_l_matrix
from app.attribute_analysis.tokens import tokenize
from app.domain.attribute import Attribute, AttributeStatus

Measure = Literal["words", "order"]
# From where on a pair is worth a look: on attributes of the paper's authors most pairs above it do say the same.
LIKELY: dict[Measure, float] = {"words": 0.35, "order": 0.6}


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """Two active attributes that may say the same; `likeness` is 0 to 1 by the chosen measure."""

    first: Attribute
    second: Attribute
    likeness: float


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """Active attributes that may say the same: each is similar to at least one other. `likeness` is the highest of a
    pair."""

    attributes: tuple[Attribute, ...]
    likeness: float


def duplicate_groups(
    attributes: Sequence[Attribute], at_least: float | None = None, measure: Measure = "words"
) -> list[DuplicateGroup]:
    """Return the pairs of `near_duplicates` joined into groups, the group with the most similar pair first."""
    pairs = near_duplicates(attributes, at_least, measure)
    groups: list[dict[int, Attribute]] = []
    for pair in pairs:
        own = {pair.first.id: pair.first, pair.second.id: pair.second}
        joined = [group for group in groups if group.keys() & own.keys()]
        groups = [group for group in groups if group not in joined]
        groups.append({id_: one for group in [*joined, own] for id_, one in group.items()})
    likeness: dict[int, float] = {}
    for pair in pairs:
        likeness[pair.first.id] = max(pair.likeness, likeness.get(pair.first.id, 0.0))
    found = [
        DuplicateGroup(
            tuple(sorted(group.values(), key=lambda one: one.id)), max(likeness.get(id_, 0.0) for id_ in group)
        )
        for group in groups
    ]
    return sorted(found, key=lambda group: (-group.likeness, group.attributes[0].id))


def near_duplicates(
    attributes: Sequence[Attribute], at_least: float | None = None, measure: Measure = "words"
) -> list[NearDuplicate]:
    """Return pairs of similar active attributes, most similar first.

    measure: words, the parts of words they share (`shared_parts_matrix`), in any order; order, the same words in the
    same order (ROUGE-L F). at_least: by default LIKELY of the measure.
    """
    active = [a for a in attributes if a.status is AttributeStatus.ACTIVE]
    least = LIKELY[measure] if at_least is None else at_least
    pairs = _pairs(tuple(a.text for a in active), least, measure)
    return [NearDuplicate(active[i], active[j], value) for i, j, value in pairs]


# 2,000 attributes take about a second: a screen that is redrawn doesn't wait again.
@lru_cache(maxsize=16)
def _pairs(texts: tuple[str, ...], at_least: float, measure: Measure) -> list[tuple[int, int, float]]:
    if len(texts) < 2:
        return []
    matrix = shared_parts_matrix(texts) if measure == "words" else rouge_l_matrix(tokenize(texts).words)
    rows, columns = np.nonzero(np.triu(matrix >= at_least, k=1))
    found = [(int(i), int(j), float(matrix[i, j])) for i, j in zip(rows, columns, strict=True)]
    return sorted(found, key=lambda pair: (-pair[2], pair[0], pair[1]))
