"""Similarity of attributes: ROUGE-L F, Jaccard of word sets, cosine of embeddings, over pairs (InteractEval, 4.5).

Within a set the mean runs over unordered pairs, between two sets over all pairs across. ROUGE-L F (beta = 1) of every
pair comes from one matrix of longest common subsequences; the values equal the rouge-score package's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq
from rapidfuzz.process import cdist
from scipy import sparse

from app.attribute_analysis.embedding import Embedder, LsaEmbedder, cosine_matrix
from app.attribute_analysis.tokens import tokenize
from app.errors import NotReadyError

Floats = NDArray[np.float64]
MOST_TEXTS = 5_000
"""As many as fit in 800 MB of matrices."""


@dataclass(frozen=True, slots=True)
class PairMatrices:
    """Symmetric (n, n) matrices over the same texts; cosine is NaN where a text has no vector."""

    rouge_l: Floats
    jaccard: Floats
    cosine: Floats
    vectors: Floats
    embedding: str
    tokens: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Similarity:
    """Means over pairs; None where no pair is defined. `reason` says why, "" where all three are defined."""

    rouge_l: float | None
    jaccard: float | None
    cosine: float | None
    pairs: int
    cosine_pairs: int
    reason: str = ""

    @property
    def diversity(self) -> dict[str, float | None]:
        """1 - similarity, measure by measure."""
        values = {"rouge_l": self.rouge_l, "jaccard": self.jaccard, "cosine": self.cosine}
        return {name: None if value is None else 1 - value for name, value in values.items()}

    def to_json(self) -> dict[str, Any]:
        return {
            "rouge_l": self.rouge_l,
            "jaccard": self.jaccard,
            "cosine": self.cosine,
            "pairs": self.pairs,
            "cosine_pairs": self.cosine_pairs,
            "diversity": self.diversity,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class SetComparison:
    """`within` by set name, `between` by pair of names in the order given; `sizes` counts attributes."""

    sizes: Mapping[str, int]
    within: Mapping[str, Similarity]
    between: Mapping[tuple[str, str], Similarity]
    embedding: str
    tokens: str
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "sets": {name: {"n": self.sizes[name]} | within.to_json() for name, within in self.within.items()},
            "between": [{"a": a, "b": b} | value.to_json() for (a, b), value in self.between.items()],
            "embedding": self.embedding,
            "tokens": self.tokens,
            "notes": list(self.notes),
        }


def pair_matrices(texts: Sequence[str], embedder: Embedder | None = None) -> PairMatrices:
    """All three similarities of all pairs. n texts take memory for four n x n matrices (2,000: 128 MB).

    Raises NotReadyError for more than `MOST_TEXTS`.
    """
    if len(texts) > MOST_TEXTS:
        raise NotReadyError(
            f"These are {len(texts):,} attributes; {MOST_TEXTS:,} can be compared at a time.",
            "Exclude attributes that say the same, or compare fewer contributors.",
        )
    chosen = embedder or LsaEmbedder()
    tokenized = tokenize(texts)
    vectors = np.asarray(chosen.embed(list(texts)), dtype=np.float64)
    cosine = cosine_matrix(vectors)
    words, notes = tokenized.words, [tokenized.note] if tokenized.note else []
    wordless = sum(not tokens for tokens in words)
    if wordless:
        notes.append(f"Attributes without any word: {wordless} of {len(texts)}; they count as sharing nothing.")
    pointless = int(np.isnan(np.diagonal(cosine)).sum())
    if pointless:
        notes.append(
            f"Attributes without a word the embedding uses: {pointless} of {len(texts)}; "
            "their pairs are left out of the cosine."
        )
    return PairMatrices(
        rouge_l=rouge_l_matrix(words),
        jaccard=jaccard_matrix(words),
        cosine=cosine,
        vectors=vectors,
        embedding=chosen.name,
        tokens=tokenized.scheme,
        notes=tuple(notes),
    )


def rouge_l_matrix(words: Sequence[Sequence[str]]) -> Floats:
    """F = 2 LCS / (length a + length b); 0 where either has no words, as in the rouge-score package."""
    numbers: dict[str, str] = {}
    # Each word becomes one character, so that a text is one string: rapidfuzz compares strings fastest.
    coded = ["".join(numbers.setdefault(w, _character(len(numbers))) for w in tokens) for tokens in words]
    common = cdist(coded, coded, scorer=LCSseq.similarity, dtype=np.int32).astype(np.float64)
    lengths = np.array([len(tokens) for tokens in words], dtype=np.float64)
    total = lengths[:, None] + lengths[None, :]
    return 2 * common / np.where(total == 0, 1.0, total)


def _character(number: int) -> str:
    """Skips the surrogates (U+D800 to U+DFFF), which are no characters of their own."""
    return chr(number if number < 0xD800 else number + 0x800)


def jaccard_matrix(words: Sequence[Sequence[str]]) -> Floats:
    """|a and b| / |a or b| of the word sets; 0 where both are empty."""
    columns: dict[str, int] = {}
    sets = [sorted({columns.setdefault(word, len(columns)) for word in tokens}) for tokens in words]
    sizes = np.array([len(numbers) for numbers in sets], dtype=np.float64)
    indices = np.array([number for numbers in sets for number in numbers], dtype=np.int32)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    has = sparse.csr_array((np.ones(len(indices)), indices, starts), shape=(len(words), max(len(columns), 1)))
    shared: Floats = (has @ has.T).toarray()
    union = sizes[:, None] + sizes[None, :] - shared
    return shared / np.where(union == 0, 1.0, union)


def within(matrices: PairMatrices, positions: Sequence[int]) -> Similarity:
    """Means over unordered pairs of these texts."""
    chosen = np.asarray(positions, dtype=np.intp)
    rows, columns = np.triu_indices(len(chosen), k=1)
    return _mean_similarity(matrices, chosen[rows], chosen[columns])


def between(matrices: PairMatrices, first: Sequence[int], second: Sequence[int]) -> Similarity:
    """Means over all pairs with one text of each; where the two overlap, no text is paired with itself."""
    rows = np.repeat(np.asarray(first, dtype=np.intp), len(second))
    columns = np.tile(np.asarray(second, dtype=np.intp), len(first))
    apart = rows != columns
    return _mean_similarity(matrices, rows[apart], columns[apart])


def _mean_similarity(matrices: PairMatrices, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Similarity:
    if not len(rows):
        return Similarity(None, None, None, 0, 0, "There is no pair to compare: similarity needs two attributes.")
    cosines = matrices.cosine[rows, columns]
    defined = cosines[~np.isnan(cosines)]
    return Similarity(
        rouge_l=float(matrices.rouge_l[rows, columns].mean()),
        jaccard=float(matrices.jaccard[rows, columns].mean()),
        cosine=float(defined.mean()) if len(defined) else None,
        pairs=len(rows),
        cosine_pairs=len(defined),
        reason="" if len(defined) else "No pair has words the embedding uses, so the cosine is undefined.",
    )


def compare_groups(matrices: PairMatrices, groups: Mapping[str, Sequence[int]]) -> SetComparison:
    """Within each group and between each two. Groups may overlap."""
    return SetComparison(
        sizes={name: len(positions) for name, positions in groups.items()},
        within={name: within(matrices, positions) for name, positions in groups.items()},
        between={(a, b): between(matrices, groups[a], groups[b]) for a, b in combinations(groups, 2)},
        embedding=matrices.embedding,
        tokens=matrices.tokens,
        notes=matrices.notes,
    )


def compare_sets(sets: Mapping[str, Sequence[str]], embedder: Embedder | None = None) -> SetComparison:
    """Similarity of named lists of texts, one list a contributor.

    Raises NotReadyError where no list holds a text.
    """
    texts = [text for listed in sets.values() for text in listed]
    if not texts:
        raise NotReadyError("There are no attributes to compare.", "Add at least one attribute.")
    groups, start = {}, 0
    for name, listed in sets.items():
        groups[name] = range(start, start + len(listed))
        start += len(listed)
    return compare_groups(pair_matrices(texts, embedder), groups)
