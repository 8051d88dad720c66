"""Components: recurring themes among considerations, found by clustering and named after their theme or their words."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.cluster import AgglomerativeClustering

from app.rules.catalogue import THEMES
from app.rules.english import VERBS, base_form
from app.rules.request import Context, context_of
from app.rules.tokens import word_set, words
from app.rules.vectors import theme_weights, topic_stems, vectors

LEAST_THEMED = 0.5
LEAST_SIZE, FEWEST = 0.04, 3
OTHER_POINTS = "Other points"
_LIGHT = word_set("thing things way ways lot bit right good bad sure kind sort")


@dataclass(frozen=True, slots=True)
class Named:
    """A named group of considerations; `size` is how many it holds."""

    name: str
    description: str
    size: int


def components(variables: Mapping[str, Any]) -> dict[str, Any]:
    """At most `max_components` components, the largest first, without two of the same name."""
    context = context_of(variables)
    texts = [attribute["text"] for attribute in variables["attributes"]]
    wanted = max(1, min(int(variables["max_components"]), (len(texts) + 1) // 2))
    found = _named_groups(texts, wanted, context)[:wanted]
    if not found:
        name = context.dimension or "Overall quality"
        found = [Named(name[:1].upper() + name[1:], f"Whether the {context.text_name} is good as a whole.", 0)]
    return {"components": [{"name": group.name, "description": group.description} for group in found]}


def partition(rows: np.ndarray, count: int) -> np.ndarray:
    """Cluster labels of rows by Ward's method (deterministic); shape (rows,)."""
    if count >= len(rows) or count <= 1:
        return np.arange(len(rows)) if count > 1 else np.zeros(len(rows), dtype=int)
    labels: np.ndarray = AgglomerativeClustering(n_clusters=count, linkage="ward").fit_predict(rows)
    return labels


def _named_groups(texts: Sequence[str], wanted: int, context: Context) -> list[Named]:
    """Cut the cluster tree finer until enough groups have names of their own; groups of one name are one."""
    rows = vectors(texts, context)
    best: list[Named] = []
    for count in range(wanted, min(3 * wanted, len(texts)) + 1):
        merged: dict[str, Named] = {}
        labels = partition(rows, count)
        for label in range(labels.max() + 1):
            members = [text for text, own in zip(texts, labels, strict=True) if own == label]
            group = _name(members, context)
            before = merged.get(group.name)
            merged[group.name] = Named(group.name, group.description, len(members) + (before.size if before else 0))
        groups = sorted(merged.values(), key=lambda group: (-group.size, group.name))
        large = [group for group in groups if group.size >= max(LEAST_SIZE * len(texts), 1)]
        groups = large if len(large) >= FEWEST else groups
        # What shares no word finds its place among the themes, unless there are hardly any.
        named = [group for group in groups if group.name != OTHER_POINTS]
        groups = named if len(named) >= 2 else groups
        if len(groups) > len(best):
            best = groups
        if len(best) >= wanted:
            break
    return best


def _name(members: Sequence[str], context: Context) -> Named:
    """The theme that most members share, where at least half have one; else their commonest words."""
    votes: Counter[str] = Counter()
    for text in members:
        weights = theme_weights(text, context)
        if weights:
            votes[max(weights, key=lambda theme: weights[theme])] += 1
    if votes.total() >= LEAST_THEMED * len(members):
        theme = THEMES[votes.most_common(1)[0][0]]
        return Named(theme.name, theme.description, len(members))
    return _after_words(members, context)


def _after_words(members: Sequence[str], context: Context) -> Named:
    """ "Recipe steps": the two commonest topic words, as they are most often written."""
    counts: Counter[str] = Counter()
    spelled: dict[str, Counter[str]] = {}
    for text in members:
        counts.update(dict.fromkeys(topic_stems(text, context), 1))
        for word in words(text):
            for found in topic_stems(word, context):
                spelled.setdefault(found, Counter())[word] += 1
    common = {found: spelled[found].most_common(1)[0][0] for found in counts if found in spelled}
    ranked = sorted(common, key=lambda found: (-counts[found], _is_verb(common[found])))  # stable: first seen first
    ranked = [found for found in ranked if common[found] not in _LIGHT and not common[found].endswith("ing")]
    top = [common[found] for found in ranked[:4]]
    if not top or counts[ranked[0]] < 2:
        return Named(OTHER_POINTS, f"What else is said about the {context.text_name}.", len(members))
    unspaced = all(len(word) == 1 and not word.isascii() for word in top)
    name = "".join(top) if unspaced else (" and " if top[0].isascii() else ", ").join(top[:2])
    return Named(name[:1].upper() + name[1:], f"What is said about {', '.join(top)}.", len(members))


def _is_verb(word: str) -> bool:
    """Whether a word looks like a verb; things make better names."""
    return word.endswith("ed") or base_form(word) in VERBS
