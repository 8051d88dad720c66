"""What many fits agree on: attributes grouped by how often they end up in the same topic (Monti et al. 2003)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from app.attribute_analysis.topics.stability import UNPLACED

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Consensus:
    """labels: group of each text from 0, largest first; UNPLACED where no fit placed it.

    together: mean share of fits that keep two texts of one group together; apart: the same for texts of different
    groups. Far apart means that the groups are real to the model, close that each fit is another story. None where
    there is no such pair.
    """

    labels: tuple[int, ...]
    together: float | None
    apart: float | None

    def to_json(self) -> dict[str, Any]:
        return {"labels": list(self.labels), "together": self.together, "apart": self.apart}


def co_assignment(labels: Sequence[Integers]) -> Floats:
    """(texts, texts) share of fits that put two texts together, of the fits that placed both; 0 where none did."""
    together = placed = np.zeros((len(labels[0]), len(labels[0])))
    for fit in labels:
        known = (fit != UNPLACED).astype(np.float64)
        member = (fit[:, None] == np.unique(fit[fit != UNPLACED])[None, :]).astype(np.float64)
        together = together + member @ member.T
        placed = placed + np.outer(known, known)
    return together / np.where(placed == 0, 1.0, placed)


def find_consensus(labels: Sequence[Integers], n_groups: int) -> Consensus:
    """Average linkage on 1 - co-assignment, cut into at most n_groups. labels: one array a fit over the same texts."""
    placed = np.flatnonzero((np.stack(labels) != UNPLACED).any(axis=0))
    groups = np.full(len(labels[0]), UNPLACED, dtype=np.intp)
    if len(placed) < 2:
        groups[placed] = 0
        return Consensus(tuple(groups.tolist()), None, None)
    shared = co_assignment([fit[placed] for fit in labels])
    distance = 1.0 - shared
    np.fill_diagonal(distance, 0.0)
    tree = linkage(squareform(distance, checks=False), method="average")
    cut = fcluster(tree, n_groups, criterion="maxclust") - 1
    groups[placed] = _largest_first(cut)
    rows, columns = np.triu_indices(len(placed), k=1)
    same = cut[rows] == cut[columns]
    values = shared[rows, columns]
    return Consensus(tuple(groups.tolist()), _mean(values[same]), _mean(values[~same]))


def _largest_first(labels: NDArray[np.integer]) -> Integers:
    sizes = np.bincount(labels)
    rank = np.empty(len(sizes), dtype=np.intp)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    ranked: Integers = rank[labels]
    return ranked


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if len(values) else None
