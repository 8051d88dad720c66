"""Unique and shared attributes of contributors: nearest neighbours under a similarity measure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from app.attribute_analysis.embedding import map_to_plane
from app.attribute_analysis.similarity import PairMatrices
from app.errors import InputError

Measure = Literal["cosine", "rouge_l", "jaccard"]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Positions in the pool; `similarity` is None where nobody else has a comparable attribute."""

    attribute: int
    nearest: int | None
    similarity: float | None


@dataclass(frozen=True, slots=True)
class UniqueAndShared:
    """`unique`: by owner, attributes whose nearest neighbour of anybody else lies below `threshold`, loneliest first.

    `nearest`: by (owner, other), each attribute of owner with the nearest one of other, most alike first.
    """

    measure: Measure
    threshold: float
    unique: Mapping[str, tuple[Neighbour, ...]]
    nearest: Mapping[tuple[str, str], tuple[Neighbour, ...]]

    def to_json(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "threshold": self.threshold,
            "unique": {name: [_as_json(n) for n in found] for name, found in self.unique.items()},
            "nearest": [
                {"a": a, "b": b, "pairs": [_as_json(n) for n in found]} for (a, b), found in self.nearest.items()
            ],
        }


def find_unique(
    matrices: PairMatrices,
    groups: Mapping[str, Sequence[int]],
    threshold: float = 0.3,
    measure: Measure = "cosine",
) -> UniqueAndShared:
    """Compare each group with all others; groups (contributors, or kinds) must not overlap.

    An attribute without any comparable counterpart counts as unique. Raises InputError for a threshold outside 0 to 1.
    """
    if not 0 <= threshold <= 1:
        raise InputError(f"The similarity threshold {threshold} is out of range.", "Choose a value from 0 to 1.")
    matrix = getattr(matrices, measure)
    unique = {}
    for name, mine in groups.items():
        others = [i for other, positions in groups.items() if other != name for i in positions]
        found = [_nearest(matrix, attribute, others) for attribute in mine]
        alone = [n for n in found if n.similarity is None or n.similarity < threshold]
        unique[name] = tuple(sorted(alone, key=lambda n: (n.similarity or 0.0, n.attribute)))
    nearest = {
        (a, b): tuple(
            sorted(
                (_nearest(matrix, attribute, groups[b]) for attribute in groups[a]),
                key=lambda n: (-(n.similarity or 0.0), n.attribute),
            )
        )
        for a, b in permutations(groups, 2)
    }
    return UniqueAndShared(measure, threshold, unique, nearest)


def _nearest(matrix: NDArray[np.float64], attribute: int, others: Sequence[int]) -> Neighbour:
    values = matrix[attribute, np.asarray(others, dtype=np.intp)]
    if not len(values) or np.isnan(values).all():
        return Neighbour(attribute, None, None)
    best = int(np.nanargmax(values))
    return Neighbour(attribute, int(others[best]), float(values[best]))


def _as_json(neighbour: Neighbour) -> dict[str, Any]:
    return {
        "attribute": neighbour.attribute,
        "nearest": neighbour.nearest,
        "similarity": neighbour.similarity,
    }


@dataclass(frozen=True, slots=True)
class AttributeMap:
    """points: one (x, y) an attribute, in the pool's order; `explained`: share of variance on each axis.

    `reason` is a sentence where the picture can't mean anything (a single attribute, or all in one place).
    """

    points: tuple[tuple[float, float], ...]
    explained: tuple[float, float]
    embedding: str
    reason: str = ""


def map_attributes(matrices: PairMatrices) -> AttributeMap:
    """Two principal components of the embedding: near points are attributes that share words, as far as 2 axes show."""
    points, explained = map_to_plane(matrices.vectors)
    reason = ""
    if len(points) < 3:
        reason = "A map needs at least three attributes to show anything."
    elif explained[0] == 0:
        reason = "All attributes fall on one point: they use the same words, or none that count."
    return AttributeMap(tuple((float(x), float(y)) for x, y in points), explained, matrices.embedding, reason)
