"""The alternative annotator test: whether a judge may stand in for one of the people (Calderon et al. 2025)."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy import stats

from app.errors import InputError
from app.meta_evaluation.agreement_verdict import decimals
from app.meta_evaluation.score_matrix import EPSILON, AltMetric, Bools, Floats, chosen

LEVEL = 0.05
"""Bound on the share of false discoveries among the people for whom the judge is found good enough."""
TEXTS_NEEDED = 30
"""Texts that a person must share with somebody else: the paper's own minimum for its t-test."""
PASSES = 0.5
EPSILONS = tuple(round(0.05 * step, 2) for step in range(7))
"""Values of epsilon for the curve, from 0 to .3."""


@dataclass(frozen=True, slots=True)
class Annotator:
    """The test of one person left out: on how many of `n` texts the judge did at least as well (`advantage`), and p."""

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
    """Result of the alternative annotator test. `winning_rate` is the share of people for whom the test rejects, None
    if nobody could be tested.

    `advantage_probability` is the mean over people of how often the judge did at least as well, for any epsilon.
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
        """Return whether the judge passes; None if nobody could be tested."""
        return None if self.winning_rate is None else self.winning_rate >= PASSES

    def to_json(self) -> dict[str, Any]:
        """Return the fields of the command's contract, and the curve."""
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
    """Run the alternative annotator test on answers (N,) and (people, N), NaN for none; answers are numbers or codes of
    labels.

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
    """Return, for each text of this person that others answered: whether the judge is at least as close to them;
    whether the person is."""
    others = np.delete(people, place, axis=0)
    usable = ~np.isnan(judge) & ~np.isnan(people[place]) & ~np.isnan(others).all(axis=0)
    others = others[:, usable]
    closeness = [_closeness(answers[usable], others, metric) for answers in (judge, people[place])]
    same = np.isclose(closeness[0], closeness[1], rtol=0, atol=1e-12)  # a tie is a win for both
    return same | (closeness[0] > closeness[1]), same | (closeness[1] > closeness[0])


def _closeness(answers: Floats, others: Floats, metric: AltMetric) -> Floats:
    """Return (texts,) the share of the others who answered the same, or minus the root mean square distance to them."""
    apart = others - answers
    present = ~np.isnan(others)
    if metric == "accuracy":
        agree: Floats = ((apart == 0) & present).sum(axis=0) / present.sum(axis=0)
        return agree
    distance: Floats = np.sqrt(np.nansum(apart**2, axis=0) / present.sum(axis=0))
    return -distance


def _p_values(tested: Iterable[tuple[Bools, Bools]], epsilon: float) -> list[float]:
    """Return p of one-sided t-tests that the person wins less than `epsilon` more often than the judge."""
    return [_p_value(persons.astype(np.float64) - judges, epsilon) for judges, persons in tested]


def _p_value(ahead: Floats, epsilon: float) -> float:
    if np.ptp(ahead) == 0:  # no variance to test against: the difference is what it is
        return 0.0 if ahead[0] < epsilon else 1.0
    return float(stats.ttest_1samp(ahead, epsilon, alternative="less").pvalue)


def _rejected(ps: Sequence[float]) -> list[bool]:
    """Return which tests reject, by Benjamini and Yekutieli's procedure: the tests share people's answers, so they
    depend on each other."""
    return [bool(p <= LEVEL) for p in stats.false_discovery_control(ps, method="by")] if ps else []


def _share(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def alt_test_verdict(found: AltTest) -> str:
    """Return whether the judge may replace one of the people, and on which evidence."""
    if found.winning_rate is None:
        return (
            f"Too few texts to say: nobody shares {TEXTS_NEEDED} texts with the judge and somebody else. Have people "
            "answer more of the same texts, of those here or of others."
        )
    wins = sum(annotator.rejected for annotator in found.annotators)
    against = f"{wins or 'none'} of {len(found.annotators)} people"
    ahead = f"given {decimals(found.epsilon)} ahead, since it costs less,"
    if found.passes:
        return f"The judge may stand in for one of these people: {ahead} it does as well as {against} or better."
    return f"The judge should not stand in for one of these people: even {ahead} it does as well as {against}."
