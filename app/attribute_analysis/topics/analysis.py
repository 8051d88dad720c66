"""A topic model of attributes, with the number of topics chosen by coherence."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from app.attribute_analysis.pool import AttributePool
from app.attribute_analysis.topics.grouping import TopicGrouping, top_words
from app.attribute_analysis.topics.lda import find_lda_topics, fit_lda
from app.attribute_analysis.topics.nmf_topics import find_nmf_topics, fit_nmf
from app.attribute_analysis.topics.stability import FEWEST_TOPICS, MOST_TOPICS, CanonicalTexts, canonical_texts

Model = Literal["lda", "steady"]


@dataclass(frozen=True, slots=True)
class TopicAnalysis:
    """lda: InteractEval's model. steady: the one that repeats better."""

    lda: TopicGrouping
    steady: TopicGrouping

    @property
    def lead(self) -> Model:
        """LDA where it repeats better than by chance and than the steadier model, else the steadier model."""
        lda, steady = self.lda.stability, self.steady.stability
        if lda.grade in {"unknown", "chance"} or lda.above_baseline is None:
            return "steady"
        return "steady" if (steady.above_baseline or 0.0) >= lda.above_baseline else "lda"

    @property
    def leading(self) -> TopicGrouping:
        """The grouping that every screen and the command show."""
        return self.lda if self.lead == "lda" else self.steady

    @property
    def verdict(self) -> str:
        """What in these topics can be relied on, in a sentence or two."""
        if self.steady.small:
            return self.steady.small
        best = self.leading
        name = "LDA, the paper's model" if self.lead == "lda" else "NMF, the steadier model"
        return {
            "unknown": "Nothing is known about how steady the topics are: there is too little to compare.",
            "chance": "No model finds steady topics in these attributes. "
            f"NMF: {self.steady.agreement}. LDA: {self.lda.agreement}.",
            "partly": f"Only part of the grouping can be relied on. {name}, repeats best: {best.agreement}.",
            "steady": f"The topics of {name}, are steady: {best.agreement}.",
        }[best.stability.grade]

    def to_json(self) -> dict[str, Any]:
        """The fields of LDA at the top, as the command line promises; the steadier model under `steady`."""
        return self.lda.to_json() | {
            "steady": self.steady.to_json(),
            "lead": self.lead,
            "verdict": self.verdict,
        }


def analyse_topics(pool: AttributePool, n_topics: int = 5, seeds: int = 20) -> TopicAnalysis:
    """LDA from `seeds` random starts and the steadier model on as many resamples (at least two)."""
    return TopicAnalysis(
        lda=find_lda_topics(pool, n_topics, seeds), steady=find_nmf_topics(pool, n_topics, max(seeds, 2))
    )


Floats = NDArray[np.float64]

# Coherence settles long before the weights do: on real sets 50 iterations change NPMI by .02 or less.
ITERATIONS = 10


@dataclass(frozen=True, slots=True)
class Coherence:
    """Means over topics (and seeds, for LDA); None where no topic has two words."""

    umass: float | None
    npmi: float | None

    def to_json(self) -> dict[str, Any]:
        return {"umass": self.umass, "npmi": self.npmi}


@dataclass(frozen=True, slots=True)
class CoherenceAt:
    """Coherence of both models with this number of topics."""

    n_topics: int
    lda: Coherence
    steady: Coherence

    def to_json(self) -> dict[str, Any]:
        return {"topics": self.n_topics, "lda": self.lda.to_json(), "steady": self.steady.to_json()}


class Cooccurrence:
    """How many attributes hold each word, and each two words together."""

    def __init__(self, texts: CanonicalTexts) -> None:
        self.n_texts = texts.words.counts.shape[0]
        self._index = {word: i for i, word in enumerate(texts.words.vocabulary)}
        self._present = (texts.words.counts > 0).astype(np.float64).tocsc()

    def counts(self, words: Sequence[str]) -> Floats:
        """(words, words): attributes that hold both; the diagonal counts each word's own."""
        columns = self._present[:, [self._index[word] for word in words]]
        together: Floats = (columns.T @ columns).toarray()
        return together


def umass(together: Floats) -> float | None:
    """together: (words, words) co-occurrence counts of one topic's words, heaviest first."""
    pairs = combinations(range(len(together)), 2)
    return _mean([float(np.log((together[a, b] + 1) / together[a, a])) for a, b in pairs])


def npmi(together: Floats, n_texts: int) -> float | None:
    """A pair that is never together counts -1; words that are in every attribute together count 1."""
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
    """Mean over topics, each given as its top words, heaviest first."""
    counts = [occurrence.counts(words) for words in topics if len(words) > 1]
    return Coherence(
        umass=_mean([value for c in counts if (value := umass(c)) is not None]),
        npmi=_mean([value for c in counts if (value := npmi(c, occurrence.n_texts)) is not None]),
    )


def coherence_over_topics(pool: AttributePool, seeds: int = 3) -> tuple[CoherenceAt, ...]:
    """Both models with 2 to 12 topics; stops where the set can't carry more.

    Raises NotReadyError where it can't even carry two.
    """
    texts = canonical_texts(pool, FEWEST_TOPICS)
    occurrence = Cooccurrence(texts)
    found = []
    for n_topics in range(FEWEST_TOPICS, min(MOST_TOPICS, texts.words.different_texts) + 1):
        fitted = fit_lda(texts.words.counts, n_topics, range(seeds), ITERATIONS)
        vocabulary = texts.words.vocabulary
        lda = [top_words(topic, vocabulary) for fit in fitted.topic_words for topic in fit]
        nmf = fit_nmf(texts.words, n_topics)
        steady = [top_words(topic, nmf.vocabulary) for topic in nmf.topic_words] if nmf else []
        found.append(CoherenceAt(n_topics, coherence_of(lda, occurrence), coherence_of(steady, occurrence)))
    return tuple(found)


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None
