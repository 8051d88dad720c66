"""InteractEval's topic model (section 5.3.1): LDA on word counts, fitted from many random starts instead of one.

The fits are matched topic by topic to the most typical one (the medoid), whose words and shares are shown; intervals
run over all fits. LDA on a few dozen sentences depends on its start so much that the paper's single picture may be
one of many: on the authors' own attributes two starts agree no better than chance, so agreement is always reported.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.attribute_analysis.pool import AttributePool
from app.attribute_analysis.topics.alignment import align_topics
from app.attribute_analysis.topics.canonical import CanonicalTexts, canonical_texts, size_warning
from app.attribute_analysis.topics.consensus import find_consensus
from app.attribute_analysis.topics.lda import MAX_ITERATIONS, fit_lda
from app.attribute_analysis.topics.stability import measure_stability
from app.attribute_analysis.topics.topic_grouping import TopicGrouping
from app.attribute_analysis.topics.topic_shares import group_spreads
from app.attribute_analysis.topics.topic_words import describe_topics, size_order, top_words
from app.errors import InputError

Floats = NDArray[np.float64]
MOST_SEEDS = 200


@dataclass(frozen=True, slots=True)
class _AlignedFits:
    """mixtures: (fits, texts, topics), topic_words: (fits, topics, words); topic k means the same in every fit."""

    mixtures: Floats
    topic_words: Floats
    reference: int

    def labels(self) -> NDArray[np.intp]:
        strongest: NDArray[np.intp] = self.mixtures.argmax(axis=2)
        return strongest


def find_topics(pool: AttributePool, n_topics: int = 5, seeds: int = 20, first_seed: int = 0) -> TopicGrouping:
    """Fit one LDA a seed (first_seed, first_seed + 1, ...) and align them. The order of attributes doesn't matter.

    Raises InputError for topics outside 2 to 12 or seeds outside 1 to 200, NotReadyError where the set is too small.
    """
    if not 1 <= seeds <= MOST_SEEDS:
        raise InputError(f"{seeds} random starts can't be asked for.", f"Choose a number from 1 to {MOST_SEEDS}.")
    texts = canonical_texts(pool, n_topics)
    fits = _fit_and_align(texts, n_topics, range(first_seed, first_seed + seeds))
    words = [[frozenset(top_words(topic, texts.words.vocabulary)) for topic in fit] for fit in fits.topic_words]
    labels = texts.labels_in_pool(fits.labels())
    mixtures = texts.mixtures_in_pool(fits.mixtures)
    at = fits.reference
    return TopicGrouping(
        model=f"LDA on word counts, {n_topics} topics, {MAX_ITERATIONS} iterations, "
        f"seeds {first_seed} to {first_seed + seeds - 1}, shown: seed {first_seed + at}",
        varied="seeds",
        topics=describe_topics(pool, labels[at], mixtures[at], fits.topic_words[at], texts.words.vocabulary),
        labels=tuple((labels[at] + 1).tolist()),
        spreads=group_spreads(pool.by_contributor(), labels, mixtures, at),
        conditions=group_spreads(pool.by_condition(), labels, mixtures, at),
        stability=measure_stability(list(fits.labels()), words),
        consensus=find_consensus(list(labels), n_topics),
        small=size_warning(len(texts.positions), n_topics),
        notes=texts.notes,
    )


def _fit_and_align(texts: CanonicalTexts, n_topics: int, seeds: range) -> _AlignedFits:
    fitted = fit_lda(texts.words.counts, n_topics, seeds)
    alignment = align_topics(fitted.topic_words)
    at = alignment.reference
    order = alignment.order[:, size_order(fitted.mixtures[at].argmax(axis=1), fitted.mixtures[at])]
    return _AlignedFits(
        mixtures=np.take_along_axis(fitted.mixtures, order[:, None, :], axis=2),
        topic_words=np.take_along_axis(fitted.topic_words, order[:, :, None], axis=1),
        reference=at,
    )
