"""How repeatable a grouping is: agreement between fits, and a plain sentence about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

Integers = NDArray[np.intp]
Grade = Literal["chance", "partly", "steady", "unknown"]

# Our choice: below .2 two groupings share hardly more than shuffled labels would.
CHANCE_BELOW = 0.2
# Steinley (2004) calls an adjusted Rand index below .65 poor recovery.
STEADY_FROM = 0.65

UNPLACED = -1


@dataclass(frozen=True, slots=True)
class TopicStability:
    """Pairwise adjusted Rand index (1 = the same groups, 0 = chance) of top topics between fits.

    ari_low: the 2.5th percentile over pairs, an observed value. word_overlap: mean Jaccard of the ten top words of
    matched topics over pairs of fits. All None with fewer than two fits.
    baseline: the agreement reached where there is nothing to find. Fits of the same texts from random starts have
    none but 0; resamples share most of their texts, so even randomly dealt words agree well above 0.
    """

    fits: int
    ari_median: float | None
    ari_low: float | None
    word_overlap: float | None
    baseline: float = 0.0

    @property
    def above_baseline(self) -> float | None:
        """(median - baseline) / (1 - baseline): 0 = no better than nothing to find, 1 = always the same groups.

        None without agreement, or where the baseline is 1 itself: then agreement shows nothing.
        """
        if self.ari_median is None or self.baseline >= 1:
            return None
        return (self.ari_median - self.baseline) / (1 - self.baseline)

    @property
    def grade(self) -> Grade:
        if self.above_baseline is None:
            return "unknown"
        if self.above_baseline < CHANCE_BELOW:
            return "chance"
        return "steady" if self.above_baseline >= STEADY_FROM else "partly"

    def to_json(self) -> dict[str, Any]:
        return {
            "ari_median": self.ari_median,
            "ari_low": self.ari_low,
            "word_overlap": self.word_overlap,
            "baseline": self.baseline,
            "above_baseline": self.above_baseline,
            "grade": self.grade,
        }


def measure_stability(labels: Sequence[Integers], top_words: Sequence[Sequence[frozenset[str]]]) -> TopicStability:
    """labels: one array a fit over the same texts, UNPLACED where a fit left a text out.

    top_words: for each fit the top words of each topic, topics already aligned.
    """
    agreement = [agreement_of(a, b) for a, b in combinations(labels, 2)]
    overlap = [_overlap(x, y) for a, b in combinations(top_words, 2) for x, y in zip(a, b, strict=True)]
    if not agreement:
        return TopicStability(len(labels), None, None, None)
    return TopicStability(
        fits=len(labels),
        ari_median=float(np.median(agreement)),
        ari_low=float(np.quantile(agreement, 0.025, method="inverted_cdf")),
        word_overlap=float(np.mean(overlap)) if overlap else None,
    )


def agreement_of(first: Integers, second: Integers) -> float:
    """Adjusted Rand index on the texts that both placed."""
    both = (first != UNPLACED) & (second != UNPLACED)
    return float(adjusted_rand_score(first[both], second[both]))


def _overlap(first: frozenset[str], second: frozenset[str]) -> float:
    union = first | second
    return len(first & second) / len(union) if union else 1.0
