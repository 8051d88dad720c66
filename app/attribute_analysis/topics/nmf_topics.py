"""NMF, the steadier topic model: on TF-IDF of words that occur in two attributes or more.

Chosen by agreement between fits on the InteractEval authors' attributes (docs/adr/0016-two-topic-models.md). It has no
random start (NNDSVD, Boutsidis and Gallopoulos 2008), so its fits differ by resampling the attributes. What resampling
reaches where there is nothing to find is measured anew for each set, with words dealt at random, and the grade counts
only what lies above it.
"""

import warnings
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning

from app.attribute_analysis.pool import AttributePool
from app.attribute_analysis.tokens import WordCounts
from app.attribute_analysis.topics.grouping import TopicGrouping, describe_topics, group_spreads, size_order, top_words
from app.attribute_analysis.topics.stability import (
    UNPLACED,
    CanonicalTexts,
    TopicStability,
    best_match,
    canonical_texts,
    find_consensus,
    measure_stability,
    size_warning,
)
from app.errors import InputError, NotReadyError

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

DRAWN_SHARE = 0.8
MAX_ITERATIONS = 200
RESAMPLES, MOST_RESAMPLES = 20, 200
SMALL_TABLE = 50_000
"""Cells of texts times words up to which a dense table is fitted faster than a sparse one."""
# Many shuffles of few fits: shuffles differ more than fits of one do (on real sets the mean varies by .02 to .03).
SHUFFLES = 15
RESAMPLES_PER_SHUFFLE = 4


@dataclass(frozen=True, slots=True)
class NmfFit:
    """labels: (texts,), UNPLACED where no topic has a word of the text; mixtures: (texts, topics), rows sum to 1 or 0.

    topic_words: (topics, words), non-negative weights of the words in `vocabulary`.
    """

    labels: Integers
    mixtures: Floats
    topic_words: Floats
    vocabulary: tuple[str, ...]


class _Transposable(sparse.csr_array):
    """Its transpose is made once: the fit asks for it in every iteration, which took as long as the rest."""

    @cached_property
    def T(self) -> sparse.csc_array:  # noqa: N802 - the name that NumPy gave it
        return self.transpose()


def _quickest(counts: sparse.csr_array) -> _Transposable | Floats:
    """Small tables in full: looking up where the zeros are takes longer than multiplying by them."""
    return counts.toarray() if counts.shape[0] * counts.shape[1] <= SMALL_TABLE else _Transposable(counts)


def fit_nmf(words: WordCounts, n_topics: int) -> NmfFit | None:
    """NMF on TF-IDF of words in two texts or more; None where texts or words are fewer than topics.

    Where too few words recur, all words are used.
    """
    shared = words.in_several_texts()
    used = shared if len(shared.vocabulary) >= n_topics else words
    if min(used.counts.shape) < n_topics:
        return None
    model = NMF(n_topics, init="nndsvd", random_state=0, max_iter=MAX_ITERATIONS)
    # An exact fit leaves an error of about -1e-16, whose root scikit-learn takes for a figure not used here.
    with warnings.catch_warnings(), np.errstate(invalid="ignore"):
        # Stopping at the limit changes weights in the third digit at most; agreement is measured on the result.
        warnings.simplefilter("ignore", ConvergenceWarning)
        weights = model.fit_transform(_quickest(used.tf_idf()))
    weights = weights * np.linalg.norm(model.components_, axis=1)
    totals = weights.sum(axis=1, keepdims=True)
    labels = np.where(totals[:, 0] > 0, weights.argmax(axis=1), UNPLACED)
    return NmfFit(labels, weights / np.where(totals > 0, totals, 1.0), model.components_, used.vocabulary)


def find_nmf_topics(pool: AttributePool, n_topics: int = 5, resamples: int = RESAMPLES, seed: int = 0) -> TopicGrouping:
    """Topics of all attributes; stability and intervals over resamples of 80 % drawn without repetition.

    Raises InputError for topics outside 2 to 12 or resamples outside 2 to 200, NotReadyError for too small a set.
    """
    if not 2 <= resamples <= MOST_RESAMPLES:
        raise InputError(f"{resamples} resamples can't be asked for.", f"Choose from 2 to {MOST_RESAMPLES}.")
    texts = canonical_texts(pool, n_topics)
    whole = fit_nmf(texts.words, n_topics)
    if whole is None:
        raise NotReadyError(
            f"The attributes have too few different words for {n_topics} topics.",
            "Ask for fewer topics or add attributes.",
        )
    whole = _reordered(whole, size_order(whole.labels, whole.mixtures))
    rng = np.random.default_rng(seed)
    drawn = [_matched(fit, whole) for fit in _resampled(texts.words, n_topics, resamples, rng)]
    fits = [whole, *drawn]
    labels = texts.labels_in_pool(np.stack([f.labels for f in fits]))
    mixtures = texts.mixtures_in_pool(np.stack([f.mixtures for f in fits]))
    return TopicGrouping(
        model=f"NMF on TF-IDF, {n_topics} topics, {len(drawn)} resamples of {DRAWN_SHARE:.0%}, seed {seed}",
        varied="resamples",
        topics=describe_topics(pool, labels[0], mixtures[0], whole.topic_words, whole.vocabulary),
        labels=tuple((labels[0] + 1).tolist()),
        spreads=group_spreads(pool.by_contributor(), labels, mixtures, 0),
        conditions=group_spreads(pool.by_condition(), labels, mixtures, 0),
        stability=_stability(drawn, _baseline(texts.words, n_topics, rng)),
        consensus=find_consensus(list(labels[1:]) or list(labels), n_topics),
        small=size_warning(len(texts.positions), n_topics),
        notes=_notes(texts, whole, n_topics, resamples - len(drawn)),
    )


def _reordered(fit: NmfFit, order: Integers) -> NmfFit:
    rank = np.argsort(order)
    labels = np.where(fit.labels == UNPLACED, UNPLACED, rank[fit.labels])
    return NmfFit(labels, fit.mixtures[:, order], fit.topic_words[order], fit.vocabulary)


def _resampled(words: WordCounts, n_topics: int, resamples: int, rng: np.random.Generator) -> list[NmfFit]:
    """Fits of drawn texts with one row for each text of `words`, UNPLACED where it wasn't drawn.

    A draw that can't carry the topics is left out; the caller counts those.
    """
    n = words.counts.shape[0]
    size = max(round(DRAWN_SHARE * n), min(n, n_topics))
    fits = []
    for _ in range(resamples):
        drawn = np.sort(rng.choice(n, size, replace=False))
        fit = fit_nmf(words.rows(drawn), n_topics)
        if fit is None:
            continue
        labels, mixtures = np.full(n, UNPLACED, dtype=np.intp), np.zeros((n, n_topics))
        labels[drawn], mixtures[drawn] = fit.labels, fit.mixtures
        fits.append(NmfFit(labels, mixtures, fit.topic_words, fit.vocabulary))
    return fits


def _matched(fit: NmfFit, whole: NmfFit) -> NmfFit:
    """Topics in the order of the whole set's, matched by the attributes they share."""
    return _reordered(fit, best_match(whole.mixtures.T @ fit.mixtures))


def _stability(fits: list[NmfFit], baseline: float) -> TopicStability:
    words = [[frozenset(top_words(topic, fit.vocabulary)) for topic in fit.topic_words] for fit in fits]
    return replace(measure_stability([fit.labels for fit in fits], words), baseline=baseline)


def _baseline(words: WordCounts, n_topics: int, rng: np.random.Generator) -> float:
    """Agreement between resamples of the same words dealt at random, mean over shuffles; 0 where none can be fitted."""
    medians = []
    for _ in range(SHUFFLES):
        fits = _resampled(words.shuffled(rng), n_topics, RESAMPLES_PER_SHUFFLE, rng)
        median = measure_stability([fit.labels for fit in fits], [()] * len(fits)).ari_median
        if median is not None:
            medians.append(median)
    return float(np.mean(medians)) if medians else 0.0


def _notes(texts: CanonicalTexts, whole: NmfFit, n_topics: int, failed: int) -> tuple[str, ...]:
    notes = list(texts.notes)
    unplaced = int((whole.labels == UNPLACED).sum())
    if unplaced:
        notes.append(
            f"Attributes that share no word with another one: {unplaced}. They fit no topic and are left out of the "
            "shares."
        )
    if failed:
        notes.append(f"Resamples that were too small for {n_topics} topics: {failed}; they are left out.")
    return tuple(notes)
