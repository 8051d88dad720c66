"""What the rules read: the request, and the measures of a text."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np

from app.rules.english import content_stems, sentences, words

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


@dataclass(frozen=True, slots=True)
class Reading:
    """A measured value and the finding in words, such as "3 of 41 content words (7 %) are not in the source".

    `applies` is False where the text gives the rule nothing to look at; the answer is then yes, and says so.
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


STRONG, WEAK = 3.0, 1.0


class Better(StrEnum):
    """Which way a measured value is good."""

    MORE = "more"
    LESS = "less"


class Unit(StrEnum):
    """How a limit is written."""

    SHARE = "share"
    COUNT = "count"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class Theme:
    """What a few rules are about; it names components. `question` is its key question, with {text} and {source} to
    fill; themes of one family belong to the same side of quality."""

    id: str
    family: str
    name: str
    description: str
    question: str


@dataclass(frozen=True)
class Rule:
    """One documented text rule.

    description: what it looks at, in plain words.
    strong, weak: words that tie a question, an attribute or a rubric to it, separated by semicolons; a final * stands
        for any ending.
    limits: five limits of the measured value from lenient to strict, spread over what real texts show (SummEval,
        Topical-Chat, ELLIPSE), so that they tell texts apart.
    allowed: how a limit is said, with {limit}.
    questions, attributes: phrasings with {text} and {source}; yes is good.
    """

    id: str
    theme: str
    description: str
    strong: str
    weak: str
    measure: Measure
    better: Better
    limits: tuple[float, float, float, float, float]
    unit: Unit
    allowed: str
    questions: tuple[str, ...]
    attributes: tuple[str, ...]

    def limit(self, strictness: float) -> float:
        """The limit at a strictness from 0 (lenient) to 1 (strict), between the five by straight lines."""
        return float(np.interp(strictness, (0.0, 0.25, 0.5, 0.75, 1.0), self.limits))

    def passes(self, reading: Reading, limit: float) -> bool:
        """Whether the value is on the good side of the limit; a rule with nothing to look at passes."""
        if not reading.applies:
            return True
        return reading.value >= limit if self.better is Better.MORE else reading.value <= limit

    def reason(self, reading: Reading, limit: float) -> str:
        """The finding and the limit in words."""
        if not reading.applies:
            return f"Nothing to object: {reading.finding}."
        finding = self._apart(reading, limit)
        return f"{finding[:1].upper()}{finding[1:]}; {self.allowed.format(limit=self._said(limit))}."

    def _apart(self, reading: Reading, limit: float) -> str:
        """The finding, with as many decimals as tell its share from the limit: 2 of 3 are 66.7 %, not at least 67 %."""
        rounded = f"{100 * reading.value:.0f} %"
        if self.unit is not Unit.SHARE or reading.value == limit:
            return reading.finding
        exact = (f"{100 * reading.value:.{digits}f} %" for digits in range(4))
        shown = next((words for words in exact if words != self._said(limit)), rounded)
        return reading.finding.replace(rounded, shown, 1)

    def _said(self, limit: float) -> str:
        if self.unit is Unit.SHARE:
            return f"{100 * limit:.3g} %"
        return f"{limit:.2g}" if limit < 10 else f"{limit:.0f}"

    @cached_property
    def patterns(self) -> tuple[tuple[re.Pattern[str], float], ...]:
        """The keywords as patterns with their weights: 3 for strong, 1 for weak."""
        weighed = ((self.strong, STRONG), (self.weak, WEAK))
        return tuple((_pattern(word.strip()), weight) for listed, weight in weighed for word in listed.split(";"))


def _pattern(keyword: str) -> re.Pattern[str]:
    ending = r"\w*\b" if keyword.endswith("*") else r"\b"
    return re.compile(r"\b" + re.escape(keyword.rstrip("*")) + ending)


@dataclass(frozen=True, slots=True)
class Context:
    """What the texts are and which dimension is looked at."""

    text_name: str
    source_name: str
    dimension: str
    rubric: str
    language: str = "English"

    def fill(self, template: str) -> str:
        """A catalogue phrase with the task's own words for text and source."""
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
    """A name as it stands inside a sentence: one line, no article, small letters unless an acronym."""
    line = " ".join(str(name).split()).removeprefix("the ").removeprefix("The ")
    if line[:2].isupper():
        return line
    return line.lower() if line.istitle() else line[:1].lower() + line[1:]
