"""Counts of the words topics and embeddings see: two letters or more, lower case, without stop words
(English ones, unless others are given).

For texts in Latin letters these are the words scikit-learn's CountVectorizer with stop_words="english" finds. Scripts
without spaces have no words to split at: each pair of neighbouring characters counts as one, as is usual for them.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer, TfidfTransformer

from app.attribute_analysis.tokens import UNSPACED, unicode_tokens

SIMPLE_WORD = re.compile(r"\b\w\w+\b")


@dataclass(frozen=True, slots=True)
class WordCounts:
    """counts: (texts, words), rows as the texts were given; vocabulary sorted; sparse rows have sorted indices."""

    counts: sparse.csr_array
    vocabulary: tuple[str, ...]

    @property
    def with_words(self) -> NDArray[np.intp]:
        """Positions of the texts that have at least one word."""
        return np.flatnonzero(np.diff(self.counts.indptr))

    @property
    def different_texts(self) -> int:
        """How many texts are left when those with the same words the same number of times count once."""
        rows = np.split(np.arange(len(self.counts.data)), self.counts.indptr[1:-1])
        return len({(self.counts.indices[row].tobytes(), self.counts.data[row].tobytes()) for row in rows})

    def rows(self, positions: NDArray[np.intp]) -> "WordCounts":
        """Only these texts, with only the words they use."""
        picked = self.counts[positions]
        used = np.flatnonzero(np.asarray(picked.sum(axis=0)).ravel())
        return WordCounts(_sorted(picked[:, used]), tuple(self.vocabulary[i] for i in used))

    def in_several_texts(self) -> "WordCounts":
        """Only words that occur in two texts or more; all words where there is no such word."""
        texts_with = np.bincount(self.counts.indices, minlength=len(self.vocabulary))
        kept = np.flatnonzero(texts_with >= 2)
        if not len(kept):
            return self
        return WordCounts(_sorted(self.counts[:, kept]), tuple(self.vocabulary[i] for i in kept))

    def shuffled(self, rng: np.random.Generator) -> "WordCounts":
        """The words dealt anew at random: each text keeps its number of words, each word how often it occurs."""
        coordinates = self.counts.tocoo()
        times = coordinates.data.astype(np.intp)
        texts, words = np.repeat(coordinates.row, times), np.repeat(coordinates.col, times)
        dealt = sparse.coo_array((np.ones(len(words)), (texts, rng.permutation(words))), shape=self.counts.shape)
        return WordCounts(_sorted(sparse.csr_array(dealt)), self.vocabulary)

    def tf_idf(self) -> sparse.csr_array:
        """Counts times smoothed inverse document frequency, rows of length 1 (scikit-learn's definition)."""
        return sparse.csr_array(TfidfTransformer().fit_transform(self.counts))


def content_words(text: str, left_out: Collection[str] = ENGLISH_STOP_WORDS) -> list[str]:
    """Words of one text in order, stop words left out."""
    lowered = text.lower()
    found = SIMPLE_WORD.findall(lowered) if text.isascii() else _words_of_any_script(text)
    return [word for word in found if word not in left_out]


def count_words(texts: Sequence[str], left_out: Collection[str] = ENGLISH_STOP_WORDS) -> WordCounts:
    """Counts of content words; a vocabulary of none is a matrix without columns."""
    words = [content_words(text, left_out) for text in texts]
    if not any(words):
        return WordCounts(sparse.csr_array((len(texts), 0), dtype=np.float64), ())
    vectorizer = CountVectorizer(analyzer=list, dtype=np.float64)
    counts = _sorted(sparse.csr_array(vectorizer.fit_transform(words)))
    return WordCounts(counts, tuple(vectorizer.get_feature_names_out().tolist()))


def _words_of_any_script(text: str) -> list[str]:
    words: list[str] = []
    for unspaced, run in groupby(unicode_tokens(text), key=lambda token: bool(UNSPACED.match(token))):
        tokens = list(run)
        words.extend(_neighbours(tokens) if unspaced else [token for token in tokens if len(token) > 1])
    return words


def _neighbours(characters: Sequence[str]) -> list[str]:
    """Pairs of neighbours; a character that stands alone is a word of its own."""
    return [a + b for a, b in pairwise(characters)] or list(characters)


def _sorted(matrix: sparse.csr_array) -> sparse.csr_array:
    matrix.sort_indices()
    return matrix
