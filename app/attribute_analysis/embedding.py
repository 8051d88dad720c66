"""Vectors of attributes, and similarity by character n-grams."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import randomized_svd

from app.attribute_analysis.tokens import content_words

Floats = NDArray[np.float64]

# Up to this many texts the exact decomposition of their Gram matrix takes well under a second.
EXACT_TEXTS = 800


class Embedder(Protocol):
    """Turns texts into vectors. `name` is printed beside every value that comes from them."""

    @property
    def name(self) -> str: ...

    def embed(self, texts: list[str]) -> Floats:
        """Return (texts, width), one row a text in order; a row of zeros for a text with nothing to embed."""
        ...


class LsaEmbedder:
    """Latent semantic analysis on TF-IDF (Deerwester et al. 1990): words without English stop words, truncated SVD.

    It learns from the texts it embeds, so vectors of different calls don't compare. With fewer texts or words than
    `width` all their dimensions are kept. The same texts give the same cosines in any order.
    """

    def __init__(self, width: int = 100) -> None:
        self.width = width

    @property
    def name(self) -> str:
        return f"lsa-{self.width} on tf-idf"

    def embed(self, texts: list[str]) -> Floats:
        """Return (texts, at most width); rows of zeros for texts without a content word."""
        if not any(words := [content_words(text) for text in texts]):
            return np.zeros((len(texts), 1))
        order = sorted(range(len(texts)), key=lambda i: words[i])
        weights = TfidfVectorizer(analyzer=list).fit_transform([words[i] for i in order])
        left, strength = _left_singular(weights, self.width)
        kept = strength > strength[0] * 1e-6
        vectors = np.zeros((len(texts), int(kept.sum())))
        vectors[order] = left[:, kept] * strength[kept]
        return vectors


def _left_singular(weights: sparse.csr_array, width: int) -> tuple[Floats, Floats]:
    """Return the `width` strongest left singular vectors (texts, width) and singular values, strongest first."""
    if weights.shape[0] > EXACT_TEXTS:
        left, strength, _ = randomized_svd(weights, n_components=min(width, *weights.shape), random_state=0)
        return left, strength
    squares, vectors = np.linalg.eigh((weights @ weights.T).toarray())
    return vectors[:, ::-1][:, :width], np.sqrt(np.clip(squares[::-1][:width], 0.0, None))


def cosine_matrix(vectors: Floats) -> Floats:
    """Return (n, n) cosines; NaN in the rows and columns of zero vectors, which have no direction."""
    lengths = np.linalg.norm(vectors, axis=1)
    empty = lengths <= 1e-12
    unit = vectors / np.where(empty, 1.0, lengths)[:, None]
    cosines: Floats = np.clip(unit @ unit.T, -1.0, 1.0)
    cosines[empty, :] = np.nan
    cosines[:, empty] = np.nan
    return cosines


def map_to_plane(vectors: Floats) -> tuple[Floats, tuple[float, float]]:
    """Return (n, 2) principal components for a plot, and the share of variance of each axis.

    Vectors are scaled to length 1 first, as the cosine does. Each axis points so that its largest coordinate is
    positive; axes without variance are 0.
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors / np.where(lengths <= 1e-12, 1.0, lengths)
    centred = unit - unit.mean(axis=0)
    left, strength, _ = np.linalg.svd(centred, full_matrices=False)
    axes = min(2, len(strength))
    points = np.zeros((len(vectors), 2))
    points[:, :axes] = left[:, :axes] * strength[:axes]
    largest = points[np.abs(points).argmax(axis=0), [0, 1]]
    points *= np.where(largest < 0, -1.0, 1.0)
    total = float((strength**2).sum())
    shares = [float(s**2) / total if total > 1e-12 else 0.0 for s in strength[:2]]
    return points, (shares[0] if shares else 0.0, shares[1] if len(shares) > 1 else 0.0)


LENGTHS = (3, 5)
FLOOR = 0.25  # above 0, so that two equal texts are alike also where there are no others


def shared_parts_matrix(texts: Sequence[str]) -> NDArray[np.float64]:
    """Return (n, n) symmetric cosines of character n-grams, from 0 to 1, of non-blank texts; all texts affect each."""
    if not texts:
        return np.zeros((0, 0))
    vectors = sparse.csr_array(
        CountVectorizer(analyzer="char_wb", ngram_range=LENGTHS).fit_transform(texts), dtype=float
    )
    having = np.bincount(vectors.indices, minlength=vectors.shape[1])
    vectors.data = (1 + np.log(vectors.data)) * (np.log((1 + len(texts)) / (1 + having)) + FLOOR)[vectors.indices]
    vectors = normalize(vectors)
    return np.asarray((vectors @ vectors.T).toarray(), dtype=np.float64)
