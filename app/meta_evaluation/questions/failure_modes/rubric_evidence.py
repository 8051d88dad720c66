"""The data, limits and measures of the X-ray of a rubric, and its findings."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal, Self, get_args

import numpy as np

from app.meta_evaluation.agreement_verdict import decimals
from app.meta_evaluation.bootstrap import RESAMPLES
from app.meta_evaluation.judges.powered_estimates import Ends, by_document, resampled, share, wilson
from app.meta_evaluation.questions.item_analysis import MANY_UNANSWERED, RARE, share_of_yes
from app.meta_evaluation.questions.question_agreement import ENOUGH, OUTSIDE, majority, most_say, settled
from app.meta_evaluation.score_matrix import Bools, Column, Floats, Ints

WordingHint = tuple[str, str]
"""The code and the message of a check of wording."""


@dataclass(frozen=True, eq=False)  # no slots: what is derived is kept
class RubricEvidence:
    """The data that the X-ray reads. Answers are 1 yes, 0 no, NaN none.

    `judge` is (repeats, texts, questions); `judged` (texts,) marks the texts that the judge was asked about, to tell
    those left unanswered from those not asked. `people` is (experts, texts, questions), with no expert if nobody
    answered. `inapplicable` and `people_inapplicable`, shaped as `judge` and `people`, are as for `most_say`, None if
    every question always applies. `decided` (texts, questions) is as for `reference_of`, None if nothing was decided.
    `against` (questions,) marks the questions to which a yes is bad, None for none. `words` (texts,) counts each text's
    words, `ratings` (texts,) is the mean rating of the dimension, NaN without one. `documents` names each text's
    source: intervals resample whole sources. `weights` (texts,) compensate for unequal chances of being drawn for
    experts, 0 for an unknown chance; None if all were drawn alike. `hints`: the wording checks' messages, by question.
    `unserved` of the `attributes` are behind no question.
    """

    judge: Floats
    judged: Bools
    people: Floats
    words: Floats
    ratings: Floats
    documents: Column
    hints: tuple[tuple[WordingHint, ...], ...]
    unserved: int = 0
    attributes: int = 0
    weights: Floats | None = None
    inapplicable: Floats | None = None
    people_inapplicable: Floats | None = None
    decided: Floats | None = None
    against: Bools | None = None
    resamples: int = RESAMPLES
    seed: int = 0

    @property
    def questions(self) -> int:
        return int(self.judge.shape[2])

    @cached_property
    def answers(self) -> Floats:
        """(texts, questions): the majority over repeats, NaN where they are split evenly."""
        return _most(self.judge, self.inapplicable)

    @cached_property
    def experts_say(self) -> Floats:
        """(texts, questions): the decided answer, else the experts' majority; NaN where they are split evenly or
        silent, or the question doesn't apply."""
        most = _most(self.people, self.people_inapplicable)
        if self.decided is None:
            return most
        return np.where(self.decided == OUTSIDE, np.nan, settled(most, self.decided))

    @property
    def weight(self) -> Floats:
        """(texts,): how much experts' answers about each text count in shares."""
        return np.ones(self.words.size) if self.weights is None else self.weights

    def yes_is_bad(self, place: int) -> bool:
        return self.against is not None and bool(self.against[place])

    def rest_without(self, *places: int) -> Floats:
        """Return (texts,) the share of points from the other questions, NaN where none of them is answered."""
        points = self.answers if self.against is None else np.where(self.against, 1 - self.answers, self.answers)
        return share_of_yes(np.delete(points, places, axis=1))

    def ratings_for(self, place: int) -> Floats:
        """Return (texts,) the ratings, negated if a yes to the question is bad, so that both rise together."""
        return -self.ratings if self.yes_is_bad(place) else self.ratings


def _most(answers: Floats, inapplicable: Floats | None) -> Floats:
    places = range(answers.shape[2])
    if inapplicable is None:
        return np.stack([majority(answers[:, :, place]) for place in places], axis=1)
    return np.stack([most_say(answers[:, :, place], inapplicable[:, :, place]) for place in places], axis=1)


ENOUGH_TEXTS = 20
"""Texts below which nothing is measured: each moves a share by 5 points, and an interval's own ends are guesses."""
ENOUGH_FOR_PAIRS = 40
"""Texts needed to compare two questions: twelve questions are 66 pairs, and with 20 texts one of them is that alike by
chance in a few checklists of a hundred."""
RAREST = 5
"""Texts with the rarer of two answers below which no correlation is computed: it would rest on single texts, and its
bootstrap interval would be too narrow."""
ENOUGH_OF_A_KIND = 10
"""Texts on which experts agree on yes (or no) needed to measure the judge's sensitivity (or specificity)."""
FEWEST_OTHERS = 3
"""Other questions below which their sum measures nothing."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of a figure. Figures beyond it are findings: those above it if `over`, else those below."""

    at: float
    over: bool = True

    def beyond(self, value: float) -> bool:
        return value > self.at if self.over else value < self.at

    def passed(self, low: float, high: float) -> bool:
        """Return whether the whole interval lies beyond the limit."""
        return self.beyond(low if self.over else high)


DISAGREES = Limit(ENOUGH, over=False)
"""Alpha of the experts: substantial agreement starts there (Landis and Koch 1977)."""
DIFFERS = Limit(0.1)
"""Share of pairs of answers to the same question about the same text that differ: one in ten still passes as slips.
It also keeps a question to which nearly all say yes from looking ambiguous, where alpha is low by construction."""
UNANSWERED = Limit(MANY_UNANSWERED)
MISSES = Limit(0.7, over=False)
"""Sensitivity or specificity: a judge that misses three in ten of what experts agree on changes a checklist's score."""
NOTHING = Limit(0.1, over=False)
"""A correlation below .1 is less than a hundredth of shared variance (small, to Cohen 1988)."""
AGAINST = Limit(-0.1, over=False)
"""A correlation with ratings: a question unrelated to ratings rarely lies that far below 0."""
ALWAYS = Limit(1 - RARE)
NEVER = Limit(RARE, over=False)
FOLLOWS_LENGTH = Limit(0.1)
"""Difference by which the judge's answers correlate with length more than the experts' answers to the same question."""
FOLLOWS_LENGTH_BEYOND_RATINGS = Limit(0.2)
"""As FOLLOWS_LENGTH, compared with ratings of the whole dimension, which need not correlate with length as much as one
question."""
REPEATS = Limit(0.5)
"""Correlation of two questions after partialling out the others: a quarter of their variance is then common to these
two alone. Questions on one theme stay below; Yen's Q3 calls .2 dependent, which is not yet repeated."""


Mode = Literal[
    "misaligned or rigid",
    "subjective",
    "ungrounded",
    "hackable",
    "redundant",
    "low signal",
    "non-atomic",
    "missing criteria",
]

URGENCY: tuple[Mode, ...] = get_args(Mode)
"""Failure modes, the most urgent first: wrong answers, unreliable answers, answers to something else, answers that add
nothing. Findings from the wording alone come after measured ones."""


@dataclass(frozen=True, slots=True)
class FigureWithInterval:
    """A figure over `n` texts with its 95 % interval."""

    value: float
    low: float
    high: float
    n: int

    @property
    def as_share(self) -> str:
        return f"{_percent(self.value)} % (95 % interval {_percent(self.low)} to {_percent(self.high)} %)"

    @property
    def as_figure(self) -> str:
        return f"{decimals(self.value)} (95 % interval {decimals(self.low)} to {decimals(self.high)})"


@dataclass(frozen=True, slots=True)
class ModeFinding:
    """A failure mode found in a question. `question` counts from 0, None for the whole checklist; `other` is the
    question that it repeats.

    `value` is that of the `measure` over `n` texts, with its 95 % interval from `low` to `high`, if any, which lies
    beyond the `limit`. All are None for a finding from the wording alone (`by_wording`).
    """

    mode: Mode
    question: int | None
    badge: str
    evidence: str
    advice: str
    measure: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    limit: float | None = None
    other: int | None = None

    @classmethod
    def of(cls, mode: Mode, question: int, badge: str, found: FigureWithInterval, limit: Limit, **words: Any) -> Self:
        """Return the finding of a measured figure. `words`: its evidence, advice, measure, and the repeated
        question."""
        figures = asdict(found)
        return cls(mode, question, badge, limit=limit.at, **figures, **words)

    @property
    def by_wording(self) -> bool:
        return self.value is None

    @property
    def order(self) -> tuple[bool, bool, int, float]:
        """Sort key: the most urgent mode first; within a mode the figure farthest beyond its limit."""
        beyond = abs(self.value - self.limit) if self.value is not None and self.limit is not None else 0.0
        return self.question is None, self.by_wording, URGENCY.index(self.mode), -beyond

    def to_json(self) -> dict[str, Any]:
        """Return the fields; questions count from 1, as on screens."""
        places = {"question": self.question, "other": self.other}
        return asdict(self) | {name: None if place is None else place + 1 for name, place in places.items()}


def _percent(share: float) -> str:
    """Return the percentage without decimals; with one if it would read 0 or 100 but is neither."""
    said = f"{100 * share:.0f}"
    return f"{100 * share:.1f}" if said in ("0", "100") and 0 < share < 1 else said


Figure = Callable[[Floats], Floats]
"""A function from (B, K, K) correlations, NaN for a constant column, to (B,) figures."""


def of_correlations(
    found: RubricEvidence, columns: Floats, limit: Limit, fewest: int, figure: Figure
) -> FigureWithInterval | None:
    """Return a figure of the correlations among `columns` (K, texts), over the texts without a missing value.

    None unless its whole interval lies beyond the limit; also with fewer than `fewest` such texts, or if a column is
    (nearly) constant.
    """
    used = np.asarray(~np.isnan(columns).any(axis=0))
    n = int(used.sum())
    if n < fewest or any(_rarest(column) < RAREST for column in columns[:, used]):
        return None
    centred = columns[:, used] - columns[:, used].mean(axis=1, keepdims=True)
    products = _products(centred)
    value = float(figure(_correlations(products.sum(axis=1)[:, None], len(columns)))[0])
    if not limit.beyond(value):
        return None
    unit = units(found, used)
    drawn = figure(_correlations(resampled(products, unit, found.resamples, found.seed), len(columns)))
    ends = by_document(value, drawn, int(unit.max()) + 1)
    if ends is None or not limit.passed(*ends):
        return None
    return FigureWithInterval(value, *_within(ends, -1.0), n)


def of_shares(
    found: RubricEvidence, part: Floats, whole: Floats, limit: Limit, fewest: int
) -> FigureWithInterval | None:
    """Return the share of `part` in `whole`, both (texts,); None as of_correlations.

    The interval is the wider of Wilson's, which allows for rare answers not seen (20 of 20), and that of resampled
    documents, which allows for texts of one document being alike.
    """
    used = whole > 0
    n = int(used.sum())
    if n < fewest:
        return None
    value = float(part[used].sum() / whole[used].sum())
    if not limit.beyond(value):
        return None
    ends = wilson(value * n, n)
    if not limit.passed(*ends):
        return None
    unit = units(found, used)
    sums = resampled(np.stack([part[used], whole[used]]), unit, found.resamples, found.seed)
    drawn = by_document(value, share(sums[0], sums[1]), int(unit.max()) + 1)
    if drawn is None or not limit.passed(*drawn):
        return None
    low, high = _within((min(ends[0], drawn[0]), max(ends[1], drawn[1])), 0.0)
    return FigureWithInterval(value, low, high, n)


def differing_pairs(answers: Floats) -> tuple[Floats, Floats]:
    """Return (texts,) the share of pairs of answers (raters, texts) that differ, and 1 if there is a pair, else 0."""
    given = (~np.isnan(answers)).sum(axis=0).astype(np.float64)
    yes = np.nansum(answers, axis=0)
    pairs = given * (given - 1) / 2
    return np.where(pairs > 0, yes * (given - yes) / np.maximum(pairs, 1), 0.0), (pairs > 0).astype(np.float64)


def units(found: RubricEvidence, used: Bools) -> Ints:
    """Return (used texts,) a code from 0 for each text's document."""
    names = [str(name) for name, counts in zip(found.documents, used, strict=True) if counts]
    return np.asarray(np.unique(names, return_inverse=True)[1], dtype=np.int64)


def _products(centred: Floats) -> Floats:
    """Return the addends of the moments: 1, each column, each product of two."""
    first, second = np.triu_indices(len(centred))
    return np.concatenate([np.ones((1, centred.shape[1])), centred, centred[first] * centred[second]])


def _correlations(sums: Floats, columns: int) -> Floats:
    """Return (B, K, K) Pearson's r from (1 + K + K (K + 1) / 2, B) sums."""
    count, means = sums[0], sums[1 : 1 + columns] / sums[0]
    first, second = np.triu_indices(columns)
    covariance = np.empty((sums.shape[1], columns, columns))
    covariance[:, first, second] = (sums[1 + columns :] / count - means[first] * means[second]).T
    covariance[:, second, first] = covariance[:, first, second]
    spread = np.einsum("bkk->bk", covariance)
    told = spread > 1e-12
    root = np.sqrt(np.where(told, spread, np.nan))
    return np.asarray(covariance / (root[:, :, None] * root[:, None, :]))


def _rarest(column: Floats) -> int:
    """Return how many values differ from the most frequent one: of yes and no the count of the rarer."""
    return int(column.size - np.unique(column, return_counts=True)[1].max())


def _within(ends: Ends, least: float) -> Ends:
    return max(ends[0], least), min(ends[1], 1.0)
