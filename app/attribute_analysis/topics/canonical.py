"""Texts in an order of their own, so that the order in which attributes were entered never changes a fit."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.attribute_analysis.pool import AttributePool
from app.attribute_analysis.stop_words import left_out
from app.attribute_analysis.topics.stability import UNPLACED
from app.attribute_analysis.word_counts import WordCounts, count_words
from app.errors import InputError, NotReadyError

FEWEST_TOPICS, MOST_TOPICS = 2, 12
# Our choice: with fewer attributes a topic than this, shares rest on single sentences.
ATTRIBUTES_PER_TOPIC = 5


@dataclass(frozen=True, slots=True)
class CanonicalTexts:
    """words: counts of the texts with words, sorted by text; positions: where each of its rows is in the pool."""

    words: WordCounts
    positions: NDArray[np.intp]
    pool: AttributePool
    languages: str = ""  # a sentence where there are several

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about what was left out."""
        missing = len(self.pool) - len(self.positions)
        without = (
            f"Attributes without a word that counts, after leaving out words such as “the” and “check”: {missing} of "
            f"{len(self.pool)}. They have no topic and are left out of the shares."
        )
        return tuple(filter(None, (self.languages, without if missing else "")))

    def labels_in_pool(self, labels: NDArray[np.intp]) -> NDArray[np.intp]:
        """(fits, rows) as (fits, pool), UNPLACED where a text of the pool has no row."""
        full = np.full((len(labels), len(self.pool)), UNPLACED, dtype=np.intp)
        full[:, self.positions] = labels
        return full

    def mixtures_in_pool(self, mixtures: NDArray[np.float64]) -> NDArray[np.float64]:
        """(fits, rows, topics) as (fits, pool, topics), 0 where a text of the pool has no row."""
        full = np.zeros((len(mixtures), len(self.pool), mixtures.shape[2]))
        full[:, self.positions] = mixtures
        return full


def canonical_texts(pool: AttributePool, n_topics: int) -> CanonicalTexts:
    """Raises InputError for a number of topics out of range, NotReadyError where the set can't carry as many."""
    if not FEWEST_TOPICS <= n_topics <= MOST_TOPICS:
        raise InputError(
            f"{n_topics} topics can't be asked for.", f"Choose a number from {FEWEST_TOPICS} to {MOST_TOPICS}."
        )
    order = np.array(sorted(range(len(pool)), key=lambda i: (pool.texts[i], pool.owners[i])), dtype=np.intp)
    without = left_out(pool.texts, pool.names)
    counted = count_words([pool.texts[i] for i in order], without.words)
    kept = counted.with_words
    if not len(kept):
        raise NotReadyError(
            "None of the attributes has a word to group by, once words such as “the” and “check” are left out.",
            "Add attributes that say what to look for.",
        )
    words = counted.rows(kept)
    if words.different_texts < n_topics:
        raise NotReadyError(
            f"Attributes that differ in their words: {words.different_texts}; too few for {n_topics} topics.",
            "Ask for fewer topics or add attributes.",
        )
    return CanonicalTexts(words, order[kept], pool, without.note)


def size_warning(n: int, n_topics: int) -> str:
    """A sentence where the set is too small for topics to mean much, "" otherwise."""
    if n >= ATTRIBUTES_PER_TOPIC * n_topics:
        return ""
    return (
        f"The set is too small for topics: {n} attributes for {n_topics} topics, "
        f"fewer than {ATTRIBUTES_PER_TOPIC} each on average. Topics and shares mostly show single sentences here."
    )
