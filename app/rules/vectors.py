"""Considerations as vectors: their own words (TF-IDF) beside the rules and themes that their keywords name."""

from collections.abc import Sequence

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from app.rules.catalogue import BY_ID, RULES, THEMES
from app.rules.matching import affinities
from app.rules.request import Context
from app.rules.tokens import content_stem, stem, word_set, words

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
    """The stems that say what a consideration is about, in order."""
    skipped = FRAME_STEMS | {stem(w) for w in words(context.text_name)} | {stem(w) for w in words(context.source_name)}
    return [found for found in map(content_stem, words(text)) if found and found not in skipped]


def theme_weights(text: str, context: Context) -> dict[str, float]:
    """Keyword weight per theme id; a text that is a theme's name belongs to that theme alone."""
    named = [theme for theme in THEMES.values() if text.lower().startswith(theme.name.lower())]
    if named:
        return {named[0].id: 1.0}
    weights: dict[str, float] = {}
    for rule, weight in affinities(text, context).items():
        theme = BY_ID[rule].theme
        weights[theme] = max(weights.get(theme, 0.0), weight)
    return weights


def vectors(texts: Sequence[str], context: Context) -> np.ndarray:
    """One row of unit length per text (all zero for a text without any word); shape (texts, features)."""
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
    """Unit rows of the bare wording, negations kept: for telling whether two texts say the same."""
    return _fit(TfidfVectorizer(analyzer=_worded, sublinear_tf=True), texts)


def characters(texts: Sequence[str]) -> np.ndarray:
    """Unit rows of character trigrams: the last resort where no word is shared, in any script."""
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
