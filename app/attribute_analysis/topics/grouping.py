"""Contributors' shares in topics, and how they spread compared with chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from app.attribute_analysis.topics.stability import UNPLACED, Consensus, TopicStability
from app.attribute_analysis.topics.topic_descriptions import Topic

CHANCE_DRAWS = 20_000  # leaves an error of less than .001

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class ShareInterval:
    """The central 95 % over fits; both ends are observed values."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Shares:
    """A group's shares by topic (sum 1) in the reference fit, with intervals over all fits.

    spread: standard deviation of the shares over topics (divided by the number of topics). 0 = equal shares, balanced;
    sqrt(K - 1) / K = everything in one of K topics, which InteractEval calls myopic.
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
    """One contributor's or condition's spread; both shares are None if it has no attribute with a known topic.

    by_top_topic counts each attribute once, under its strongest topic; by_mixture divides it by its topic weights.
    empty: ids of topics without any of the group's attributes, in the reference fit. empty_share: for each topic the
    share of fits in which it is empty. chance: the mean spread of as many attributes that fall on topics at random; few
    attributes spread unevenly by chance, so a spread must be compared with it. chance_interval: the central 95 % of
    that.
    """

    n: int
    by_top_topic: Shares | None
    by_mixture: Shares | None
    empty: tuple[int, ...]
    empty_share: tuple[float, ...]
    chance: float | None = None
    chance_interval: ShareInterval | None = None


@lru_cache(maxsize=1024)
def _chance_spreads(n: int, n_topics: int) -> tuple[float, ShareInterval]:
    drawn = np.random.default_rng(0).multinomial(n, [1 / n_topics] * n_topics, size=CHANCE_DRAWS)
    spreads = (drawn / n).std(axis=1)
    return float(spreads.mean()), _interval(spreads)


def chance_spread(n: int, n_topics: int) -> float:
    """Return the simulated mean spread by top topic of n attributes that fall on the topics with equal probability."""
    return _chance_spreads(n, n_topics)[0]


def group_spreads(
    groups: Mapping[str, Sequence[int]], labels: Integers, mixtures: Floats, reference: int
) -> dict[str, GroupSpread]:
    """Return each group's spread. labels: (fits, texts), UNPLACED where a fit has none; mixtures: (fits, texts,
    topics), aligned topics.

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
        chance_interval=_chance_spreads(n, n_topics)[1],
    )


def _shares(values: Floats, reference: int) -> Shares:
    """Return the shares and their intervals. values: (fits, topics)."""
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


@dataclass(frozen=True, slots=True)
class TopicGrouping:
    """Topics with the spread of contributors and of conditions over them, and how repeatable they are.

    model: the fitted model, with what is needed to reproduce it. labels: id of each attribute's strongest topic in the
    pool's order, 0 without one. spreads: by contributor. conditions: by name of InteractEval's conditions. stability,
    consensus: between the fits that `varied` names. small: a sentence if the set is too small for topics, else "".
    """

    model: str
    varied: Literal["seeds", "resamples"]
    topics: tuple[Topic, ...]
    labels: tuple[int, ...]
    spreads: Mapping[str, GroupSpread]
    conditions: Mapping[str, GroupSpread]
    stability: TopicStability
    consensus: Consensus
    small: str = ""
    notes: tuple[str, ...] = ()

    @property
    def warning(self) -> str:
        """A sentence on how far to trust the grouping, "" if it is stable.

        A set too small for topics comes first: agreement on a handful of attributes means nothing.
        """
        if self.small:
            return self.small
        when = {"seeds": "from another random start", "resamples": "when a fifth of the attributes is left out"}[
            self.varied
        ]
        if self.stability.grade == "unknown":
            return "How stable the topics are can't be told: there is too little to compare."
        if self.stability.grade == "chance":
            return (
                f"These topics come back {when} hardly more than by chance: {self.agreement}. "
                "Don't read the topics or their shares as findings."
            )
        if self.stability.grade == "partly":
            return f"These topics come back only in part {when}: they are one possible reading of several."
        return ""

    @property
    def agreement(self) -> str:
        """The agreement between fits in words, with the baseline to compare it with."""
        stability = self.stability
        if stability.ari_median is None:
            return "agreement not measured"
        chance = "0 is chance" if self.varied == "seeds" else f"words dealt at random reach {stability.baseline:.2f}"
        return f"agreement of {stability.ari_median:.2f} over {stability.fits} {self.varied} (1 is the same, {chance})"

    def to_json(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "topics": [topic.to_json() for topic in self.topics],
            "labels": list(self.labels),
            **_spreads_as_json(self.spreads),
            "conditions": _spreads_as_json(self.conditions),
            "stability": {self.varied: self.stability.fits} | self.stability.to_json(),
            "consensus": self.consensus.to_json(),
            "warning": self.warning,
            "notes": list(self.notes),
        }


def _spreads_as_json(spreads: Mapping[str, GroupSpread]) -> dict[str, Any]:
    """Return fields by group: shares, spread and empty count each attribute by its strongest topic.

    `intervals` and `mixture` are added; chance: the spread of as many attributes that fall on topics at random.
    """
    top = {name: spread.by_top_topic for name, spread in spreads.items()}
    return {
        "shares": {name: list(shares.values) if shares else [] for name, shares in top.items()},
        "spread": {name: shares.spread if shares else None for name, shares in top.items()},
        "chance": {name: spread.chance for name, spread in spreads.items()},
        "empty": {name: list(spread.empty) for name, spread in spreads.items()},
        "n": {name: spread.n for name, spread in spreads.items()},
        "intervals": {name: _ends(shares) for name, shares in top.items() if shares},
        "mixture": {name: s.by_mixture.to_json() for name, s in spreads.items() if s.by_mixture},
        "empty_share": {name: list(spread.empty_share) for name, spread in spreads.items()},
    }


def _ends(shares: Shares) -> dict[str, Any]:
    return {key: value for key, value in shares.to_json().items() if key not in {"shares", "spread"}}
