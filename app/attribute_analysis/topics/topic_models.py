"""Topic models, NMF and LDA, each fitted many times, and the analysis that compares them.

The fits are matched topic by topic to the most typical one (the medoid), whose words and shares are shown; intervals
run over all fits. LDA on a few dozen sentences depends on its start so much that the paper's single picture may be
one of many: on the authors' own attributes two starts agree no better than chance, so agreement is always reported.

Batch variational Bayes, all seeds at once: algorithm, starting values and stopping rule are those of scikit-learn's
LatentDirichletAllocation with learning_method="batch" (Hoffman, Blei and Bach 2010), and a fit equals scikit-learn's
with the same random_state; a test holds it to that. Fitting the seeds together moves the loop over documents into
NumPy: twenty seeds of 250 attributes take a fraction of the time, which makes showing the spread over seeds affordable.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import psi
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning

from app.attribute_analysis.pool import AttributePool
from app.attribute_analysis.tokens import WordCounts
from app.attribute_analysis.topics.grouping import TopicGrouping, group_spreads
from app.attribute_analysis.topics.stability import (
    UNPLACED,
    CanonicalTexts,
    TopicStability,
    align_topics,
    best_match,
    canonical_texts,
    find_consensus,
    measure_stability,
)
from app.attribute_analysis.topics.topic_descriptions import describe_topics, size_order, top_words
from app.attribute_analysis.topics.topic_options import (
    DEFAULT_SEEDS,
    DEFAULT_TOPICS,
    FEWEST_TOPICS,
    MOST_TOPICS,
    check_seeds,
    size_warning,
)
from app.errors import InputError, NotReadyError

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

DRAWN_SHARE = 0.8
NMF_ITERATIONS = 200
RESAMPLES, MOST_RESAMPLES = 20, 200
SMALL_TABLE = 50_000
"""Cells of texts times words up to which a dense table is fitted faster than a sparse one."""
# Many shuffles of few fits: shuffles differ more than fits of one do (on real sets the mean varies by .02 to .03).
SHUFFLES = 15
RESAMPLES_PER_SHUFFLE = 4


@dataclass(frozen=True, slots=True)
class NmfFit:
    """A fitted NMF. labels: (texts,), UNPLACED if no topic has a word of the text; mixtures: (texts, topics), rows sum
    to 1 or 0.

    topic_words: (topics, words), non-negative weights of the words in `vocabulary`.
    """

    labels: Integers
    mixtures: Floats
    topic_words: Floats
    vocabulary: tuple[str, ...]


class _Transposable(sparse.csr_array):
    """A sparse array that caches its transpose: each iteration needs it, and making it took as long as the rest."""

    @cached_property
    def T(self) -> sparse.csc_array:  # noqa: N802 - the name that NumPy gave it
        return self.transpose()


def _quickest(counts: sparse.csr_array) -> _Transposable | Floats:
    """Return small tables as dense arrays: finding the zeros takes longer than multiplying by them."""
    return counts.toarray() if counts.shape[0] * counts.shape[1] <= SMALL_TABLE else _Transposable(counts)


def fit_nmf(words: WordCounts, n_topics: int) -> NmfFit | None:
    """Fit NMF on TF-IDF of words in two texts or more; None if there are fewer texts or words than topics.

    If too few words are in two texts, all words are used.
    """
    shared = words.in_several_texts()
    used = shared if len(shared.vocabulary) >= n_topics else words
    if min(used.counts.shape) < n_topics:
        return None
    model = NMF(n_topics, init="nndsvd", random_state=0, max_iter=NMF_ITERATIONS)
    # An exact fit leaves an error of about -1e-16, whose root scikit-learn takes for a figure not used here.
    with warnings.catch_warnings(), np.errstate(invalid="ignore"):
        # Stopping at the limit changes weights in the third digit at most; agreement is measured on the result.
        warnings.simplefilter("ignore", ConvergenceWarning)
        weights = model.fit_transform(_quickest(used.tf_idf()))
    weights = weights * np.linalg.norm(model.components_, axis=1)
    totals = weights.sum(axis=1, keepdims=True)
    labels = np.where(totals[:, 0] > 0, weights.argmax(axis=1), UNPLACED)
    return NmfFit(labels, weights / np.where(totals > 0, totals, 1.0), model.components_, used.vocabulary)


def find_nmf_topics(
    pool: AttributePool, n_topics: int = DEFAULT_TOPICS, resamples: int = RESAMPLES, seed: int = 0
) -> TopicGrouping:
    """Find topics of all attributes; stability and intervals are over resamples of 80 % drawn without repetition.

    Raises InputError for topics or resamples out of range, NotReadyError for too small a set.
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
    failed = resamples - len(drawn)
    notes = list(texts.notes)
    unplaced = int((whole.labels == UNPLACED).sum())
    if unplaced:
        notes.append(
            f"Attributes that share no word with another one: {unplaced}. They fit no topic and are left out of the "
            "shares."
        )
    if failed:
        notes.append(f"Resamples that were too small for {n_topics} topics: {failed}; they are left out.")
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
        notes=tuple(notes),
    )


def _reordered(fit: NmfFit, order: Integers) -> NmfFit:
    rank = np.argsort(order)
    labels = np.where(fit.labels == UNPLACED, UNPLACED, rank[fit.labels])
    return NmfFit(labels, fit.mixtures[:, order], fit.topic_words[order], fit.vocabulary)


def _resampled(words: WordCounts, n_topics: int, resamples: int, rng: np.random.Generator) -> list[NmfFit]:
    """Return fits of drawn texts with one row for each text of `words`, UNPLACED for texts not drawn.

    A draw too small for the topics is left out; the caller counts those.
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
    """Return the fit with its topics in the order of the whole set's, matched by the attributes they share."""
    return _reordered(fit, best_match(whole.mixtures.T @ fit.mixtures))


def _stability(fits: list[NmfFit], baseline: float) -> TopicStability:
    words = [[frozenset(top_words(topic, fit.vocabulary)) for topic in fit.topic_words] for fit in fits]
    return replace(measure_stability([fit.labels for fit in fits], words), baseline=baseline)


def _baseline(words: WordCounts, n_topics: int, rng: np.random.Generator) -> float:
    """Return the mean agreement between resamples of texts with words dealt at random; 0 if none can be fitted."""
    medians = []
    for _ in range(SHUFFLES):
        fits = _resampled(words.shuffled(rng), n_topics, RESAMPLES_PER_SHUFFLE, rng)
        median = measure_stability([fit.labels for fit in fits], [()] * len(fits)).ari_median
        if median is not None:
            medians.append(median)
    return float(np.mean(medians)) if medians else 0.0


# Three times scikit-learn's default; on real sets the agreement between seeds is the same with 10 as with 100.
MAX_ITERATIONS = 30
MAX_DOCUMENT_UPDATES = 100
DOCUMENT_TOLERANCE = 1e-3
TINY = float(np.finfo(np.float64).eps)
# Elements of the largest work array (2.4 MB): blocks of documents are sized to stay in the processor's cache.
BLOCK_ELEMENTS = 300_000


@dataclass(frozen=True, slots=True)
class LdaFits:
    """Fitted LDA models: mixtures (seeds, documents, topics) and topic_words (seeds, topics, words), rows sum to 1."""

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
    """Return documents sorted by length and cut so that length x width x documents stays below BLOCK_ELEMENTS."""
    lengths = np.diff(counts.indptr)
    order = np.argsort(lengths, kind="stable")
    blocks, start = [], 0
    while start < len(order):
        stop = start + 1
        while stop < len(order) and (stop + 1 - start) * lengths[order[stop]] * width <= BLOCK_ELEMENTS:
            stop += 1
        documents = order[start:stop]
        shape = len(documents), int(lengths[documents[-1]])
        words, weights = np.zeros(shape, dtype=np.intp), np.zeros(shape)
        for row, document in enumerate(documents):
            begin, end = counts.indptr[document], counts.indptr[document + 1]
            words[row, : end - begin] = counts.indices[begin:end]
            weights[row, : end - begin] = counts.data[begin:end]
        blocks.append(_Block(documents, words, weights))
        start = stop
    return blocks


def _expectation(blocks: Sequence[_Block], phi: Floats, start: Floats, prior: float) -> tuple[Floats, Floats]:
    """Return document parameters (seeds, documents, topics) and expected counts before the factor phi, shaped as
    phi."""
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
    """Return sum_k phi_kw theta_k for each word of each problem; never zero."""
    total: Floats = np.matmul(local, theta[:, :, None])[:, :, 0]
    return total + TINY


def _update_documents(local: Floats, counts: Floats, start: Floats, prior: float) -> tuple[Floats, Floats]:
    """Return the fixed point of each document's parameters; a problem stops once its mean change is below the
    tolerance.

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
    """Fits with aligned topics. mixtures: (fits, texts, topics), topic_words: (fits, topics, words)."""

    mixtures: Floats
    topic_words: Floats
    reference: int

    def labels(self) -> NDArray[np.intp]:
        strongest: NDArray[np.intp] = self.mixtures.argmax(axis=2)
        return strongest


def find_lda_topics(
    pool: AttributePool, n_topics: int = DEFAULT_TOPICS, seeds: int = DEFAULT_SEEDS, first_seed: int = 0
) -> TopicGrouping:
    """Fit one LDA a seed (first_seed, first_seed + 1, ...) and align them. The order of attributes doesn't matter.

    Raises InputError for topics or seeds out of range, NotReadyError where the set is too small.
    """
    check_seeds(seeds)
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


Model = Literal["lda", "steady"]


@dataclass(frozen=True, slots=True)
class TopicAnalysis:
    """Both topic models. lda: InteractEval's model. nmf: the more stable one."""

    lda: TopicGrouping
    nmf: TopicGrouping

    @property
    def lead(self) -> Model:
        """LDA if its stability is above chance and above the other model's, else the other model."""
        lda, nmf = self.lda.stability, self.nmf.stability
        if lda.grade in {"unknown", "chance"} or lda.above_baseline is None:
            return "steady"
        return "steady" if (nmf.above_baseline or 0.0) >= lda.above_baseline else "lda"

    @property
    def leading(self) -> TopicGrouping:
        """The grouping that every screen and the command show."""
        return self.lda if self.lead == "lda" else self.nmf

    @property
    def verdict(self) -> str:
        """One or two sentences on what in these topics is reliable."""
        if self.nmf.small:
            return self.nmf.small
        best = self.leading
        name = "LDA, the paper's model" if self.lead == "lda" else "NMF, the steadier model"
        return {
            "unknown": "Nothing is known about how stable the topics are: there is too little to compare.",
            "chance": "No model finds stable topics in these attributes. "
            f"NMF: {self.nmf.agreement}. LDA: {self.lda.agreement}.",
            "partly": f"Only part of the grouping can be relied on. {name}, repeats best: {best.agreement}.",
            "steady": f"The topics of {name}, are stable: {best.agreement}.",
        }[best.stability.grade]

    def to_json(self) -> dict[str, Any]:
        """Return the fields of LDA, as the command line promises, with the more stable model under `steady`."""
        return self.lda.to_json() | {"steady": self.nmf.to_json(), "lead": self.lead, "verdict": self.verdict}


def analyse_topics(pool: AttributePool, n_topics: int = DEFAULT_TOPICS, seeds: int = DEFAULT_SEEDS) -> TopicAnalysis:
    """Fit LDA from `seeds` random starts and the more stable model on as many resamples (at least two)."""
    return TopicAnalysis(lda=find_lda_topics(pool, n_topics, seeds), nmf=find_nmf_topics(pool, n_topics, max(seeds, 2)))


# Coherence settles long before the weights do: on real sets 50 iterations change NPMI by .02 or less.
ITERATIONS = 10


@dataclass(frozen=True, slots=True)
class Coherence:
    """Mean coherence over topics (and seeds, for LDA); None if no topic has two words."""

    umass: float | None
    npmi: float | None

    def to_json(self) -> dict[str, Any]:
        return {"umass": self.umass, "npmi": self.npmi}


@dataclass(frozen=True, slots=True)
class CoherenceAt:
    """Coherence of both models with this number of topics."""

    n_topics: int
    lda: Coherence
    nmf: Coherence

    def to_json(self) -> dict[str, Any]:
        return {"topics": self.n_topics, "lda": self.lda.to_json(), "steady": self.nmf.to_json()}


class Cooccurrence:
    """Counts of attributes that contain each word, and each two words."""

    def __init__(self, texts: CanonicalTexts) -> None:
        self.n_texts = texts.words.counts.shape[0]
        self._index = {word: i for i, word in enumerate(texts.words.vocabulary)}
        self._present = (texts.words.counts > 0).astype(np.float64).tocsc()

    def counts(self, words: Sequence[str]) -> Floats:
        """Return (words, words): attributes that contain both words; the diagonal counts each word's own."""
        columns = self._present[:, [self._index[word] for word in words]]
        together: Floats = (columns.T @ columns).toarray()
        return together


def umass(together: Floats) -> float | None:
    """Return UMass coherence of a topic from its words' (words, words) co-occurrence counts, heaviest word first."""
    pairs = combinations(range(len(together)), 2)
    return _mean([float(np.log((together[a, b] + 1) / together[a, a])) for a, b in pairs])


def npmi(together: Floats, n_texts: int) -> float | None:
    """Return the mean normalized PMI: -1 for words never together; 1 for words together in every attribute."""
    values = []
    for a, b in combinations(range(len(together)), 2):
        joint = together[a, b] / n_texts
        if joint in {0.0, 1.0}:
            values.append(-1.0 if joint == 0 else 1.0)
            continue
        apart = together[a, a] * together[b, b] / n_texts**2
        values.append(float(np.log(joint / apart) / -np.log(joint)))
    return _mean(values)


def coherence_of(topics: Sequence[Sequence[str]], occurrence: Cooccurrence) -> Coherence:
    """Return the mean coherence over topics, each given as its top words by descending weight."""
    counts = [occurrence.counts(words) for words in topics if len(words) > 1]
    return Coherence(
        umass=_mean([value for c in counts if (value := umass(c)) is not None]),
        npmi=_mean([value for c in counts if (value := npmi(c, occurrence.n_texts)) is not None]),
    )


def coherence_over_topics(pool: AttributePool, seeds: int = 3) -> tuple[CoherenceAt, ...]:
    """Return the coherence of both models with each number of topics, up to the most that the set allows.

    Raises NotReadyError if it doesn't allow two.
    """
    texts = canonical_texts(pool, FEWEST_TOPICS)
    occurrence = Cooccurrence(texts)
    found = []
    for n_topics in range(FEWEST_TOPICS, min(MOST_TOPICS, texts.words.different_texts) + 1):
        fitted = fit_lda(texts.words.counts, n_topics, range(seeds), ITERATIONS)
        vocabulary = texts.words.vocabulary
        lda = [top_words(topic, vocabulary) for fit in fitted.topic_words for topic in fit]
        nmf = fit_nmf(texts.words, n_topics)
        nmf_words = [top_words(topic, nmf.vocabulary) for topic in nmf.topic_words] if nmf else []
        found.append(CoherenceAt(n_topics, coherence_of(lda, occurrence), coherence_of(nmf_words, occurrence)))
    return tuple(found)


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None
