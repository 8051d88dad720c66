"""A judge beside people: in a panel, and in place of one of them (alternative annotator test)."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy import stats

from app.errors import InputError
from app.meta_evaluation.judges.figures import percentiles, resampled, wilson
from app.meta_evaluation.score_matrix import EPSILON, RESAMPLES, AltMetric, Bools, Column, Floats, chosen


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


LEVEL = 0.05
"""Of the false discoveries among the people for whom the judge is found good enough."""
TEXTS_NEEDED = 30
"""Texts a person must share with somebody else: the paper's own minimum for its t-test."""
PASSES = 0.5
EPSILONS = tuple(round(0.05 * step, 2) for step in range(7))
"""From 0 to .3, for the curve."""


@dataclass(frozen=True, slots=True)
class Annotator:
    """One person left out: on how many of `n` texts the judge did at least as well (`advantage`), and the test's p."""

    name: str
    n: int
    advantage: float
    p: float
    rejected: bool


@dataclass(frozen=True, slots=True)
class SkippedAnnotator:
    name: str
    n: int
    reason: str


@dataclass(frozen=True, slots=True)
class AltTest:
    """`winning_rate` is the share of people for whom the test rejects, None where nobody could be tested.

    `advantage_probability` is the mean over people of how often the judge did at least as well, whatever epsilon is.
    `curve` holds (epsilon, winning rate).
    """

    metric: AltMetric
    epsilon: float
    annotators: tuple[Annotator, ...]
    skipped: tuple[SkippedAnnotator, ...]
    curve: tuple[tuple[float, float], ...]

    @property
    def winning_rate(self) -> float | None:
        return _share([annotator.rejected for annotator in self.annotators])

    @property
    def advantage_probability(self) -> float | None:
        return _share([annotator.advantage for annotator in self.annotators])

    @property
    def passes(self) -> bool | None:
        """None where nobody could be tested."""
        return None if self.winning_rate is None else self.winning_rate >= PASSES

    def to_json(self) -> dict[str, Any]:
        """The command's fixed fields, and the curve."""
        return {
            "winning_rate": self.winning_rate,
            "advantage_probability": self.advantage_probability,
            "passes": self.passes,
            "epsilon": self.epsilon,
            "metric": self.metric,
            "annotators": [asdict(annotator) for annotator in self.annotators],
            "skipped": [asdict(annotator) for annotator in self.skipped],
            "curve": [{"epsilon": epsilon, "winning_rate": rate} for epsilon, rate in self.curve],
        }


def alt_test(
    judge: Floats, people: Floats, names: Sequence[str], *, metric: AltMetric = "accuracy", epsilon: float = EPSILON
) -> AltTest:
    """Of answers (N,) and (people, N), NaN where there is none; answers are numbers or stand for labels.

    Raises:
        InputError: fewer than two people, or an epsilon outside 0 to 1.
    """
    chosen(metric, AltMetric, "metric")
    if len(names) < 2:
        raise InputError("The test leaves each person out in turn, so it needs at least two.", "Name more --human.")
    if not 0 <= epsilon <= 1:
        raise InputError(f"Epsilon is a share, not {epsilon:g}.", "Give .2 for experts, .15 or .1.")
    tested: dict[str, tuple[Bools, Bools]] = {}
    skipped = []
    for place, name in enumerate(names):
        wins = _wins(judge, people, place, metric)
        if wins[0].size < TEXTS_NEEDED:
            reason = f"fewer than {TEXTS_NEEDED} texts that the judge and somebody else answered too"
            skipped.append(SkippedAnnotator(name, wins[0].size, reason))
        else:
            tested[name] = wins
    ps = _p_values(tested.values(), epsilon)
    rejected = _rejected(ps)
    annotators = [
        Annotator(name, judges.size, float(judges.mean()), p, said)
        for (name, (judges, _)), p, said in zip(tested.items(), ps, rejected, strict=True)
    ]
    curve = [(other, _share(_rejected(_p_values(tested.values(), other)))) for other in EPSILONS]
    known = tuple((other, rate) for other, rate in curve if rate is not None)
    return AltTest(metric, epsilon, tuple(annotators), tuple(skipped), known)


def _wins(judge: Floats, people: Floats, place: int, metric: AltMetric) -> tuple[Bools, Bools]:
    """On each text of this person that others answered: the judge is at least as close to them; the person is."""
    others = np.delete(people, place, axis=0)
    usable = ~np.isnan(judge) & ~np.isnan(people[place]) & ~np.isnan(others).all(axis=0)
    others = others[:, usable]
    closeness = [_closeness(answers[usable], others, metric) for answers in (judge, people[place])]
    same = np.isclose(closeness[0], closeness[1], rtol=0, atol=1e-12)  # a tie is a win for both
    return same | (closeness[0] > closeness[1]), same | (closeness[1] > closeness[0])


def _closeness(answers: Floats, others: Floats, metric: AltMetric) -> Floats:
    """(texts,): the share of the others who answered the same, or minus the root mean square distance to them."""
    apart = others - answers
    present = ~np.isnan(others)
    if metric == "accuracy":
        agree: Floats = ((apart == 0) & present).sum(axis=0) / present.sum(axis=0)
        return agree
    distance: Floats = np.sqrt(np.nansum(apart**2, axis=0) / present.sum(axis=0))
    return -distance


def _p_values(tested: Iterable[tuple[Bools, Bools]], epsilon: float) -> list[float]:
    """One-sided t-tests that the person wins less than `epsilon` more often than the judge."""
    return [_p_value(persons.astype(np.float64) - judges, epsilon) for judges, persons in tested]


def _p_value(ahead: Floats, epsilon: float) -> float:
    if np.ptp(ahead) == 0:  # no variance to test against: the difference is what it is
        return 0.0 if ahead[0] < epsilon else 1.0
    return float(stats.ttest_1samp(ahead, epsilon, alternative="less").pvalue)


def _rejected(ps: Sequence[float]) -> list[bool]:
    """Benjamini and Yekutieli's procedure: the tests share people's answers, so they hang together."""
    return [bool(p <= LEVEL) for p in stats.false_discovery_control(ps, method="by")] if ps else []


def _share(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None
