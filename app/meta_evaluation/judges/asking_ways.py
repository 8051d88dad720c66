"""Comparison of asking all questions of a checklist in one call with one call each, on the same texts.

Three ways of asking are compared: together, alone, and together in reversed order. Agreement with people is compared in
pairs (comparison.py). Shares of answers have the interval of a bootstrap of documents, by Student's t
(figures.by_document).

Position: with the order reversed each question but a middle one is once in the first half and once in the second. The
share of yes in the first half less that in the second thus compares the same questions about the same texts, so that a
question's content isn't mistaken for an effect of its position.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import ceil
from typing import Any, Literal

import numpy as np

from app.domain.run import AskingWay
from app.errors import InputError
from app.meta_evaluation.agreement_verdict import FEWEST_UNITS, MARGIN, decimals, two_digits
from app.meta_evaluation.bootstrap import RESAMPLES, AgreementDesign
from app.meta_evaluation.captions import counted_of
from app.meta_evaluation.comparison import APPROXIMATE, PERMUTATIONS, Comparison, Difference, compare_scores
from app.meta_evaluation.judges.powered_estimates import EstimatedFigure, by_document, resampled, share, wilson
from app.meta_evaluation.permutation import FISHER_CAVEAT
from app.meta_evaluation.score_matrix import Bools, Column, Floats, Level

TOGETHER, ALONE, REVERSED = range(3)


@dataclass(frozen=True, slots=True, eq=False)
class AskingWayAnswers:
    """Answers to Q questions about T texts in three ways of asking; the first axis is AskingWay's order.

    `answers` is (3, T, Q): 1 yes, 0 no, NaN none. `scores` is (3, T), NaN for none that counts. `human` is (T,) ratings
    and `people` (T, Q) the experts' majority, NaN without one. `systems` is empty if texts name none. Instances with
    the same contents are equal, so that a comparison can be cached.
    """

    answers: Floats
    scores: Floats
    human: Floats
    people: Floats
    documents: Sequence[str]
    systems: Sequence[str] = ()
    items: Sequence[str] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AskingWayAnswers) and self._contents == other._contents

    def __hash__(self) -> int:
        return hash(self._contents)

    @property
    def _contents(self) -> tuple[bytes | tuple[str, ...], ...]:
        figures = (self.answers, self.scores, self.human, self.people)
        return (*(each.tobytes() for each in figures), *map(tuple, (self.documents, self.systems, self.items)))


@dataclass(frozen=True, slots=True)
class AskingWayFigures:
    """Figures of one way: its correlation with ratings, the share of its answers equal to the experts' majority, and
    the share of yes. None where undefined."""

    spearman: float | None
    kendall: float | None
    accuracy: EstimatedFigure | None
    yes: EstimatedFigure


@dataclass(frozen=True, slots=True)
class AnswerChange:
    """The share of texts on which the answer to a question changes if it is asked alone, and in reversed order."""

    alone: EstimatedFigure
    reversed: EstimatedFigure

    def to_json(self) -> dict[str, Any]:
        return {"changed_alone": asdict(self.alone), "changed_reversed": asdict(self.reversed)}


@dataclass(frozen=True, slots=True)
class AskingComparison:
    """Comparison of the ways over the `answers` given in all three. Every difference is together less alone.

    `comparison` is of scores with ratings, None for the reason `problem`. `accuracy` compares answers with the experts'
    majority, on `experts` answers about `expert_texts` of `expert_documents`. `changed` is the share of answers that
    change when each question is asked alone, `reordered` when the order is reversed. `position` is the share of yes in
    the first half of the questions less that of the same questions in the second half.
    """

    texts: int
    documents: int
    questions: int
    answers: int
    experts: int
    expert_texts: int
    expert_documents: int
    ways: Mapping[AskingWay, AskingWayFigures]
    comparison: Comparison | None
    problem: str
    accuracy: EstimatedFigure | None
    yes: EstimatedFigure
    changed: EstimatedFigure
    reordered: EstimatedFigure
    position: EstimatedFigure
    by_question: tuple[AnswerChange, ...]
    resamples: int = RESAMPLES
    seed: int = 0

    @property
    def is_significant(self) -> bool:
        """Return whether both the interval and a permutation test show that together and alone differ in agreement with
        ratings. With ten documents the interval alone shows a difference in 8 % of the cases in which there is none."""
        return self.comparison is not None and self.comparison.differences["spearman"].is_significant

    @property
    def rated_documents(self) -> int:
        """Return the number of documents that the interval of the comparison with ratings resamples."""
        if self.comparison is None:
            return 0
        return self.comparison.basis.groups_used if self.comparison.design.level == "per-source" else self.documents

    @property
    def spearman(self) -> Difference | None:
        """Return Spearman's difference, together less alone; None without a difference or without its interval."""
        found = self.comparison.differences["spearman"].figure if self.comparison else None
        return None if found is None or found.low is None or found.high is None else found

    def to_json(self) -> dict[str, Any]:
        tested = self.comparison.differences if self.comparison else {}
        return {
            "texts": self.texts,
            "documents": self.documents,
            "questions": self.questions,
            "answers": self.answers,
            "answers_of_experts": self.experts,
            "level": self.comparison.design.level if self.comparison else None,
            "ways": {way.value: asdict(figures) for way, figures in self.ways.items()},
            "together_less_alone": {
                **{name: asdict(each.figure) for name, each in tested.items() if name != "pearson"},
                "accuracy": asdict(self.accuracy) if self.accuracy else None,
                "yes": asdict(self.yes),
            },
            "changed_alone": asdict(self.changed),
            "changed_reversed": asdict(self.reordered),
            "position": asdict(self.position),
            "resamples": self.resamples,
            "seed": self.seed,
        }


def compare_asking(
    asked: AskingWayAnswers, *, level: Level = "per-source", resamples: int = RESAMPLES, seed: int = 0
) -> AskingComparison:
    """Compare the three ways of asking. Raises InputError without `resamples`, or if no question about any text has an
    answer in all three ways."""
    given = np.isnan(asked.answers).sum(axis=0) == 0
    if not given.any():
        raise InputError("No question was answered in all three ways.", "Go on with the runs, then compare again.")
    if resamples < 1:
        raise InputError("The intervals of a comparison need resamples.", f"Ask for {RESAMPLES:,}.")
    shares = _Shares(asked.documents, resamples, seed)
    filled = np.where(given, asked.answers, 0.0)
    checked = given & ~np.isnan(asked.people)
    right = (asked.answers == asked.people) & checked
    has_experts = bool(checked.any())
    accuracies = [shares.of(each, checked) if has_experts else None for each in right]
    difference = right[TOGETHER].astype(np.float64) - right[ALONE]
    comparison, problem = _agreement(asked, TOGETHER, level, resamples, seed)
    backwards, _ = _agreement(asked, REVERSED, level, 0, seed)
    values = [_coefficients(comparison, first=True), _coefficients(comparison), _coefficients(backwards, first=True)]
    changed, reordered = (np.abs(filled[TOGETHER] - filled[other]) for other in (ALONE, REVERSED))
    return AskingComparison(
        texts=int(given.any(axis=1).sum()),
        documents=shares.documents_of(given),
        questions=given.shape[1],
        answers=int(given.sum()),
        experts=int(checked.sum()),
        expert_texts=int(checked.any(axis=1).sum()),
        expert_documents=shares.documents_of(checked),
        ways={
            way: AskingWayFigures(*values[place], accuracies[place], shares.of(filled[place], given))
            for place, way in enumerate(AskingWay)
        },
        comparison=comparison,
        problem=problem,
        accuracy=shares.of(difference, checked, signed=True) if has_experts else None,
        yes=shares.of(filled[TOGETHER] - filled[ALONE], given, signed=True),
        changed=shares.of(changed, given),
        reordered=shares.of(reordered, given),
        position=shares.of(*_by_half(filled, given), signed=True),
        by_question=tuple(
            AnswerChange(*(shares.of(each[:, [q]], given[:, [q]]) for each in (changed, reordered)))
            for q in range(given.shape[1])
        ),
        resamples=resamples,
        seed=seed,
    )


def repeat_inconsistency(
    repeats: Floats, documents: Sequence[str], *, resamples: int = RESAMPLES, seed: int = 0
) -> EstimatedFigure:
    """Return the share of answers that change when a judge is asked exactly the same again: of (repeats, T, Q) answers,
    the mean over texts and questions of the share of pairs of repeats that differ."""
    count = (~np.isnan(repeats)).sum(axis=0).astype(np.float64)
    yes = np.nansum(repeats, axis=0)
    given = count >= 2
    differ = np.where(given, yes * (count - yes) / np.where(given, count * (count - 1) / 2, 1.0), 0.0)
    return _Shares(documents, resamples, seed).of(differ, given)


@dataclass(frozen=True, slots=True, eq=False)
class _Shares:
    """Shares of the answers that count, with intervals that draw whole documents."""

    documents: Sequence[str]
    resamples: int
    seed: int

    def documents_of(self, counts: Bools) -> int:
        return len({self.documents[int(row)] for row in np.flatnonzero(counts.any(axis=1))})

    def of(self, part: Floats | Bools, counts: Bools, *, signed: bool = False) -> EstimatedFigure:
        """Return the mean of `part` (T, Q) where `counts`; from -1 to 1 if `signed`, else from 0 to 1.

        If `part` is 0 everywhere or 1 everywhere, resamples don't vary: the ends are Wilson's for the number of texts.
        """
        rows = counts.sum(axis=1).astype(np.float64)
        kept = rows > 0
        if not kept.any():
            return EstimatedFigure(None)
        shown = np.where(counts, part, 0.0)
        value = float(shown.sum() / rows.sum())
        texts = int(kept.sum())
        if not shown.any():
            high = wilson(0, texts)[1]
            return EstimatedFigure(value, -high if signed else 0.0, high)
        if value == 1:
            return EstimatedFigure(value, wilson(texts, texts)[0], 1.0)
        names = [name for name, used in zip(self.documents, kept, strict=True) if used]
        _, unit = np.unique(names, return_inverse=True)
        sums = resampled(np.stack([shown.sum(axis=1)[kept], rows[kept]]), unit, self.resamples, self.seed)
        ends = by_document(value, share(*sums), int(unit.max()) + 1)
        if ends is None:
            return EstimatedFigure(value)
        return EstimatedFigure(value, max(ends[0], -1.0 if signed else 0.0), min(ends[1], 1.0))


def _by_half(filled: Floats, given: Bools) -> tuple[Floats, Bools]:
    """Return (T, Q) yes while a question is in the first half less yes while it is in the second, and which count: all
    but a middle question."""
    questions = given.shape[1]
    place = np.arange(questions)
    sign = (place < questions // 2) * 1.0 - (place >= questions - questions // 2) * 1.0
    return (filled[TOGETHER] - filled[REVERSED]) * sign, given & (sign != 0)


def _agreement(
    asked: AskingWayAnswers, one: int, level: Level, resamples: int, seed: int
) -> tuple[Comparison | None, str]:
    """Compare the scores of one way with those of asking alone, over the texts that all three ways scored."""
    scored = np.where(np.isnan(asked.scores).any(axis=0), np.nan, asked.scores)
    if np.isnan(asked.human).all():
        return None, "Nobody has rated these texts."
    items: Column | None = asked.items if asked.items and not asked.systems else None
    try:
        found = compare_scores(
            scored[one],
            scored[ALONE],
            asked.human,
            AgreementDesign(asked.documents, asked.systems or None, items, level=level, resamples=resamples, seed=seed),
            permutations=PERMUTATIONS if resamples else 0,
            on_scale=True,
        )
    except InputError as error:
        return None, error.message
    return found, found.differences["spearman"].figure.reason


def _coefficients(found: Comparison | None, first: bool = False) -> tuple[float | None, float | None]:
    """Return Spearman and Kendall of the first set of scores, or of the second."""
    if found is None:
        return None, None
    spearman, kendall = (found.differences[name].figure for name in ("spearman", "kendall"))
    return (spearman.a, kendall.a) if first else (spearman.b, kendall.b)


POINTS = 0.05
"""The most by which the share of answers equal to the experts' majority may fall and count as no worse. Our choice."""
AskingKind = Literal["together better", "no better alone", "little", "alone better", "open", "no people"]


@dataclass(frozen=True, slots=True)
class AskingVerdict:
    """A verdict in words; `choice` is the recommended way of asking, None if that can't be told."""

    kind: AskingKind
    sentence: str
    choice: Literal["together", "alone"] | None


@dataclass(frozen=True, slots=True)
class _Evidence:
    """Together less alone on one measure of agreement. `margin` is the most that doesn't matter; `apart`: whether the
    two differ significantly."""

    measure: str
    value: float
    low: float
    high: float
    margin: float
    texts: int
    documents: int
    apart: bool

    @property
    def kind(self) -> AskingKind:
        if self.documents < FEWEST_UNITS:
            return "open"
        if self.apart and self.low > 0:
            return "together better"
        if self.apart and self.high < 0:
            return "little" if self.low >= -self.margin else "alone better"
        return "no better alone" if self.low >= -self.margin else "open"

    @property
    def shown(self) -> str:
        ends = f"95 % {decimals(self.low)} to {decimals(self.high)}"
        return f"{self.measure}, one call less one each: {decimals(self.value)}, {ends}"

    @property
    def needed(self) -> str:
        """Return in words about how many texts, of more documents too, bring the interval to the margin."""
        if self.documents < FEWEST_UNITS:
            return f"its texts come from {counted_of(self.documents, 'document')}, and {FEWEST_UNITS} are the least"
        reach = (self.high - self.low) / 2
        wanted = two_digits(ceil(self.texts * max((reach / self.margin) ** 2, 1.0)))
        return f"about {wanted:,} would" if wanted > self.texts else "a few more would"


def asking_verdict(found: AskingComparison, times: float | None) -> AskingVerdict:
    """Return which way of asking to use. `times`: the cost of one call each as a multiple of one call for all, None if
    unknown.

    Ratings come first; answers of experts count where ratings can't tell.
    """
    evidence = _evidence(found)
    if not evidence:
        return AskingVerdict("no people", _without_people(found, times), None)
    told = next((each for each in evidence if each.kind != "open"), evidence[0])
    texts, dear = counted_of(told.texts, "text"), _dear(times)
    shown = f"({told.shown}; {texts})"
    match told.kind:
        case "together better":
            said = f"One call for all questions agrees better with people {shown}{dear and ', and one each' + dear}"
            return AskingVerdict(told.kind, f"{said}: keep one call.", "together")
        case "alone better":
            said = f"Asking each question alone agrees better with people {shown}{dear and ', and' + dear}"
            return AskingVerdict(told.kind, f"{said}: ask each alone.", "alone")
        case "little":
            said = f"Asking each question alone agrees a little better with people {shown}{dear and ', and' + dear}"
            return AskingVerdict(told.kind, f"{said}: one call will do, unless that little matters to you.", "together")
        case "no better alone":
            said = f"Asking each question alone agrees no better with people {shown}{dear and ' and' + dear}"
            return AskingVerdict(told.kind, f"{said}: keep one call.", "together")
    cheaper = " Until then one call is the cheaper way." if times is not None and times > 1 else ""
    said = f"{texts} can't tell which way agrees better with people ({told.shown}): {told.needed}."
    return AskingVerdict("open", f"{said}{cheaper}", None)


def position_verdict(found: AskingComparison) -> str:
    """Return whether a question's position in the call matters."""
    position, reordered = found.position, found.reordered
    if position.value is None:
        return "With one question there is no order to turn round."
    turned = f"Turned round, the order changes {_share(reordered)} of the answers."
    if position.low is None or position.high is None:
        return f"{turned} Whether earlier questions get more yes can't be told from one document."
    gap = f"{abs(position.value) * 100:.0f} points"
    ends = f"95 % {position.low * 100:.0f} to {position.high * 100:.0f}"
    if position.low <= 0 <= position.high:
        found_none = f"({position.value * 100:+.0f} points, {ends})"
        return f"{turned} No lean towards earlier or later questions was found {found_none}."
    often = "more" if position.value > 0 else "less"
    return (
        f"{turned} Where a question stands matters: the same question gets a yes {often} often in the first half than "
        f"in the second, by {gap} ({ends})."
    )


def repeat_inconsistency_words(own: EstimatedFigure | None, run: int | None) -> str:
    """Return how often the judge's answers change on repeats, to compare every share of changed answers with."""
    if own is None or own.value is None:
        return (
            "Part of the change may be the judge's own wavering: how much isn't known until a run asks the same twice "
            "(repeats)."
        )
    return (
        f"Asked the very same again, this judge changes {_share(own)} of its answers (run {run}, at temperature 1; the "
        "ways above are asked at 0): so much of the change may be its own wavering."
    )


def asking_cautions(found: AskingComparison) -> list[str]:
    """Return what weakens the figures, and what they never establish."""
    said = (
        [each for each in found.comparison.cautions if each not in (FISHER_CAVEAT, APPROXIMATE)]
        if (found.comparison)
        else []
    )
    if found.problem:
        said.insert(0, found.problem)
    return [*said, "This holds for this checklist, this judge and texts like these."]


def _evidence(found: AskingComparison) -> list[_Evidence]:
    evidence = []
    ratings, experts = found.spearman, found.accuracy
    if ratings is not None and ratings.difference is not None and ratings.low is not None and ratings.high is not None:
        assert found.comparison is not None  # it has the difference
        basis = found.comparison.basis
        where = "inside sources" if found.comparison.design.level == "per-source" else "over all texts"
        ends, texts = (ratings.difference, ratings.low, ratings.high), basis.n_used or basis.n
        documents, apart = found.rated_documents, found.is_significant
        evidence.append(_Evidence(f"Spearman {where}", *ends, MARGIN, texts, documents, apart))
    if experts is not None and experts.value is not None and experts.low is not None and experts.high is not None:
        ends = experts.value, experts.low, experts.high
        texts, documents, apart = found.expert_texts, found.expert_documents, not experts.low <= 0 <= experts.high
        evidence.append(_Evidence("answers like most experts'", *ends, POINTS, texts, documents, apart))
    return evidence


def _without_people(found: AskingComparison, times: float | None) -> str:
    dear = _dear(times)
    return (
        f"Asked alone, {_share(found.changed)} of the answers change{dear and '; one call each' + dear}. Which way is "
        "nearer to people can't be told: have people rate some of these texts, or answer the checklist on them."
    )


def _dear(times: float | None) -> str:
    if times is None:
        return ""
    if 0.95 < times < 1.05:
        return " costs as much"
    return f" costs {times:.1f} times as much"


def _share(figure: EstimatedFigure) -> str:
    if figure.value is None:
        return "an unknown share"
    value = f"{figure.value * 100:.0f} %"
    if figure.low is None or figure.high is None:
        return value
    return f"{value} (95 % {figure.low * 100:.0f} to {figure.high * 100:.0f})"
