"""What is beyond doubt enough for a badge: the limit that a whole 95 % interval has to lie beyond, and why there."""

from dataclasses import dataclass

from app.meta_evaluation.questions.item_analysis import MANY_UNANSWERED, RARE
from app.meta_evaluation.questions.question_agreement import ENOUGH

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
