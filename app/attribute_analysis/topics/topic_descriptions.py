"""What a topic is about: its top words and its most typical attributes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.attribute_analysis.pool import AttributePool
from app.attribute_analysis.topics.stability import UNPLACED

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

TOP_WORDS = 10
REPRESENTATIVES = 3


@dataclass(frozen=True, slots=True)
class Representative:
    """An attribute with its weight under the topic, from 0 to 1."""

    contributor: str
    text: str
    weight: float


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic. `id` counts from 1, by size; `size` is the number of attributes whose strongest topic this is.

    `by_kind`: how many of them come from people and from LLMs, if their kinds are known.
    """

    id: int
    words: tuple[str, ...]
    size: int
    representatives: tuple[Representative, ...]
    by_kind: dict[str, int]

    @property
    def only_kind(self) -> str:
        """ "human" or "llm" if only one kind has attributes in this topic; "" otherwise or if kinds aren't known."""
        present = [kind for kind, count in self.by_kind.items() if count]
        return present[0] if len(self.by_kind) > 1 and len(present) == 1 else ""

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "words": list(self.words),
            "size": self.size,
            "by_kind": self.by_kind,
            "only_kind": self.only_kind,
            "representatives": [
                {"contributor": r.contributor, "text": r.text, "weight": r.weight} for r in self.representatives
            ],
        }


def top_words(weights: Floats, vocabulary: Sequence[str], n: int = TOP_WORDS) -> tuple[str, ...]:
    """Return the words of one topic by descending weight, ties in alphabetical order; words of weight 0 left out."""
    order = np.argsort(-np.round(weights, 12), kind="stable")[:n]
    return tuple(vocabulary[i] for i in order if weights[i] > 0)


def size_order(labels: Integers, mixtures: Floats) -> Integers:
    """Return topics by the number of attributes, then by weight. labels: (texts,); mixtures: (texts, topics)."""
    n_topics = mixtures.shape[1]
    sizes = np.bincount(labels[labels != UNPLACED], minlength=n_topics)
    return np.lexsort((-np.round(mixtures.sum(axis=0), 9), -sizes))


def describe_topics(
    pool: AttributePool, labels: Integers, mixtures: Floats, weights: Floats, vocabulary: Sequence[str]
) -> tuple[Topic, ...]:
    """Return the topics. labels: (texts,), mixtures: (texts, topics), both in the pool's order; weights: (topics,
    words)."""
    kinds = pool.by_kind()
    return tuple(
        Topic(
            id=topic + 1,
            words=top_words(weights[topic], vocabulary),
            size=int((labels == topic).sum()),
            representatives=_representatives(pool, np.flatnonzero(labels == topic), mixtures[:, topic]),
            by_kind={kind: int((labels[list(at)] == topic).sum()) for kind, at in kinds.items()},
        )
        for topic in range(len(weights))
    )


def _representatives(pool: AttributePool, members: Integers, weight: Floats) -> tuple[Representative, ...]:
    """Return the members of greatest weight, each wording once, ties by text."""
    ranked = sorted(members.tolist(), key=lambda i: (-round(float(weight[i]), 9), pool.texts[i], pool.owners[i]))
    chosen: dict[str, Representative] = {}
    for i in ranked:
        chosen.setdefault(pool.texts[i], Representative(pool.owners[i], pool.texts[i], float(weight[i])))
    return tuple(chosen.values())[:REPRESENTATIVES]
