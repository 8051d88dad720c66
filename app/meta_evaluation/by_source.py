"""The coefficient inside each source: what the per-source level averages over."""

from dataclasses import dataclass

import numpy as np

from app.meta_evaluation.correlation import group_coefficients
from app.meta_evaluation.score_matrix import Column, score_table, source_grid


@dataclass(frozen=True, slots=True)
class SourceCoefficient:
    """Spearman over the `n` texts of one source; None where it has fewer than two, or a side is constant."""

    source: str
    spearman: float | None
    n: int


def spearman_by_source(pred: Column, human: Column, group: Column) -> list[SourceCoefficient]:
    """In the order in which sources appear; texts without a score, a rating or a source are left out."""
    table = score_table([pred], human, group=group, duplicates="keep")
    if not table.sources:
        return []
    grid = source_grid(table)
    found = group_coefficients(grid.scores, grid.human, grid.present)[0, 0]
    names = list(dict.fromkeys(str(cell) for cell in group if cell is not None and str(cell).strip()))
    return [
        SourceCoefficient(name, None if np.isnan(value) else float(value), int(n))
        for name, value, n in zip(names, found, grid.present.sum(axis=1), strict=True)
    ]
