"""A text and its source as the rules see them: cut into sentences, words and stems once, then measured many times."""

import re
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from app.rules.tokens import content_stems, sentences, words

KEY_TERMS = 25
_NAME = re.compile(r"\b[A-ZÀ-Þ][\w’'-]+")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


class Grounding(StrEnum):
    """What there is to compare a text with."""

    FULL = "full"
    TOPIC = "topic"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: as written, its words in lower case, the stems of its content words."""

    raw: str
    words: tuple[str, ...]
    content: tuple[str, ...]
    stems: frozenset[str]


@dataclass(frozen=True, slots=True)
class Passage:
    """A text cut up. `figures` and `names` are as they can be recognised; a text without capitals has no names."""

    raw: str
    sentences: tuple[Sentence, ...]
    words: tuple[str, ...]
    content: tuple[str, ...]
    stems: frozenset[str]
    figures: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def cased(self) -> bool:
        """Whether the text uses capitals at all; lower-cased corpora don't, and aren't blamed for it."""
        return any(letter.isupper() for letter in self.raw)


@dataclass(frozen=True, slots=True)
class Source(Passage):
    """A source: a passage with its vocabulary, its key terms (share of their frequency) and where stems occur.

    `joined` keeps which pairs of stems a sentence brings together, as far as it was asked.
    """

    vocabulary: frozenset[str]
    key_terms: dict[str, float]
    positions: dict[str, tuple[int, ...]]
    joined: dict[tuple[str, str], bool] = field(default_factory=dict, compare=False)

    def joins(self, a: str, b: str) -> bool:
        """Whether some sentence has both stems."""
        if (a, b) not in self.joined:
            few, many = sorted((self.positions.get(a, ()), self.positions.get(b, ())), key=len)
            self.joined[a, b] = bool(few) and not set(few).isdisjoint(many)
        return self.joined[a, b]


@dataclass(frozen=True, slots=True)
class Profile:
    """A text beside its source."""

    text: Passage
    source: Source
    grounding: Grounding


def passage(text: str) -> Passage:
    """Cut a text up."""
    parts = tuple(_sentence(raw) for raw in sentences(text))
    all_words = tuple(word for part in parts for word in part.words)
    content = tuple(found for part in parts for found in part.content)
    names = tuple(name.lower() for part in parts for name in _names(part.raw))
    return Passage(text, parts, all_words, content, frozenset(content), tuple(_FIGURE.findall(text)), names)


def source_of(text: str) -> Source:
    """Cut a source up and weigh its terms: the most frequent ones, earlier ones first among equals."""
    base = passage(text)
    counts = Counter(base.content).most_common(KEY_TERMS)
    total = sum(count for _, count in counts)
    positions: dict[str, list[int]] = {}
    for index, sentence in enumerate(base.sentences):
        for found in sentence.stems:
            positions.setdefault(found, []).append(index)
    return Source(
        base.raw, base.sentences, base.words, base.content, base.stems, base.figures, base.names,
        vocabulary=frozenset(base.words) | base.stems,
        key_terms={term: count / total for term, count in counts},
        positions={found: tuple(where) for found, where in positions.items()},
    )  # fmt: skip


def grounding_of(text: Passage, source: Source) -> Grounding:
    """A source shorter than 40 words that is no longer than the text is only a topic: it can't support facts."""
    if not source.content:
        return Grounding.NONE
    if len(source.words) < 40 and len(source.words) <= len(text.words):
        return Grounding.TOPIC
    return Grounding.FULL


def _sentence(raw: str) -> Sentence:
    found = words(raw)
    content = content_stems(found)
    return Sentence(raw, found, content, frozenset(content))


def details_of(raw: str) -> set[str]:
    """Figures, and capitalised words in lower case."""
    return {*_FIGURE.findall(raw), *(name.lower() for name in _NAME.findall(raw))}


def _names(raw: str) -> list[str]:
    """Capitalised words that don't open the sentence."""
    return [match.group() for match in _NAME.finditer(raw) if match.start() > 2 and len(match.group()) > 2]
