"""What a topic model says about a pool of attributes, the same shape whichever model it was."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from app.attribute_analysis.topics.consensus import Consensus
from app.attribute_analysis.topics.stability import TopicStability
from app.attribute_analysis.topics.topic_shares import GroupSpread, Shares
from app.attribute_analysis.topics.topic_words import Topic


@dataclass(frozen=True, slots=True)
class TopicGrouping:
    """Topics with the spread of contributors and of conditions over them, and how repeatable all of it is.

    model: what was fitted, reproducibly. labels: id of each attribute's strongest topic in the pool's order, 0 where
    it has none. spreads: by contributor. conditions: by name of InteractEval's conditions. stability, consensus:
    between the fits that `varied` names. small: a sentence where the set is too small for topics, "" otherwise.
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
        """A plain sentence on how far to trust the grouping, "" where it is steady.

        A set too small for topics comes first: agreement on a handful of attributes says nothing.
        """
        if self.small:
            return self.small
        when = {
            "seeds": "from another random start",
            "resamples": "when a fifth of the attributes is left out",
        }[self.varied]
        if self.stability.grade == "unknown":
            return "How steady the topics are can't be told: there is too little to compare."
        if self.stability.grade == "chance":
            return (
                f"These topics come back {when} hardly more than by chance ({self.agreement}). "
                "Don't read the topics or their shares as findings."
            )
        if self.stability.grade == "partly":
            return f"These topics come back only in part {when} ({self.agreement}): one possible reading of several."
        return ""

    @property
    def agreement(self) -> str:
        """The agreement between fits in words, with what it has to be compared with."""
        stability = self.stability
        if stability.ari_median is None:
            return "agreement not measured"
        chance = (
            "0 is chance"
            if self.varied == "seeds"
            else f"the same words dealt at random reach {stability.baseline:.2f}"
        )
        return f"agreement over {stability.fits} {self.varied} {stability.ari_median:.2f}; {chance}, 1 is the same"

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
    """shares, spread and empty count each attribute by its strongest topic; `intervals` and `mixture` are beside.

    chance: the spread of as many attributes that fall on topics by chance.
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
