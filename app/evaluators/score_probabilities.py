"""How likely each score was: from the log-probabilities of the token that spells it (G-Eval, section 2.3)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from app.evaluators.score_reading import FoundScore
from app.providers.base import TokenLogprob


@dataclass(frozen=True, slots=True)
class ScoreProbabilities:
    """`of` maps each score of the scale that was among the alternatives to its share, which add up to 1.

    `outside` is the probability that fell on no score, 0 to 1, before the shares were taken.
    """

    of: dict[int, float]
    outside: float

    @property
    def expected(self) -> float:
        """Sum of p(s) * s."""
        return sum(score * p for score, p in self.of.items())


def probabilities_of_scores(
    tokens: Sequence[TokenLogprob], found: FoundScore, low: float, high: float
) -> ScoreProbabilities | None:
    """Read where the score begins in the reply that `tokens` spell; None where no alternative there is a score.

    Alternatives that spell the same score ("4", " 4") are added up. A score has to be one token, as whole numbers
    below 1,000 are to the usual tokenizers.
    """
    start = 0
    for token in tokens:
        end = start + len(token.token)
        if start <= found.start < end:
            return _shares({**token.top, token.token: token.logprob}, low, high)
        start = end
    return None


def _shares(alternatives: dict[str, float], low: float, high: float) -> ScoreProbabilities | None:
    masses: dict[int, float] = {}
    for alternative, logprob in alternatives.items():
        word = alternative.strip()
        if word.isascii() and word.isdecimal() and low <= int(word) <= high:
            masses[int(word)] = masses.get(int(word), 0.0) + math.exp(logprob)
    total = sum(masses.values())
    if total <= 0:
        return None
    shares = {score: mass / total for score, mass in sorted(masses.items())}
    return ScoreProbabilities(shares, max(0.0, 1.0 - total))
