"""Attributes as lists of words, one list a contributor, compared as the screen compares contributors."""

from collections.abc import Mapping, Sequence

from app.attribute_analysis.embedding import Embedder
from app.attribute_analysis.similarity import SetComparison, compare_groups, pair_matrices


def compare_sets(sets: Mapping[str, Sequence[str]], embedder: Embedder | None = None) -> SetComparison:
    groups, start = {}, 0
    for name, listed in sets.items():
        groups[name] = range(start, start + len(listed))
        start += len(listed)
    return compare_groups(pair_matrices([text for listed in sets.values() for text in listed], embedder), groups)
