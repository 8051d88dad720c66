"""Similarity of sets of attributes, unique and shared attributes, and themes that only people or only LLMs have."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, permutations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq
from rapidfuzz.process import cdist
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from app.attribute_analysis.embedding import Embedder, LsaEmbedder, cosine_matrix, map_to_plane
from app.attribute_analysis.pool import AttributePool
from app.attribute_analysis.tokens import content_words, tokenize
from app.errors import InputError, NotReadyError

Floats = NDArray[np.float64]
MOST_TEXTS = 5_000
"""Number of texts whose matrices take 800 MB."""


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
    """Mean similarities over pairs; None if no pair is defined. `reason` says why, "" if all three are defined."""

    rouge_l: float | None
    jaccard: float | None
    cosine: float | None
    pairs: int
    cosine_pairs: int
    reason: str = ""

    @property
    def diversity(self) -> dict[str, float | None]:
        """1 - similarity, for each measure."""
        values = {"rouge_l": self.rouge_l, "jaccard": self.jaccard, "cosine": self.cosine}
        return {name: None if value is None else 1 - value for name, value in values.items()}

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"diversity": self.diversity}


@dataclass(frozen=True, slots=True)
class SetComparison:
    """Similarities `within` sets by name and `between` pairs of names, in the order given; `sizes` counts
    attributes."""

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
    """Return all three similarities of all pairs. n texts take memory for four n x n matrices (2,000: 128 MB).

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
    """Return F = 2 LCS / (length a + length b) of all pairs; 0 if either has no words, as in rouge-score."""
    numbers: dict[str, str] = {}
    # Each word becomes one character, so that a text is one string: rapidfuzz compares strings fastest.
    coded = ["".join(numbers.setdefault(w, _character(len(numbers))) for w in tokens) for tokens in words]
    common = cdist(coded, coded, scorer=LCSseq.similarity, dtype=np.int32).astype(np.float64)
    lengths = np.array([len(tokens) for tokens in words], dtype=np.float64)
    total = lengths[:, None] + lengths[None, :]
    return 2 * common / np.where(total == 0, 1.0, total)


def _character(number: int) -> str:
    """Return a character for a number; surrogates (U+D800 to U+DFFF) are skipped, as they are no characters."""
    return chr(number if number < 0xD800 else number + 0x800)


def jaccard_matrix(words: Sequence[Sequence[str]]) -> Floats:
    """Return |a and b| / |a or b| of all pairs of word sets; 0 if both are empty."""
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
    """Return mean similarities over unordered pairs of these texts."""
    chosen = np.asarray(positions, dtype=np.intp)
    rows, columns = np.triu_indices(len(chosen), k=1)
    return _mean_similarity(matrices, chosen[rows], chosen[columns])


def between(matrices: PairMatrices, first: Sequence[int], second: Sequence[int]) -> Similarity:
    """Return mean similarities over all pairs with one text of each set; a text in both isn't paired with itself."""
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
    """Compare the texts within each group and between each two groups. Groups may overlap."""
    return SetComparison(
        sizes={name: len(positions) for name, positions in groups.items()},
        within={name: within(matrices, positions) for name, positions in groups.items()},
        between={(a, b): between(matrices, groups[a], groups[b]) for a, b in combinations(groups, 2)},
        embedding=matrices.embedding,
        tokens=matrices.tokens,
        notes=matrices.notes,
    )


Measure = Literal["cosine", "rouge_l", "jaccard"]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An attribute and its nearest one, as positions in the pool; `similarity` is None without a comparable one."""

    attribute: int
    nearest: int | None
    similarity: float | None


@dataclass(frozen=True, slots=True)
class UniqueAndShared:
    """`unique`: by owner, attributes whose nearest neighbour of anybody else is below `threshold`, the least similar
    first.

    `nearest`: by (owner, other), each attribute of owner with the nearest one of other, the most similar first.
    """

    measure: Measure
    threshold: float
    unique: Mapping[str, tuple[Neighbour, ...]]
    nearest: Mapping[tuple[str, str], tuple[Neighbour, ...]]

    def to_json(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "threshold": self.threshold,
            "unique": {name: [_as_json(n) for n in found] for name, found in self.unique.items()},
            "nearest": [
                {"a": a, "b": b, "pairs": [_as_json(n) for n in found]} for (a, b), found in self.nearest.items()
            ],
        }


def find_unique(
    matrices: PairMatrices, groups: Mapping[str, Sequence[int]], threshold: float = 0.3, measure: Measure = "cosine"
) -> UniqueAndShared:
    """Compare each group with all others; groups (contributors, or kinds) must not overlap.

    An attribute that is comparable with no other counts as unique. Raises InputError for a threshold outside 0 to 1.
    """
    if not 0 <= threshold <= 1:
        raise InputError(f"The similarity threshold {threshold} is out of range.", "Choose a value from 0 to 1.")
    matrix = getattr(matrices, measure)
    unique = {}
    for name, mine in groups.items():
        others = [i for other, positions in groups.items() if other != name for i in positions]
        found = [_nearest(matrix, attribute, others) for attribute in mine]
        alone = [n for n in found if n.similarity is None or n.similarity < threshold]
        unique[name] = tuple(sorted(alone, key=lambda n: (n.similarity or 0.0, n.attribute)))
    nearest = {
        (a, b): tuple(
            sorted(
                (_nearest(matrix, attribute, groups[b]) for attribute in groups[a]),
                key=lambda n: (-(n.similarity or 0.0), n.attribute),
            )
        )
        for a, b in permutations(groups, 2)
    }
    return UniqueAndShared(measure, threshold, unique, nearest)


def _nearest(matrix: NDArray[np.float64], attribute: int, others: Sequence[int]) -> Neighbour:
    values = matrix[attribute, np.asarray(others, dtype=np.intp)]
    if not len(values) or np.isnan(values).all():
        return Neighbour(attribute, None, None)
    best = int(np.nanargmax(values))
    return Neighbour(attribute, int(others[best]), float(values[best]))


def _as_json(neighbour: Neighbour) -> dict[str, Any]:
    return {"attribute": neighbour.attribute, "nearest": neighbour.nearest, "similarity": neighbour.similarity}


@dataclass(frozen=True, slots=True)
class AttributeMap:
    """A map of attributes. points: one (x, y) an attribute, in the pool's order; `explained`: share of variance on each
    axis.

    `reason` is a sentence that says why the map means nothing (a single attribute, or all in one place), else "".
    """

    points: tuple[tuple[float, float], ...]
    explained: tuple[float, float]
    embedding: str
    reason: str = ""


def map_attributes(matrices: PairMatrices) -> AttributeMap:
    """Return two principal components of the embedding: near points share words, as far as two axes show."""
    points, explained = map_to_plane(matrices.vectors)
    reason = ""
    if len(points) < 3:
        reason = "A map needs at least three attributes to show anything."
    elif explained[0] == 0:
        reason = "All attributes fall on one point: they use the same words, or none that count."
    return AttributeMap(tuple((float(x), float(y)) for x, y in points), explained, matrices.embedding, reason)


THEME_WORDS = 4
# A single attribute is no theme; it stands among the unique ones.
FEWEST_ATTRIBUTES = 2


@dataclass(frozen=True, slots=True)
class OneSidedTheme:
    """A theme of one `kind`, "human" or "llm"; `attributes`: positions in the pool; `words`: those typical of it."""

    kind: str
    words: tuple[str, ...]
    attributes: tuple[int, ...]


def one_sided_themes(
    pool: AttributePool, matrices: PairMatrices, threshold: float = 0.2, measure: Measure = "cosine"
) -> tuple[OneSidedTheme, ...]:
    """Return groups of two or more attributes of one kind that have a similarity of at least `threshold` among
    themselves and with none of the other kind, largest first. Empty if only one kind has attributes: then nothing can
    be called missing.

    Groups are cut from average linkage on 1 - similarity; the order of the attributes doesn't matter.
    Raises InputError for a threshold outside 0 to 1.
    """
    kinds = pool.by_kind()
    if len(kinds) < 2:
        return ()
    alone = find_unique(matrices, kinds, threshold, measure).unique
    themes = [
        OneSidedTheme(kind, _words(pool, group), tuple(group))
        for kind, lonely in alone.items()
        for group in groups_alike(pool, getattr(matrices, measure), [n.attribute for n in lonely], threshold)
        if len(group) >= FEWEST_ATTRIBUTES
    ]
    return tuple(sorted(themes, key=lambda theme: (-len(theme.attributes), theme.kind, theme.words)))


def groups_alike(
    pool: AttributePool, similarity: Floats, attributes: Sequence[int], threshold: float
) -> list[list[int]]:
    """Return these attributes (positions in the pool) in groups with a mean similarity of at least `threshold`; an
    attribute unlike all others is a group of its own."""
    placed = sorted(attributes, key=lambda i: (pool.texts[i], pool.owners[i]))
    if len(placed) < FEWEST_ATTRIBUTES:
        return [[attribute] for attribute in placed]
    at = np.asarray(placed, dtype=np.intp)
    # No vector, nothing alike: such an attribute joins no group.
    distance = 1.0 - np.nan_to_num(similarity[np.ix_(at, at)], nan=0.0)
    np.fill_diagonal(distance, 0.0)
    tree = linkage(squareform(np.clip(distance, 0.0, None), checks=False), method="average")
    labels = fcluster(tree, 1.0 - threshold, criterion="distance")
    groups: dict[int, list[int]] = {}
    for attribute, label in zip(placed, labels, strict=True):
        groups.setdefault(int(label), []).append(attribute)
    return list(groups.values())


def _words(pool: AttributePool, group: Sequence[int]) -> tuple[str, ...]:
    """Return the group's characteristic words: in many of its attributes and in few of all (as in TF-IDF)."""

    def holders(positions: Sequence[int]) -> Counter[str]:
        return Counter(word for i in positions for word in set(content_words(pool.texts[i])))

    inside, everywhere = holders(group), holders(range(len(pool)))
    weight = {word: inside[word] * math.log((1 + len(pool)) / everywhere[word]) for word in inside}
    ranked = sorted(inside, key=lambda word: (-round(weight[word], 9), word))
    return tuple(ranked[:THEME_WORDS])
