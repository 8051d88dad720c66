"""Components from attributes, and attributes clustered by word vectors."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.feature_extraction.text import TfidfVectorizer

from app.rules.catalogue import BY_ID, RULES, THEMES
from app.rules.english import VERBS, base_form, content_stem, stem, word_set, words
from app.rules.judge import affinities
from app.rules.rule_input import Context, context_of

WORDS_WEIGHT, RULES_WEIGHT, THEMES_WEIGHT = 0.6, 0.6, 1.0
_RULE_INDEX = {rule.id: index for index, rule in enumerate(RULES)}
_THEME_INDEX = {theme: index for index, theme in enumerate(THEMES)}
_NEGATIONS = frozenset({"not", "no", "never", "without", "avoid", "avoids", "free"})
# Words of the assessor's own activity; they say nothing about the text.
_FRAME = word_set(
    "check assess ensure verify confirm evaluate consider determine look make sure see identify examine judge whether "
    "text source article document original"
)
FRAME_STEMS = frozenset(stem(word) for word in _FRAME)


def topic_stems(text: str, context: Context) -> list[str]:
    """Return the stems that say what an attribute is about, in order."""
    skipped = FRAME_STEMS | {stem(w) for w in words(context.text_name)} | {stem(w) for w in words(context.source_name)}
    return [found for found in map(content_stem, words(text)) if found and found not in skipped]


def theme_weights(text: str, context: Context) -> dict[str, float]:
    """Return keyword weight per theme id; a text that is a theme's name belongs to that theme alone."""
    named = [theme for theme in THEMES.values() if text.lower().startswith(theme.name.lower())]
    if named:
        return {named[0].id: 1.0}
    weights: dict[str, float] = {}
    for rule, weight in affinities(text, context).items():
        theme = BY_ID[rule].theme
        weights[theme] = max(weights.get(theme, 0.0), weight)
    return weights


def vectors(texts: Sequence[str], context: Context) -> np.ndarray:
    """Return one row of unit length per text (all zero for a text without any word); shape (texts, features)."""
    concepts = np.zeros((len(texts), len(RULES) + len(THEMES)))
    for row, text in enumerate(texts):
        for rule, weight in affinities(text, context).items():
            concepts[row, _RULE_INDEX[rule]] = weight
        for theme, weight in theme_weights(text, context).items():
            concepts[row, len(RULES) + _THEME_INDEX[theme]] = weight
    rules, themes = concepts[:, : len(RULES)] ** 2, concepts[:, len(RULES) :] ** 2
    parts = (WORDS_WEIGHT * _tf_idf(texts, context), RULES_WEIGHT * _unit(rules), THEMES_WEIGHT * _unit(themes))
    return _unit(np.hstack(parts))


def wording(texts: Sequence[str]) -> np.ndarray:
    """Return unit rows of the bare wording, negations kept, to tell whether two texts say the same."""
    return _fit(TfidfVectorizer(analyzer=_worded, sublinear_tf=True), texts)


def characters(texts: Sequence[str]) -> np.ndarray:
    """Return unit rows of character trigrams, used if no word is shared, in any script."""
    return _fit(TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 3)), texts)


def _worded(text: str) -> list[str]:
    found = [stem(w) if w not in _NEGATIONS else "not" for w in words(text)]
    return [f for f in found if f == "not" or (content_stem(f) and f not in FRAME_STEMS)]


def _tf_idf(texts: Sequence[str], context: Context) -> np.ndarray:
    return _fit(TfidfVectorizer(analyzer=lambda text: topic_stems(text, context), sublinear_tf=True), texts)


def _fit(vectorizer: TfidfVectorizer, texts: Sequence[str]) -> np.ndarray:
    try:
        rows: np.ndarray = vectorizer.fit_transform(texts).toarray()
    except ValueError:  # scikit-learn's word for "no text has a word"
        return np.zeros((len(texts), 1))
    return rows


def _unit(rows: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: np.ndarray = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return scaled


LEAST_THEMED = 0.5
LEAST_SIZE, FEWEST = 0.04, 3
OTHER_POINTS = "Other points"
_LIGHT = word_set("thing things way ways lot bit right good bad sure kind sort")


@dataclass(frozen=True, slots=True)
class NamedGroup:
    """A named group of attributes; `size` is their number."""

    name: str
    description: str
    size: int


def components(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return at most `max_components` components, the largest first, with different names."""
    context = context_of(variables)
    texts = [attribute["text"] for attribute in variables["attributes"]]
    wanted = max(1, min(int(variables["max_components"]), (len(texts) + 1) // 2))
    found = _named_groups(texts, wanted, context)[:wanted]
    if not found:
        name = context.dimension or "Overall quality"
        found = [NamedGroup(name[:1].upper() + name[1:], f"Whether the {context.text_name} is good as a whole.", 0)]
    return {"components": [{"name": group.name, "description": group.description} for group in found]}


def partition(rows: np.ndarray, count: int) -> np.ndarray:
    """Return cluster labels of rows by Ward's method (deterministic); shape (rows,)."""
    if count >= len(rows) or count <= 1:
        return np.arange(len(rows)) if count > 1 else np.zeros(len(rows), dtype=int)
    labels: np.ndarray = AgglomerativeClustering(n_clusters=count, linkage="ward").fit_predict(rows)
    return labels


def _named_groups(texts: Sequence[str], wanted: int, context: Context) -> list[NamedGroup]:
    """Cut the cluster tree finer until enough groups have different names; groups of one name are one."""
    rows = vectors(texts, context)
    best: list[NamedGroup] = []
    for count in range(wanted, min(3 * wanted, len(texts)) + 1):
        merged: dict[str, NamedGroup] = {}
        labels = partition(rows, count)
        for label in range(labels.max() + 1):
            members = [text for text, own in zip(texts, labels, strict=True) if own == label]
            group = _name(members, context)
            before = merged.get(group.name)
            merged[group.name] = NamedGroup(
                group.name, group.description, len(members) + (before.size if before else 0)
            )
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


def _name(members: Sequence[str], context: Context) -> NamedGroup:
    """Name a group after the theme of most members, if at least half have one; else after their most common words."""
    votes: Counter[str] = Counter()
    for text in members:
        weights = theme_weights(text, context)
        if weights:
            votes[max(weights, key=lambda theme: weights[theme])] += 1
    if votes.total() >= LEAST_THEMED * len(members):
        theme = THEMES[votes.most_common(1)[0][0]]
        return NamedGroup(theme.name, theme.description, len(members))
    return _after_words(members, context)


def _after_words(members: Sequence[str], context: Context) -> NamedGroup:
    """Name a group after its two most common topic words, in their usual spelling: "Recipe steps"."""
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
        return NamedGroup(OTHER_POINTS, f"What else is said about the {context.text_name}.", len(members))
    unspaced = all(len(word) == 1 and not word.isascii() for word in top)
    name = "".join(top) if unspaced else (" and " if top[0].isascii() else ", ").join(top[:2])
    return NamedGroup(name[:1].upper() + name[1:], f"What is said about {', '.join(top)}.", len(members))


def _is_verb(word: str) -> bool:
    """Return whether a word looks like a verb. Components are named after nouns if possible."""
    return word.endswith("ed") or base_form(word) in VERBS


SAME = 0.85
LEAST_CHARACTERS = 0.02


def clusters(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return attribute ids per component; dropped attributes say which one they repeat, or that they are empty."""
    attributes, parts = variables["attributes"], variables["components"]
    texts = [attribute["text"] for attribute in attributes]
    repeats = _repeats(wording(texts), texts)
    likeness = _likeness(variables)
    wordless = [index for index, text in enumerate(texts) if not words(text)]
    kept = [index for index in range(len(texts)) if index not in repeats and index not in wordless]
    homes = _homes(likeness, kept)
    dropped = [
        {
            "attribute": attributes[i]["id"],
            "reason": f"Says the same as attribute {attributes[first]['id']}: “{_short(texts[first])}”",
        }
        for i, first in repeats.items()
    ]
    dropped += [{"attribute": attributes[i]["id"], "reason": "Says nothing."} for i in wordless if i not in repeats]
    grouped = [
        {"component": part["id"], "attributes": [attributes[i]["id"] for i in kept if homes[i] == place]}
        for place, part in enumerate(parts)
    ]
    return {"clusters": grouped, "dropped": dropped}


def _likeness(variables: Mapping[str, Any]) -> np.ndarray:
    """Return the similarity of every attribute (rows) to every component (columns), of characters without common
    words."""
    texts = [attribute["text"] for attribute in variables["attributes"]]
    names = [f"{part['name']}. {part['description']}" for part in variables["components"]]
    rows = vectors([*texts, *names], context_of(variables))
    likeness: np.ndarray = rows[: len(texts)] @ rows[len(texts) :].T
    lost = likeness.max(axis=1) <= 0
    if lost.any():
        spelled = characters([*texts, *names])
        alike = spelled[: len(texts)] @ spelled[len(texts) :].T
        likeness[lost] = np.where(alike[lost] >= LEAST_CHARACTERS, alike[lost], 0.0)
    return likeness


def _repeats(rows: np.ndarray, texts: list[str]) -> dict[int, int]:
    """Return index of a repeating text -> index of the first text that says the same in nearly the same words."""
    alike = rows @ rows.T
    found: dict[int, int] = {}
    for index in range(1, len(texts)):
        earlier = [int(first) for first in np.flatnonzero(alike[index, :index] >= SAME) if first not in found]
        if earlier:
            found[index] = earlier[0]
    return found


def _homes(likeness: np.ndarray, kept: list[int]) -> dict[int, int]:
    """Return the nearest component of every kept attribute; an attribute near to none goes to the smallest.

    An empty component gets the attribute most similar to it, from a component that can spare one.
    """
    count = likeness.shape[1]
    homes = {i: int(likeness[i].argmax()) for i in kept if likeness[i].max() > 0}
    for i in kept:
        if i not in homes:
            sizes = Counter(homes.values())
            homes[i] = min(range(count), key=lambda place: sizes[place])
    for place in range(count):
        sizes = Counter(homes.values())
        spare = [i for i in kept if sizes[homes[i]] > 1]
        if not sizes[place] and spare:
            homes[max(spare, key=lambda i: likeness[i, place])] = place
    return homes


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else f"{line[:79].rstrip()}…"
