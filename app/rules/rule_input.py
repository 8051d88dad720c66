"""Input of the rules: the request, and the measures of a text."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from app.rules.english import content_stems, sentences, words

KEY_TERMS = 25
_NAME = re.compile(r"\b[A-ZÀ-Þ][\w’'-]+")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


class Grounding(StrEnum):
    """What a text can be compared with."""

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
    """A parsed text. `figures` and `names` are those that can be recognised; a text without capitals has no names."""

    raw: str
    sentences: tuple[Sentence, ...]
    words: tuple[str, ...]
    content: tuple[str, ...]
    stems: frozenset[str]
    figures: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def cased(self) -> bool:
        """Whether the text uses capitals at all; lower-cased corpora aren't penalised for using none."""
        return any(letter.isupper() for letter in self.raw)


@dataclass(frozen=True, slots=True)
class Source(Passage):
    """A source: a passage with its vocabulary, its key terms with their counts, and the sentences of each stem.

    `joined` caches whether a sentence contains both stems of a pair.
    """

    vocabulary: frozenset[str]
    key_terms: dict[str, int]
    positions: dict[str, tuple[int, ...]]
    joined: dict[tuple[str, str], bool] = field(default_factory=dict, compare=False)

    def joins(self, a: str, b: str) -> bool:
        """Return whether some sentence has both stems."""
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
    """Parse a text."""
    parts = tuple(_sentence(raw) for raw in sentences(text))
    all_words = tuple(word for part in parts for word in part.words)
    content = tuple(found for part in parts for found in part.content)
    names = tuple(name.lower() for part in parts for name in _names(part.raw))
    return Passage(text, parts, all_words, content, frozenset(content), tuple(_FIGURE.findall(text)), names)


def source_of(text: str) -> Source:
    """Parse a source and count its key terms: the most frequent ones, earlier ones first among equals."""
    base = passage(text)
    counts = Counter(base.content).most_common(KEY_TERMS)
    positions: dict[str, list[int]] = {}
    for index, sentence in enumerate(base.sentences):
        for found in sentence.stems:
            positions.setdefault(found, []).append(index)
    return Source(
        base.raw, base.sentences, base.words, base.content, base.stems, base.figures, base.names,
        vocabulary=frozenset(base.words) | base.stems,
        key_terms=dict(counts),
        positions={found: tuple(where) for found, where in positions.items()},
    )  # fmt: skip


def grounding_of(text: Passage, source: Source) -> Grounding:
    """Return what the text can be compared with. A source shorter than 40 words and not longer than the text is only a
    topic: it can't support facts."""
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
    """Return figures, and capitalised words in lower case."""
    return {*_FIGURE.findall(raw), *(name.lower() for name in _NAME.findall(raw))}


def _names(raw: str) -> list[str]:
    """Return capitalised words that don't open the sentence."""
    return [match.group() for match in _NAME.finditer(raw) if match.start() > 2 and len(match.group()) > 2]


@dataclass(frozen=True, slots=True)
class Reading:
    """A measured value and the finding in words, such as "3 of 41 content words (7 %) are not in the source".

    `applies` is False if the text has nothing for the rule to measure; the answer is then yes, and says so.
    """

    value: float
    finding: str
    applies: bool = True


Measure = Callable[[Profile], Reading]


def share(part: float, whole: float) -> float:
    """part / whole, 0 for an empty whole."""
    return part / whole if whole else 0.0


def of(part: int, whole: int, what: str) -> str:
    """ "3 of 41 content words (7 %)"."""
    return f"{part} of {whole} {what} ({share(part, whole):.0%})".replace("%", " %")


def plural(count: int, noun: str) -> str:
    """ "1 sentence", "2 sentences"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


@dataclass(frozen=True, slots=True)
class Context:
    """The request's words for text and source, its language, and the dimension."""

    text_name: str
    source_name: str
    dimension: str
    rubric: str
    language: str = "English"

    def fill(self, template: str) -> str:
        """Return a catalogue phrase with the task's own words for text and source."""
        return template.replace("{text}", self.text_name).replace("{source}", self.source_name)


def context_of(variables: Mapping[str, Any]) -> Context:
    """Read task and dimension; empty names become "text" and "source"."""
    task, dimension = variables["task"], variables["dimension"]
    return Context(
        text_name=_spoken(task["text_name"]) or "text",
        source_name=_spoken(task["source_name"]) or "source",
        dimension=dimension["name"],
        rubric=dimension["rubric"],
        language=str(task.get("language") or "English"),
    )


def _spoken(name: str) -> str:
    """Return a name for use inside a sentence: one line, no article, lower case unless an acronym."""
    line = " ".join(str(name).split()).removeprefix("the ").removeprefix("The ")
    if line[:2].isupper():
        return line
    return line.lower() if line.istitle() else line[:1].lower() + line[1:]
