"""Shares of a group's attributes over topics, and their spread (InteractEval, Fig. 10b)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.attribute_analysis.topics.stability import UNPLACED

CHANCE_DRAWS = 20_000  # leaves an error of less than .001

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class ShareInterval:
    """The middle 95 % over fits; both ends are observed values."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Shares:
    """Share of a group per topic (sums to 1) in the reference fit, with intervals over all fits.

    spread: standard deviation of the shares over topics (divided by the number of topics). 0 = the same share
    everywhere, balanced; sqrt(K - 1) / K = everything in one of K topics, what InteractEval calls myopic.
    """

    values: tuple[float, ...]
    intervals: tuple[ShareInterval, ...]
    spread: float
    spread_interval: ShareInterval

    def to_json(self) -> dict[str, Any]:
        return {
            "shares": list(self.values),
            "low": [interval.low for interval in self.intervals],
            "high": [interval.high for interval in self.intervals],
            "spread": self.spread,
            "spread_low": self.spread_interval.low,
            "spread_high": self.spread_interval.high,
        }


@dataclass(frozen=True, slots=True)
class GroupSpread:
    """One contributor's or condition's spread; both shares are None where it has no attribute with a known topic.

    by_top_topic counts each attribute once, under its strongest topic; by_mixture divides it by its topic weights.
    empty: ids of topics that are nobody's strongest, in the reference fit. empty_share: for each topic the share of
    fits in which it is empty. chance: the spread that so many attributes have on average when each falls on a topic by
    chance; few attributes spread unevenly by themselves, so a spread means something beside it alone.
    """

    n: int
    by_top_topic: Shares | None
    by_mixture: Shares | None
    empty: tuple[int, ...]
    empty_share: tuple[float, ...]
    chance: float | None = None


@lru_cache(maxsize=1024)
def chance_spread(n: int, n_topics: int) -> float:
    """The mean spread by top topic of n attributes that fall on the topics with equal probability, simulated."""
    drawn = np.random.default_rng(0).multinomial(n, [1 / n_topics] * n_topics, size=CHANCE_DRAWS)
    return float((drawn / n).std(axis=1).mean())


def group_spreads(
    groups: Mapping[str, Sequence[int]], labels: Integers, mixtures: Floats, reference: int
) -> dict[str, GroupSpread]:
    """labels: (fits, texts), UNPLACED where a fit has none; mixtures: (fits, texts, topics), aligned topics.

    Fits in which a group has no placed attribute don't count towards its intervals.
    """
    return {
        name: _group_spread(np.asarray(positions, dtype=np.intp), labels, mixtures, reference)
        for name, positions in groups.items()
    }


def _group_spread(positions: Integers, labels: Integers, mixtures: Floats, reference: int) -> GroupSpread:
    n_topics = mixtures.shape[2]
    mine, placed = labels[:, positions], labels[:, positions] != UNPLACED
    n = int(placed[reference].sum())
    if not n:
        return GroupSpread(0, None, None, (), ())
    counted = np.flatnonzero(placed.any(axis=1))
    at = int(np.searchsorted(counted, reference))
    sizes = placed[counted].sum(axis=1, keepdims=True)
    top = (mine[counted, :, None] == np.arange(n_topics)).sum(axis=1) / sizes
    mixed = (mixtures[counted][:, positions] * placed[counted][:, :, None]).sum(axis=1) / sizes
    return GroupSpread(
        n=n,
        by_top_topic=_shares(top, at),
        by_mixture=_shares(mixed, at),
        empty=tuple(int(topic) + 1 for topic in np.flatnonzero(top[at] == 0)),
        empty_share=tuple((top == 0).mean(axis=0).tolist()),
        chance=chance_spread(n, n_topics),
    )


def _shares(values: Floats, reference: int) -> Shares:
    """values: (fits, topics)."""
    spreads = values.std(axis=1)
    return Shares(
        values=tuple(values[reference].tolist()),
        intervals=tuple(_interval(column) for column in values.T),
        spread=float(spreads[reference]),
        spread_interval=_interval(spreads),
    )


def _interval(values: Floats) -> ShareInterval:
    low, high = np.quantile(values, [0.025, 0.975], method="inverted_cdf")
    return ShareInterval(float(low), float(high))
