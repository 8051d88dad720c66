"""A panel of judges compared with people, alone and together."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from app.errors import InputError
from app.meta_evaluation.bootstrap import RESAMPLES
from app.meta_evaluation.judges.powered_estimates import percentiles, resampled, wilson
from app.meta_evaluation.score_matrix import Bools, Column, Floats


@dataclass(frozen=True, slots=True)
class PanelJudge:
    """A judge's share of answers equal to the reference, with its 95 % interval."""

    judge: str
    accuracy: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Panel:
    """Judges compared over the `n` rows that the reference and every judge answered.

    `error_correlation` is None if fewer than two judges err on some rows and not on others; `uniform` names the judges
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
        """Return the judge with the highest accuracy, the first of several."""
        return max(self.judges, key=lambda judge: judge.accuracy)

    def to_json(self) -> dict[str, Any]:
        """Return the fields of the command's contract and some more."""
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
    """Compare the answers (judges, N) with the reference (N,), NaN for none; `group` is the document of each row.

    Resamples draw whole documents, or rows without `group`. If several answers have the most votes, the majority is
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
    """Return the mean correlation of the errors, the effective votes, and the judges with no errors or only errors,
    which have no correlation."""
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
    """Return (N,) how right the most frequent answer is, from 0 to 1, and in how many rows several are as frequent."""
    kinds = np.unique(answers)
    votes = np.stack([(answers == kind).sum(axis=0) for kind in kinds])
    winners = votes == votes.max(axis=0)
    among: Floats = (winners & (kinds[:, None] == truth)).sum(axis=0) / winners.sum(axis=0)
    return among, int((winners.sum(axis=0) > 1).sum())


def panel_verdict(found: Panel) -> str:
    """Return which judges to keep, and why."""
    best, (value, low, high) = found.best, found.difference
    worth = ""
    if found.effective_votes is not None:
        worth = f"These {len(found.judges)} judges are worth {found.effective_votes:.1f} independent ones. "
    apart = f"{abs(value) * 100:.1f} points {'higher' if value > 0 else 'lower'}" if value else "equal"
    gap = f"{apart}, 95 % interval {low * 100:.1f} to {high * 100:.1f}"
    if low > 0:
        return f"{worth}Keep the panel: its majority is right more often than {best.judge}, the best judge ({gap})."
    if high < 0:
        return f"{worth}Keep {best.judge} alone: the majority is right less often ({gap})."
    calls = f"costs {len(found.judges)} times the calls"
    return f"{worth}Keep {best.judge} alone: the majority is not shown to be better ({gap}) and {calls}."
