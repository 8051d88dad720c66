"""A project: its task and dimensions, its texts and their ratings, and the held-out split."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


@dataclass(frozen=True, slots=True)
class Task:
    """The kind of the project's texts, in words. Prompts and screens use these words, `writer_name` screens only."""

    text_name: str = "text"
    source_name: str = "source"
    description: str = ""
    language: str = "English"
    writer_name: str = "system"

    @property
    def texts_name(self) -> str:
        """Return the plural of `text_name`: essays, stories."""
        return _several(self.text_name)

    @property
    def sources_name(self) -> str:
        """Return the plural of `source_name`: articles, assignments."""
        return _several(self.source_name)

    @property
    def writers_name(self) -> str:
        """Return the plural of `writer_name`: systems, agents, students."""
        return _several(self.writer_name)


def _several(word: str) -> str:
    ends_in_y = word[-1:] == "y" and word[-2:-1] not in tuple("aeiou")
    return f"{word[:-1]}ies" if ends_in_y else f"{word}s"


@dataclass(frozen=True, slots=True)
class Dimension:
    """One quality to rate. `id` is 0 until it is stored; `low` and `high` bound the scores."""

    name: str
    rubric: str = ""
    low: float = 1.0
    high: float = 5.0
    position: int = 0
    id: int = 0

    @property
    def binary(self) -> bool:
        """Return whether its scale is 0 to 1, on which texts are either good (1) or not good (0)."""
        return (self.low, self.high) == (0, 1)


class Verdict(StrEnum):
    """An expert's verdict on one text on a binary dimension. GOOD and NOT_GOOD also count as ratings of 1 and 0."""

    GOOD = "good"
    NOT_GOOD = "not good"
    CANT_SAY = "can't say"

    @property
    def rating(self) -> float | None:
        return {Verdict.GOOD: 1.0, Verdict.NOT_GOOD: 0.0}.get(self)


@dataclass(frozen=True, slots=True)
class Project:
    """A project without its texts. `notice` is shown with the project's data (the demo says that its data are made up);
    `research`: whether experts are offered the screens for studies; `follow_up`: the model that asks experts about
    their attributes, "" for none."""

    id: int
    name: str
    task: Task
    notice: str
    research: bool
    created_at: datetime
    follow_up: str = ""


_HISTORY = "Dialogue so far:\n"
_FACT = "\n\nFact to talk about:\n"


@dataclass(frozen=True, slots=True)
class Text:
    """One item to score.

    `doc_id` names its source, `system_id` who wrote it ("" where the data doesn't say), `item_id` tells texts
    apart that share both ("" where they needn't be). The three together are unique within a project.
    """

    doc_id: str
    text: str
    system_id: str = ""
    item_id: str = ""
    source: str = ""
    references: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    id: int = 0

    @property
    def key(self) -> tuple[str, str, str]:
        return self.doc_id, self.system_id, self.item_id


@dataclass(frozen=True, slots=True)
class TextPlace:
    """A text's identity without its content, so that a million of them fit into memory."""

    id: int
    doc_id: str
    system_id: str = ""
    item_id: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.doc_id, self.system_id, self.item_id


@dataclass(frozen=True, slots=True)
class Rating:
    """One human score of one text on one dimension by one rater."""

    dimension: str
    rater: str
    value: float


TITLE_WORDS, TITLE_CHARACTERS = 7, 48  # of a text's or a source's beginning
_STOP = "…"


def text_title(text: Text) -> str:
    """Return a text's title in lists: the first words of its source, who wrote it, its own first words.

    A text without a source has the name of its document instead.
    """
    about = _beginning(dialogue_history(text.source).removeprefix(_HISTORY)) or text.doc_id
    return " · ".join(part for part in (about, text.system_id, _beginning(text.text)) if part)


def _beginning(prose: str) -> str:
    """Return the first words, cut by characters in languages without spaces between words."""
    words = prose[: 8 * TITLE_CHARACTERS].split()
    found = " ".join(words[:TITLE_WORDS])
    if len(found) > TITLE_CHARACTERS:
        cut = found[:TITLE_CHARACTERS]
        found = cut.rpartition(" ")[0] or cut
    return found if found == " ".join(prose[: 8 * TITLE_CHARACTERS + 1].split()) else f"{found.rstrip('.,;:')}{_STOP}"


def dialogue_source(history: str, fact: str = "") -> str:
    """Return the dialogue so far and, if given, the fact to talk about, as the source of a reply."""
    return f"{_HISTORY}{history}" + (f"{_FACT}{fact}" if fact else "")


def dialogue_history(source: str) -> str:
    """Return the dialogue of a source made by `dialogue_source`; any other source is returned whole."""
    if not source.startswith(_HISTORY):
        return source
    dialogue = source.removeprefix(_HISTORY)
    return dialogue.rpartition(_FACT)[0] if _FACT in dialogue else dialogue


class Scope(StrEnum):
    """The texts that a query covers. OPEN: those that people, samples and tuning may see. LOCKED: the held-out
    split."""

    OPEN = "open"
    LOCKED = "locked"
    EVERY = "every"


@dataclass(frozen=True, slots=True)
class Look:
    """One recorded look at results on the held-out texts. `runs` are the ids of the runs looked at."""

    who: str
    at: datetime
    runs: tuple[int, ...]


HELD_OUT_SHARE = 0.2
"""Share of the documents in a held-out split, by default."""


@dataclass(frozen=True, slots=True)
class HeldOutSplit:
    """The held-out split: `documents` drawn with `share` and `seed`. `opened_at` is None while they are locked."""

    id: int
    share: float
    seed: int
    locked_by: str
    locked_at: datetime
    documents: tuple[str, ...]
    looks: tuple[Look, ...] = ()
    opened_by: str = ""
    opened_at: datetime | None = None
