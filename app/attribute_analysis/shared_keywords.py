"""Keywords that several experts' answers about two sets share."""

from collections.abc import Mapping
from dataclasses import dataclass

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from app.attribute_analysis.tokens import UNSPACED, unicode_tokens

FEWEST_EXPERTS = 3
SHORTEST = 3
# Words of the questions and of the setting say nothing about what an expert noticed.
_SETTING = frozenset({"set", "sets", "dimension", "attributes", "attribute"})


@dataclass(frozen=True, slots=True)
class SharedKeyword:
    """A word that several experts used. `answers` are (expert, answer), each answer with the word once, in order."""

    word: str
    experts: tuple[str, ...]
    answers: tuple[tuple[str, str], ...]


def shared_keywords(answers: Mapping[str, list[str]], at_least: int = FEWEST_EXPERTS) -> list[SharedKeyword]:
    """Return words in the answers of `at_least` experts (expert -> answers), most shared first, then alphabetically."""
    found: dict[str, list[tuple[str, str]]] = {}
    for expert, texts in answers.items():
        for text in texts:
            for word in sorted(_keywords(text)):
                found.setdefault(word, []).append((expert, text))
    keywords = [
        SharedKeyword(word, tuple(dict.fromkeys(expert for expert, _ in uses)), tuple(uses))
        for word, uses in found.items()
    ]
    shared = [keyword for keyword in keywords if len(keyword.experts) >= at_least]
    return sorted(shared, key=lambda keyword: (-len(keyword.experts), keyword.word))


def _keywords(text: str) -> set[str]:
    words = {word for word in unicode_tokens(text) if len(word) >= SHORTEST or UNSPACED.match(word)}
    return {_singular(word) for word in words - ENGLISH_STOP_WORDS - _SETTING if not word.isdigit()}


def _singular(word: str) -> str:
    plural = word.isascii() and word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > SHORTEST
    return word[:-1] if plural else word
