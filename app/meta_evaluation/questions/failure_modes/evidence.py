"""What the X-ray of a rubric reads, measures and finds."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal, Self, get_args

import numpy as np

from app.meta_evaluation.agreement_verdict import decimals
from app.meta_evaluation.judges.figures import Ends, by_document, resampled, share, wilson
from app.meta_evaluation.questions.item_analysis import MANY_UNANSWERED, RARE, share_of_yes
from app.meta_evaluation.questions.question_agreement import ENOUGH, OUTSIDE, majority, most_say, settled
from app.meta_evaluation.score_matrix import RESAMPLES, Bools, Column, Floats, Ints

WordingHint = tuple[str, str]
"""The code of a check of wording, and what it said."""


@dataclass(frozen=True, eq=False)  # no slots: what is derived is kept
class RubricEvidence:
    """Answers are 1 yes, 0 no, NaN none.

    `judge` is (repeats, texts, questions); `judged` (texts,) marks the texts that the judge was asked about, so that
    what it left unanswered there is told from what it never saw. `people` is (experts, texts, questions), with no
    expert where nobody answered. `inapplicable` and `people_inapplicable`, shaped as `judge` and `people`, are as for
    `most_say`, None where every question always applies. `decided` (texts, questions) is as for `reference_of`, None
    where nothing was decided. `against` (questions,) marks those of which a yes is bad,
    None for none. `words` (texts,) counts each text's words, `ratings` (texts,)
    is the mean rating of the dimension, NaN where there is none.
    `documents` names each text's source: intervals draw whole sources. `weights` (texts,) make up for texts drawn for
    experts with unequal chances, 0 where nobody knows the chance; None where all were drawn alike. `hints`: by
    question, what the checks of wording said. `unserved` of the `attributes` stand behind no question.
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
        """(texts, questions): what most repeats say, NaN where they are split evenly."""
        return _most(self.judge, self.inapplicable)

    @cached_property
    def experts_say(self) -> Floats:
        """(texts, questions): what was decided, else what most experts say, NaN where they are split evenly or
        silent, or it doesn't apply."""
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
        """(texts,): the share of points from the other questions, NaN where none of them is answered."""
        points = self.answers if self.against is None else np.where(self.against, 1 - self.answers, self.answers)
        return share_of_yes(np.delete(points, places, axis=1))

    def ratings_for(self, place: int) -> Floats:
        """(texts,): the ratings, turned round where a yes to the question is bad, so that both rise together."""
        return -self.ratings if self.yes_is_bad(place) else self.ratings


def _most(answers: Floats, inapplicable: Floats | None) -> Floats:
    places = range(answers.shape[2])
    if inapplicable is None:
        return np.stack([majority(answers[:, :, place]) for place in places], axis=1)
    return np.stack([most_say(answers[:, :, place], inapplicable[:, :, place]) for place in places], axis=1)


ENOUGH_TEXTS = 20
"""Below which nothing is measured: a share moves by 5 points with each text, and an interval's own ends are guesses."""
ENOUGH_FOR_PAIRS = 40
"""Texts for two questions to be compared: twelve questions are 66 pairs, and with 20 texts one of them gets that far by
accident in a few checklists of a hundred."""
RAREST = 5
"""Texts with the rarer of two answers below which nothing is said of what an answer goes with: it would rest on single
texts, and resamples, which hold them or don't, make its interval too narrow."""
ENOUGH_OF_A_KIND = 10
"""Texts on which experts agree on yes (or on no) below which nothing is said of how the judge answers those."""
FEWEST_OTHERS = 3
"""Other questions without which their sum is no measure of anything."""


@dataclass(frozen=True, slots=True)
class Limit:
    """`over`: a finding lies above it; else below."""

    at: float
    over: bool = True

    def beyond(self, value: float) -> bool:
        return value > self.at if self.over else value < self.at

    def passed(self, low: float, high: float) -> bool:
        """Whether the whole interval lies beyond."""
        return self.beyond(low if self.over else high)


DISAGREES = Limit(ENOUGH, over=False)
"""Alpha of the experts, for which substantial agreement starts there (Landis and Koch 1977)."""
DIFFERS = Limit(0.1)
"""Share of pairs of answers to the same question about the same text that differ: one in ten still passes as slips.
It also keeps a question to which nearly all say yes from looking ambiguous, where alpha is low by construction."""
UNANSWERED = Limit(MANY_UNANSWERED)
MISSES = Limit(0.7, over=False)
"""Sensitivity or specificity: a judge that misses three in ten of what experts agree on changes a checklist's score."""
NOTHING = Limit(0.1, over=False)
"""A correlation below .1 shares less than a hundredth of the variance (small, to Cohen 1988)."""
AGAINST = Limit(-0.1, over=False)
"""A correlation with ratings is no accident of a question that has nothing to do with them."""
ALWAYS = Limit(1 - RARE)
NEVER = Limit(RARE, over=False)
FOLLOWS_LENGTH = Limit(0.1)
"""How much closer than the same question's answers by experts an answer may go with length."""
FOLLOWS_LENGTH_BEYOND_RATINGS = Limit(0.2)
"""The same beside ratings of the whole dimension, which need not go with length as this one question does."""
REPEATS = Limit(0.5)
"""Correlation of two questions once what they share with all others is taken out: a quarter of their variance is then
common to these two alone. Questions on one theme stay below; Yen's Q3 calls .2 dependent, which is not yet repeated."""


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
"""The most urgent first: answers that are wrong, then answers that nobody can rely on, then those that mean something
else, then those that add nothing. What rests on wording alone comes after everything that was measured."""


@dataclass(frozen=True, slots=True)
class Measured:
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
    """`question` counts from 0, None for the whole checklist; `other` is the question it repeats.

    `value` of the `measure`, with its 95 % interval from `low` to `high` where there is one, over `n` texts, and the
    `limit` that the interval lies beyond. All None where the wording alone was looked at (`by_wording`).
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
    def of(cls, mode: Mode, question: int, badge: str, found: Measured, limit: Limit, **words: Any) -> Self:
        """`words`: evidence, advice and measure, and which other question it repeats."""
        figures = asdict(found)
        return cls(mode, question, badge, limit=limit.at, **figures, **words)

    @property
    def by_wording(self) -> bool:
        return self.value is None

    @property
    def order(self) -> tuple[bool, bool, int, float]:
        """Sorts the most urgent first; of one mode the farthest beyond its limit."""
        beyond = abs(self.value - self.limit) if self.value is not None and self.limit is not None else 0.0
        return self.question is None, self.by_wording, URGENCY.index(self.mode), -beyond

    def to_json(self) -> dict[str, Any]:
        """Questions count from 1, as on screens."""
        places = {"question": self.question, "other": self.other}
        return asdict(self) | {name: None if place is None else place + 1 for name, place in places.items()}


def _percent(share: float) -> str:
    """Without decimals, unless that made 0 or 100 of what is neither."""
    said = f"{100 * share:.0f}"
    return f"{100 * share:.1f}" if said in ("0", "100") and 0 < share < 1 else said


Figure = Callable[[Floats], Floats]
"""From (B, K, K) correlations, NaN where a column is constant, to (B,) figures."""


def of_correlations(
    found: RubricEvidence, columns: Floats, limit: Limit, fewest: int, figure: Figure
) -> Measured | None:
    """A figure of the correlations among `columns` (K, texts), over the texts that have them all.

    None unless its whole interval lies beyond the limit; also where fewer than `fewest` texts have them, or one of
    them is always or nearly always the same.
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
    return Measured(value, *_within(ends, -1.0), n)


def of_shares(found: RubricEvidence, part: Floats, whole: Floats, limit: Limit, fewest: int) -> Measured | None:
    """The share that `part` is of `whole`, both (texts,); None as of_correlations.

    The interval is the wider of Wilson's and that of resampled documents: the one knows that 20 of 20 isn't all, the
    other that texts of one document are alike.
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
    return Measured(value, low, high, n)


def differing_pairs(answers: Floats) -> tuple[Floats, Floats]:
    """(texts,) of (raters, texts): the share of pairs of answers that differ, and 1 where there is a pair, else 0."""
    given = (~np.isnan(answers)).sum(axis=0).astype(np.float64)
    yes = np.nansum(answers, axis=0)
    pairs = given * (given - 1) / 2
    return np.where(pairs > 0, yes * (given - yes) / np.maximum(pairs, 1), 0.0), (pairs > 0).astype(np.float64)


def units(found: RubricEvidence, used: Bools) -> Ints:
    """(used texts,) the document of each, counted from 0."""
    names = [str(name) for name, counts in zip(found.documents, used, strict=True) if counts]
    return np.asarray(np.unique(names, return_inverse=True)[1], dtype=np.int64)


def _products(centred: Floats) -> Floats:
    """What the moments are sums of: 1, each column, each product of two."""
    first, second = np.triu_indices(len(centred))
    return np.concatenate([np.ones((1, centred.shape[1])), centred, centred[first] * centred[second]])


def _correlations(sums: Floats, columns: int) -> Floats:
    """(B, K, K) Pearson's r from (1 + K + K (K + 1) / 2, B) sums."""
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
    """How many values differ from the most frequent one: of yes and no the count of the rarer."""
    return int(column.size - np.unique(column, return_counts=True)[1].max())


def _within(ends: Ends, least: float) -> Ends:
    return max(ends[0], least), min(ends[1], 1.0)
