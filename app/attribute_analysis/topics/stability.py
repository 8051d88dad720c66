"""Stability of topics over seeds, and an order and names of topics that don't depend on the seed."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import squareform

from app.attribute_analysis.pool import AttributePool
from app.attribute_analysis.tokens import WordCounts, count_words, left_out
from app.attribute_analysis.topics.topic_options import check_topics
from app.errors import NotReadyError

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
Grade = Literal["chance", "partly", "steady", "unknown"]

# Our choice: below .2 two groupings share hardly more than shuffled labels would.
CHANCE_BELOW = 0.2
# Steinley (2004) calls an adjusted Rand index below .65 poor recovery.
STABLE_FROM = 0.65

UNPLACED = -1


@dataclass(frozen=True, slots=True)
class TopicStability:
    """Pairwise adjusted Rand index (1 = the same groups, 0 = chance) of top topics between fits.

    ari_low: the 2.5th percentile over pairs, an observed value. word_overlap: mean Jaccard of the ten top words of
    matched topics over pairs of fits. All None with fewer than two fits. baseline: the agreement on texts without
    topics. It is 0 for fits of the same texts from random starts; resamples share most of their texts, so it is well
    above 0 even for randomly dealt words.
    """

    fits: int
    ari_median: float | None
    ari_low: float | None
    word_overlap: float | None
    baseline: float = 0.0

    @property
    def above_baseline(self) -> float | None:
        """(median - baseline) / (1 - baseline): 0 = as without topics, 1 = always the same groups.

        None without agreement, or if the baseline is 1 itself: then agreement shows nothing.
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
        return "steady" if self.above_baseline >= STABLE_FROM else "partly"

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
    """Return the stability over fits. labels: one array a fit over the same texts, UNPLACED where a fit left a text
    out.

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
    """Return the adjusted Rand index on the texts that both fits placed; 1 without any in common.

    Hubert and Arabie (1985), counted over ordered pairs of texts in whole numbers. It equals scikit-learn's
    adjusted_rand_score to the last digit, which a test holds it to, without that function's checks of its input:
    hundreds of pairs of fits are compared, and the checks took longer than fitting.
    """
    both = (first != UNPLACED) & (second != UNPLACED)
    rows, columns = first[both], second[both]
    groups = int(columns.max(initial=0)) + 1
    table = np.bincount(rows * groups + columns, minlength=(int(rows.max(initial=0)) + 1) * groups).reshape(-1, groups)
    texts, squares = len(rows), int((table**2).sum())
    # Ordered pairs of different texts: together in both fits, in one of them, in neither.
    in_both = squares - texts
    in_first, in_second = (int((table.sum(axis=axis) ** 2).sum()) - squares for axis in (1, 0))
    in_neither = texts**2 - squares - in_first - in_second
    if in_first == in_second == 0:
        return 1.0
    within = (in_both + in_first) * (in_first + in_neither) + (in_both + in_second) * (in_second + in_neither)
    return 2.0 * (in_both * in_neither - in_first * in_second) / within


def _overlap(first: frozenset[str], second: frozenset[str]) -> float:
    union = first | second
    return len(first & second) / len(union) if union else 1.0


@dataclass(frozen=True, slots=True)
class Alignment:
    """Topics of different fits, which have no common order, matched to those of the most typical fit.

    order: (fits, topics); fit f's topic order[f, k] is the counterpart of the reference fit's topic k.
    `reference` is the medoid: the fit whose topics are most like everybody else's. match: (fits, topics), the cosine
    of each topic's words with its counterpart's.
    """

    reference: int
    order: Integers
    match: Floats


def align_topics(topic_words: Floats) -> Alignment:
    """Match by cosine of topic-word weights with the Hungarian method. topic_words: (fits, topics, words).

    Ties between candidates for the medoid go to the first fit.
    """
    lengths = np.linalg.norm(topic_words, axis=2, keepdims=True)
    unit = topic_words / np.where(lengths == 0, 1.0, lengths)
    n_fits, n_topics, _ = unit.shape
    flat = unit.reshape(n_fits * n_topics, -1)
    cosines = (flat @ flat.T).reshape(n_fits, n_topics, n_fits, n_topics).transpose(0, 2, 1, 3)
    likeness = np.array([[matched_total(cosines[a, b]) for b in range(n_fits)] for a in range(n_fits)])
    reference = int(np.round(likeness.sum(axis=1), 9).argmax())
    order = np.stack([best_match(cosines[reference, fit]) for fit in range(n_fits)])
    match = np.stack([cosines[reference, fit][np.arange(n_topics), order[fit]] for fit in range(n_fits)])
    return Alignment(reference, order, match)


def best_match(gain: Floats) -> Integers:
    """Return for each row its column in the one-to-one match with the largest total gain."""
    _, columns = linear_sum_assignment(gain, maximize=True)
    return np.asarray(columns, dtype=np.intp)


def matched_total(gain: Floats) -> float:
    return float(gain[np.arange(len(gain)), best_match(gain)].sum())


@dataclass(frozen=True, slots=True)
class Consensus:
    """Attributes grouped by how often fits put them in the same topic (Monti et al. 2003).

    labels: group of each text from 0, largest first; UNPLACED if no fit placed it. together: mean share of fits that
    keep two texts of one group together; apart: the same for texts of different groups. The farther apart the two, the
    more stable the groups. None if there is no such pair.
    """

    labels: tuple[int, ...]
    together: float | None
    apart: float | None

    def to_json(self) -> dict[str, Any]:
        return {"labels": list(self.labels), "together": self.together, "apart": self.apart}


def co_assignment(labels: Sequence[Integers]) -> Floats:
    """Return (texts, texts) share of fits that put two texts together, of the fits that placed both; 0 if none did."""
    together = placed = np.zeros((len(labels[0]), len(labels[0])))
    for fit in labels:
        known = (fit != UNPLACED).astype(np.float64)
        member = (fit[:, None] == np.unique(fit[fit != UNPLACED])[None, :]).astype(np.float64)
        together = together + member @ member.T
        placed = placed + np.outer(known, known)
    return together / np.where(placed == 0, 1.0, placed)


def find_consensus(labels: Sequence[Integers], n_groups: int) -> Consensus:
    """Group texts by average linkage on 1 - co-assignment into at most n_groups. labels: (texts,) of each fit."""
    placed = np.flatnonzero((np.stack(labels) != UNPLACED).any(axis=0))
    groups = np.full(len(labels[0]), UNPLACED, dtype=np.intp)
    if len(placed) < 2:
        groups[placed] = 0
        return Consensus(tuple(groups.tolist()), None, None)
    shared = co_assignment([fit[placed] for fit in labels])
    distance = 1.0 - shared
    np.fill_diagonal(distance, 0.0)
    tree = linkage(squareform(distance, checks=False), method="average")
    cut = fcluster(tree, n_groups, criterion="maxclust") - 1
    groups[placed] = _largest_first(cut)
    rows, columns = np.triu_indices(len(placed), k=1)
    same = cut[rows] == cut[columns]
    values = shared[rows, columns]
    return Consensus(tuple(groups.tolist()), _mean(values[same]), _mean(values[~same]))


def _largest_first(labels: NDArray[np.integer]) -> Integers:
    sizes = np.bincount(labels)
    rank = np.empty(len(sizes), dtype=np.intp)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    ranked: Integers = rank[labels]
    return ranked


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if len(values) else None


@dataclass(frozen=True, slots=True)
class CanonicalTexts:
    """Counts of the texts with words, sorted by text (`words`), and each row's position in the pool (`positions`)."""

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
        """Return labels (fits, rows) as (fits, pool), UNPLACED for a text of the pool without a row."""
        full = np.full((len(labels), len(self.pool)), UNPLACED, dtype=np.intp)
        full[:, self.positions] = labels
        return full

    def mixtures_in_pool(self, mixtures: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return mixtures (fits, rows, topics) as (fits, pool, topics), 0 for a text of the pool without a row."""
        full = np.zeros((len(mixtures), len(self.pool), mixtures.shape[2]))
        full[:, self.positions] = mixtures
        return full


def canonical_texts(pool: AttributePool, n_topics: int) -> CanonicalTexts:
    """Return the texts to fit, in an order that doesn't depend on the pool's.

    Raises InputError for a number of topics out of range, NotReadyError for a set too small for it.
    """
    check_topics(n_topics)
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
