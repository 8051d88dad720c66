"""Judges compared with people: in a panel, and in place of a person (alternative annotator test)."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy import stats

from app.errors import InputError
from app.meta_evaluation.agreement_verdict import decimals
from app.meta_evaluation.bootstrap import RESAMPLES
from app.meta_evaluation.judges.estimate import FEW, CorrectedEstimate
from app.meta_evaluation.judges.powered_estimates import EstimatedFigure, Z, percentiles, resampled, wilson
from app.meta_evaluation.score_matrix import EPSILON, AltMetric, Bools, Column, Floats, chosen


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


FEW_DOCUMENTS = 10
"""Documents with answers below which Student's t widens the interval by more than a seventh."""
UNEVEN = 0.5
"""Effective share of people's answers after unequal drawing, below which a caution is shown."""
NOT_ESTABLISHED = (
    "This holds for texts like these and takes what people answered as the truth; it doesn't say that they are right."
)


def estimate_verdict(found: CorrectedEstimate) -> str:
    """Return which figure to use, how far the judge alone is off, and how much the judge adds."""
    if found.advised == "human_only":
        return (
            f"Use people's answers alone: {_shown(found, found.human_only)}. The judge's answers don't make it more "
            f"precise; alone they say {_value(found, found.judge_only.value)}."
        )
    said = [f"Use the corrected figure: {_shown(found, found.corrected)}."]
    alone, bias = found.judge_only, found.bias
    if bias is not None and found.corrected.low is not None and found.corrected.high is not None:
        inside = alone.value is not None and found.corrected.low <= alone.value <= found.corrected.high
        off = f"{gap(bias, binary=found.binary)} too {'much' if bias > 0 else 'little'}"
        said.append(f"The judge alone says {_value(found, alone.value)}, {'inside that interval' if inside else off}.")
    if found.worth is not None and found.worth > found.n_human:
        said.append(f"With the judge {found.n_human:,} answers of people tell as much as {found.worth:,} without.")
    return " ".join(said)


def estimate_forecast(found: CorrectedEstimate) -> str:
    """Return what more answers of people would bring; "" without an interval to narrow."""
    if not found.forecast:
        return ""
    each = found.forecast[min(1, len(found.forecast) - 1)]
    alone = (
        f"; without the judge that takes {each.alone:,} answers in all"
        if each.alone > found.n_human + each.more
        else ""
    )
    return f"{each.more} more answers of people: about plus or minus {gap(each.reach, binary=found.binary)}{alone}."


def half_width(found: CorrectedEstimate) -> str:
    """Return how far the corrected figure may be off either way; "" without an interval."""
    return gap(found.corrected.width / 2, binary=found.binary) if found.corrected.width else ""


def answers_before_any(answers: int) -> str:
    """Return what so many answers tell at worst, before there are any to forecast from."""
    reach = 100 * Z * 0.5 / answers**0.5
    return (
        f"Nobody has answered yet. {answers} answers of people alone tell a question's share of yes to plus or minus "
        f"{reach:.0f} points at worst; with a judge that is often right it is less. From {FEW} answers on this says "
        "how much."
    )


def estimate_cautions(found: CorrectedEstimate) -> list[str]:
    """Return what weakens the figures, and what they never establish."""
    said = []
    if found.shifted and found.weighted:
        said.append(
            "The judge finds the rows that people answered unlike the others, also after weighing them by their "
            "probabilities. Are these the probabilities of the draw, and did people answer all that was drawn? If not, "
            "this correction is off."
        )
    elif found.shifted and found.method == "ppi":
        said.append(
            "The judge finds the rows that people answered unlike the others. Were they chosen, or from other sources? "
            f"Then this correction is off: {'use rogan-gladen, or ' if found.may_take_rogan_gladen else ''}have people "
            "answer a random draw."
        )
    if not found.enough:
        said.append(f"Only {found.n_human} answers of people: the intervals are rough below {FEW}.")
    if found.weighted and found.even < UNEVEN * found.n_human:
        said.append(
            f"The rows were drawn so unevenly that {found.n_human} answers of people alone tell as much as "
            f"{found.even:.0f} to rows drawn alike."
        )
    if found.documents_answered is not None and found.documents_answered < FEW_DOCUMENTS:
        answered = f"People answered texts of {found.documents_answered} of {found.documents} documents"
        if found.documents is not None and found.documents > found.documents_answered:
            said.append(f"{answered}: spread the same work over more documents, and the interval gets narrower.")
        else:
            said.append(f"{answered}: the interval is rough with fewer than {FEW_DOCUMENTS}.")
    if not found.disagreements:
        said.append(
            f"Judge and people never differ on these {found.n_human} rows, so the interval doesn't know of errors. Up "
            f"to {min(300 / found.n_human, 100):.0f} % of the judge's answers may still be wrong."
        )
    if found.n_human == found.n:
        said.append("People answered every row, so the judge has nothing to add.")
    return [*said, NOT_ESTABLISHED]


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


def gap(difference: float, *, binary: bool) -> str:
    """Return the distance of two figures in words: points of percent for shares."""
    return f"{abs(difference) * 100:.1f} points" if binary else f"{abs(difference):.2f}"


def _shown(found: CorrectedEstimate, figure: EstimatedFigure) -> str:
    value = _value(found, figure.value)
    if figure.low is None or figure.high is None:
        return f"{value} (no interval)"
    return f"{value} (95 % interval {_value(found, figure.low)} to {_value(found, figure.high)})"


def _value(found: CorrectedEstimate, value: float | None) -> str:
    if value is None:
        return "nothing"
    return f"{value:.1%}".replace("%", " %") if found.binary else f"{value:.2f}"
