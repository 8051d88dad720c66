"""What follows from a comparison of ways of asking, each in plain sentences."""

from dataclasses import dataclass
from math import ceil
from typing import Literal

from app.meta_evaluation.agreement_verdict import FEWEST_UNITS, MARGIN
from app.meta_evaluation.captions import counted_of
from app.meta_evaluation.comparison import APPROXIMATE
from app.meta_evaluation.judges.asking_ways import AskingComparison
from app.meta_evaluation.judges.figures import EstimatedFigure
from app.meta_evaluation.significance import FISHER_CAVEAT
from app.meta_evaluation.verdict_words import decimals, two_digits

POINTS = 0.05
"""The most by which the share of answers like most experts' may fall short and still count as no worse. Our choice."""
AskingKind = Literal["together better", "no better alone", "little", "alone better", "open", "no people"]


@dataclass(frozen=True, slots=True)
class AskingVerdict:
    """`choice` is how to ask from now on, None where that can't be told."""

    kind: AskingKind
    sentence: str
    choice: Literal["together", "alone"] | None


@dataclass(frozen=True, slots=True)
class _Evidence:
    """Together less alone on one measure of agreement; `margin` is the most that doesn't matter, `apart` whether the
    two are told apart."""

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
        """So many texts, of as many more documents, would bring the ends to about the margin."""
        if self.documents < FEWEST_UNITS:
            return f"its texts come from {counted_of(self.documents, 'document')}, and {FEWEST_UNITS} are the least"
        reach = (self.high - self.low) / 2
        wanted = two_digits(ceil(self.texts * max((reach / self.margin) ** 2, 1.0)))
        return f"about {wanted:,} would" if wanted > self.texts else "a few more would"


def asking_verdict(found: AskingComparison, times: float | None) -> AskingVerdict:
    """Which way to ask. `times`: how many times as much one call each costs, None where that isn't known.

    Ratings come first, answers of experts where ratings can't tell.
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
    """Whether it matters where in the call a question stands."""
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


def wavering_words(own: EstimatedFigure | None, run: int | None) -> str:
    """What the judge does by itself, beside which every share of changed answers is to be read."""
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
    """What weakens the figures, and what they never say."""
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
        documents, apart = found.rated_documents, found.told_apart
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
