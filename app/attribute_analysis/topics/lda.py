"""LDA, InteractEval's topic model (section 5.3.1): word counts, fitted from many random starts instead of one.

The fits are matched topic by topic to the most typical one (the medoid), whose words and shares are shown; intervals
run over all fits. LDA on a few dozen sentences depends on its start so much that the paper's single picture may be
one of many: on the authors' own attributes two starts agree no better than chance, so agreement is always reported.

Batch variational Bayes, all seeds at once: algorithm, starting values and stopping rule are those of scikit-learn's
LatentDirichletAllocation with learning_method="batch" (Hoffman, Blei and Bach 2010), and a fit equals scikit-learn's
with the same random_state; a test holds it to that. Fitting the seeds together moves the loop over documents into
NumPy: twenty seeds of 250 attributes take a fraction of the time, which makes showing the spread over seeds affordable.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import psi

from app.attribute_analysis.pool import AttributePool
from app.attribute_analysis.topics.grouping import TopicGrouping, describe_topics, group_spreads, size_order, top_words
from app.attribute_analysis.topics.stability import (
    CanonicalTexts,
    align_topics,
    canonical_texts,
    find_consensus,
    measure_stability,
    size_warning,
)
from app.errors import InputError

Floats = NDArray[np.float64]

# Three times scikit-learn's default; on real sets the agreement between seeds is the same with 10 as with 100.
MAX_ITERATIONS = 30
MAX_DOCUMENT_UPDATES = 100
DOCUMENT_TOLERANCE = 1e-3
TINY = float(np.finfo(np.float64).eps)
# Elements of the largest work array (2.4 MB): blocks of documents are sized to stay in the processor's cache.
BLOCK_ELEMENTS = 300_000
MOST_SEEDS = 200


@dataclass(frozen=True, slots=True)
class LdaFits:
    """mixtures: (seeds, documents, topics), rows sum to 1. topic_words: (seeds, topics, words), rows sum to 1."""

    mixtures: Floats
    topic_words: Floats


@dataclass(frozen=True, slots=True)
class _Block:
    """Documents of similar length. words, counts: (documents, longest); padding has count 0."""

    documents: NDArray[np.intp]
    words: NDArray[np.intp]
    counts: Floats


def fit_lda(counts: sparse.csr_array, n_topics: int, seeds: Sequence[int], iterations: int = MAX_ITERATIONS) -> LdaFits:
    """Fit one model a seed. counts: (documents, words), each document with at least one word."""
    n_documents, n_words = counts.shape
    states = [np.random.RandomState(seed) for seed in seeds]
    prior = 1.0 / n_topics
    blocks = _blocks(counts, n_topics * len(seeds))
    topic_word = np.stack([state.gamma(100.0, 0.01, (n_topics, n_words)) for state in states])
    for _ in range(iterations):
        start = np.stack([state.gamma(100.0, 0.01, (n_documents, n_topics)) for state in states])
        phi = _exp_dirichlet(topic_word)
        _, expected = _expectation(blocks, phi, start, prior)
        topic_word = prior + expected * phi
    ones = np.ones((len(seeds), n_documents, n_topics))
    mixtures, _ = _expectation(blocks, _exp_dirichlet(topic_word), ones, prior)
    return LdaFits(mixtures / mixtures.sum(axis=2, keepdims=True), topic_word / topic_word.sum(axis=2, keepdims=True))


def _exp_dirichlet(parameters: Floats) -> Floats:
    """exp(E[log x]) for x ~ Dirichlet(parameters), over the last axis."""
    log_mean: Floats = psi(parameters) - psi(parameters.sum(axis=-1, keepdims=True))
    return np.exp(log_mean)


def _blocks(counts: sparse.csr_array, width: int) -> list[_Block]:
    """Documents sorted by length and cut so that length x width x documents stays below BLOCK_ELEMENTS."""
    lengths = np.diff(counts.indptr)
    order = np.argsort(lengths, kind="stable")
    blocks, start = [], 0
    while start < len(order):
        stop = start + 1
        while stop < len(order) and (stop + 1 - start) * lengths[order[stop]] * width <= BLOCK_ELEMENTS:
            stop += 1
        blocks.append(_block(counts, order[start:stop], lengths))
        start = stop
    return blocks


def _block(counts: sparse.csr_array, documents: NDArray[np.intp], lengths: NDArray[np.integer]) -> _Block:
    shape = len(documents), int(lengths[documents[-1]])
    words, weights = np.zeros(shape, dtype=np.intp), np.zeros(shape)
    for row, document in enumerate(documents):
        begin, end = counts.indptr[document], counts.indptr[document + 1]
        words[row, : end - begin] = counts.indices[begin:end]
        weights[row, : end - begin] = counts.data[begin:end]
    return _Block(documents, words, weights)


def _expectation(blocks: Sequence[_Block], phi: Floats, start: Floats, prior: float) -> tuple[Floats, Floats]:
    """Document parameters (seeds, documents, topics) and expected counts before the factor phi, as phi's shape."""
    n_seeds, n_topics, n_words = phi.shape
    gamma = np.empty_like(start)
    expected = np.zeros((n_seeds * n_words, n_topics))
    seed_offset = (np.arange(n_seeds) * n_words)[:, None, None]
    words_first = np.ascontiguousarray(phi.transpose(0, 2, 1)).reshape(n_seeds * n_words, n_topics)
    for block in blocks:
        index = (seed_offset + block.words).reshape(-1, block.words.shape[1])
        counts = np.tile(block.counts, (n_seeds, 1))
        local = words_first[index]
        found, theta = _update_documents(local, counts, start[:, block.documents].reshape(-1, n_topics), prior)
        gamma[:, block.documents] = found.reshape(n_seeds, -1, n_topics)
        share = counts / _likelihood(local, theta)
        for topic in range(n_topics):
            weights = (share * theta[:, topic, None]).ravel()
            expected[:, topic] += np.bincount(index.ravel(), weights, minlength=len(expected))
    return gamma, expected.reshape(n_seeds, n_words, n_topics).transpose(0, 2, 1)


def _likelihood(local: Floats, theta: Floats) -> Floats:
    """sum_k phi_kw theta_k for each word of each problem; never zero."""
    total: Floats = np.matmul(local, theta[:, :, None])[:, :, 0]
    return total + TINY


def _update_documents(local: Floats, counts: Floats, start: Floats, prior: float) -> tuple[Floats, Floats]:
    """Fixed point of each document's parameters; a problem stops once its mean change is below the tolerance.

    local: (problems, words, topics); counts: (problems, words); start: (problems, topics).
    """
    gamma, theta = start.copy(), _exp_dirichlet(start)
    moving = np.arange(len(start))
    for _ in range(MAX_DOCUMENT_UPDATES):
        old = theta[moving]
        share = counts / _likelihood(local, old)
        new = prior + old * np.matmul(share[:, None, :], local)[:, 0, :]
        changed = np.abs(new - gamma[moving]).mean(axis=1) >= DOCUMENT_TOLERANCE
        gamma[moving], theta[moving] = new, _exp_dirichlet(new)
        if not changed.all():
            moving, local, counts = moving[changed], local[changed], counts[changed]
        if not len(moving):
            break
    return gamma, theta


@dataclass(frozen=True, slots=True)
class _AlignedFits:
    """mixtures: (fits, texts, topics), topic_words: (fits, topics, words); topic k means the same in every fit."""

    mixtures: Floats
    topic_words: Floats
    reference: int

    def labels(self) -> NDArray[np.intp]:
        strongest: NDArray[np.intp] = self.mixtures.argmax(axis=2)
        return strongest


def find_lda_topics(pool: AttributePool, n_topics: int = 5, seeds: int = 20, first_seed: int = 0) -> TopicGrouping:
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
