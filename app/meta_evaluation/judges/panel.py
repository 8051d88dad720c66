"""Panels of judges: how many votes several judges are worth, and whether their majority beats the best of them.

Judges that err on the same texts repeat each other: with a mean pairwise correlation r of their errors, m judges are
worth m / (1 + (m - 1) r) independent ones (the effective sample size of equally correlated votes).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from app.errors import InputError
from app.meta_evaluation.choices import RESAMPLES
from app.meta_evaluation.judges.intervals import percentiles, wilson
from app.meta_evaluation.judges.sums import resampled
from app.meta_evaluation.score_matrix import Bools, Column, Floats


@dataclass(frozen=True, slots=True)
class PanelJudge:
    """The share of answers equal to the reference, with its 95 % interval."""

    judge: str
    accuracy: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Panel:
    """Over `n` rows that the reference and every judge answered.

    `error_correlation` is None where fewer than two judges err on some rows and not on others; `uniform` names those
    left out of it. `difference` is the majority's accuracy minus the best judge's, with its interval.
    """

    n: int
    documents: int | None
    judges: tuple[PanelJudge, ...]
    error_correlation: float | None
    effective_votes: float | None
    uniform: tuple[str, ...]
    majority: float
    difference: tuple[float, float, float]
    ties: int
    resamples: int
    seed: int

    @property
    def best(self) -> PanelJudge:
        """The first of the most accurate."""
        return max(self.judges, key=lambda judge: judge.accuracy)

    def to_json(self) -> dict[str, Any]:
        """The command's fixed fields and some more."""
        return {
            "n": self.n,
            "documents": self.documents,
            "judges": [asdict(judge) for judge in self.judges],
            "error_correlation": self.error_correlation,
            "effective_votes": self.effective_votes,
            "left_out_of_correlation": list(self.uniform),
            "best": {"judge": self.best.judge, "accuracy": self.best.accuracy},
            "majority": {"accuracy": self.majority, "ties": self.ties},
            "difference": dict(zip(("value", "low", "high"), self.difference, strict=True)),
            "resamples": self.resamples,
            "seed": self.seed,
        }


def panel(
    judges: Floats,
    reference: Floats,
    names: Sequence[str],
    *,
    group: Column | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Panel:
    """Of answers (judges, N) and (N,), NaN where there is none; `group` is the document of each row.

    Resamples draw whole documents, rows without `group`. Where several answers have the most votes the majority is
    right by the share of them that equals the reference: half, for a tie between yes and no.

    Raises:
        InputError: fewer than two judges, no resamples, or fewer than two rows that all have answered.
    """
    if len(names) < 2:
        raise InputError("A panel is at least two judges.", "Name more --judge.")
    if resamples < 1:
        raise InputError("A panel's intervals need resamples.", f"Ask for {RESAMPLES:,}.")
    usable = ~np.isnan(reference) & ~np.isnan(judges).any(axis=0)
    n = int(usable.sum())
    if n < 2:
        raise InputError(
            f"{n} of {reference.size} rows have an answer of every judge and of people.",
            "Leave out the judge that answered least, or name another --human.",
        )
    answers, truth = judges[:, usable], reference[usable]
    right = answers == truth
    majority, tied = _majority(answers, truth)
    keys = np.arange(n) if group is None else np.array([str(name) for name in group])[usable]
    _, unit = np.unique(keys, return_inverse=True)
    *drawn, of_majority, rows = resampled(np.vstack([right, majority, np.ones(n)]), unit, resamples, seed)
    figures = []
    for name, row, sums in zip(names, right, drawn, strict=True):
        ends = wilson(row.sum(), n) if group is None else percentiles(sums / rows)
        figures.append(PanelJudge(name, float(row.mean()), *ends))
    best = int(np.argmax(right.mean(axis=1)))
    difference = float(majority.mean() - right[best].mean())
    correlation, votes, uniform = _votes(right, names)
    ends = percentiles((of_majority - drawn[best]) / rows)
    return Panel(
        n=n,
        documents=None if group is None else int(unit.max()) + 1,
        judges=tuple(figures),
        error_correlation=correlation,
        effective_votes=votes,
        uniform=uniform,
        majority=float(majority.mean()),
        difference=(difference, *ends),
        ties=tied,
        resamples=resamples,
        seed=seed,
    )


def _votes(right: Bools, names: Sequence[str]) -> tuple[float | None, float | None, tuple[str, ...]]:
    """Mean correlation of the errors, effective votes, and who has none or only errors: they correlate with nobody."""
    varied = np.ptp(right.astype(np.int64), axis=1) > 0
    uniform = tuple(name for name, counts in zip(names, varied, strict=True) if not counts)
    m = int(varied.sum())
    if m < 2:
        return None, None, uniform
    matrix = np.corrcoef(~right[varied])
    correlation = float(matrix[np.triu_indices(m, 1)].mean())
    spread = 1 + (m - 1) * correlation
    return correlation, m / spread if spread > 1e-12 else None, uniform


def _majority(answers: Floats, truth: Floats) -> tuple[Floats, int]:
    """(N,) how right the most frequent answer is, from 0 to 1, and in how many rows several are as frequent."""
    kinds = np.unique(answers)
    votes = np.stack([(answers == kind).sum(axis=0) for kind in kinds])
    winners = votes == votes.max(axis=0)
    among: Floats = (winners & (kinds[:, None] == truth)).sum(axis=0) / winners.sum(axis=0)
    return among, int((winners.sum(axis=0) > 1).sum())
