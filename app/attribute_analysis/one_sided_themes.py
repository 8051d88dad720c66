"""Themes that only people, or only LLMs, speak about: groups of attributes that the other side has nothing like."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from app.attribute_analysis.pool import AttributePool
from app.attribute_analysis.similarity import PairMatrices
from app.attribute_analysis.unique_shared import Measure, find_unique
from app.attribute_analysis.word_counts import content_words

THEME_WORDS = 4
# A single attribute is no theme; it stands among the unique ones.
FEWEST_ATTRIBUTES = 2


@dataclass(frozen=True, slots=True)
class OneSidedTheme:
    """`kind`: "human" or "llm"; `attributes`: positions in the pool; `words`: those that mark it out."""

    kind: str
    words: tuple[str, ...]
    attributes: tuple[int, ...]


def one_sided_themes(
    pool: AttributePool, matrices: PairMatrices, threshold: float = 0.2, measure: Measure = "cosine"
) -> tuple[OneSidedTheme, ...]:
    """Groups of two or more attributes of one kind, alike by `threshold` or more among themselves and to none of the
    other kind. Largest first. Empty where only one kind spoke: then nothing can be said to be missing elsewhere.

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
        for group in _groups(pool, getattr(matrices, measure), [n.attribute for n in lonely], threshold)
    ]
    return tuple(sorted(themes, key=lambda theme: (-len(theme.attributes), theme.kind, theme.words)))


def _groups(
    pool: AttributePool, similarity: np.ndarray, attributes: Sequence[int], threshold: float
) -> list[list[int]]:
    placed = sorted(attributes, key=lambda i: (pool.texts[i], pool.owners[i]))
    if len(placed) < FEWEST_ATTRIBUTES:
        return []
    at = np.asarray(placed, dtype=np.intp)
    # No vector, nothing alike: such an attribute joins no group.
    distance = 1.0 - np.nan_to_num(similarity[np.ix_(at, at)], nan=0.0)
    np.fill_diagonal(distance, 0.0)
    tree = linkage(squareform(np.clip(distance, 0.0, None), checks=False), method="average")
    labels = fcluster(tree, 1.0 - threshold, criterion="distance")
    groups: dict[int, list[int]] = {}
    for attribute, label in zip(placed, labels, strict=True):
        groups.setdefault(int(label), []).append(attribute)
    return [group for group in groups.values() if len(group) >= FEWEST_ATTRIBUTES]


def _words(pool: AttributePool, group: Sequence[int]) -> tuple[str, ...]:
    """The words that mark the group out: held by many of its attributes and by few in all (as in TF-IDF)."""

    def holders(positions: Sequence[int]) -> Counter[str]:
        return Counter(word for i in positions for word in set(content_words(pool.texts[i])))

    inside, everywhere = holders(group), holders(range(len(pool)))
    weight = {word: inside[word] * math.log((1 + len(pool)) / everywhere[word]) for word in inside}
    ranked = sorted(inside, key=lambda word: (-round(weight[word], 9), word))
    return tuple(ranked[:THEME_WORDS])
