"""Keywords that several experts use in their answers, with the answers that contain them (InteractEval, Appendix F).

The paper's authors found them by reading; here a keyword is a word that is no stop word, in any of its plain English
forms that differ by a final s. At least three experts have to use it.
"""

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
    """`answers` are (expert, answer), each answer that contains the word once, in the order given."""

    word: str
    experts: tuple[str, ...]
    answers: tuple[tuple[str, str], ...]


def shared_keywords(answers: Mapping[str, list[str]], at_least: int = FEWEST_EXPERTS) -> list[SharedKeyword]:
    """answers: expert -> what they answered. Most shared first, then in alphabetical order."""
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
