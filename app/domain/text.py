"""Text: one item to score, its human ratings, and the source of a dialogue as people and judges read it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

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
    """Which text it is, without what it says: a million of these fit into memory, a million texts don't."""

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
    """What a text is called in lists for people: the first words of its source, who wrote it, its own first words.

    A text without a source is called by the name of its document.
    """
    about = _beginning(dialogue_history(text.source).removeprefix(_HISTORY)) or text.doc_id
    return " · ".join(part for part in (about, text.system_id, _beginning(text.text)) if part)


def _beginning(prose: str) -> str:
    """The first words; languages that write none apart are cut by their characters."""
    words = prose[: 8 * TITLE_CHARACTERS].split()
    found = " ".join(words[:TITLE_WORDS])
    if len(found) > TITLE_CHARACTERS:
        cut = found[:TITLE_CHARACTERS]
        found = cut.rpartition(" ")[0] or cut
    return found if found == " ".join(prose[: 8 * TITLE_CHARACTERS + 1].split()) else f"{found.rstrip('.,;:')}{_STOP}"


def dialogue_source(history: str, fact: str = "") -> str:
    """What the writer of the reply saw: the dialogue so far and, where one was given, the fact to talk about."""
    return f"{_HISTORY}{history}" + (f"{_FACT}{fact}" if fact else "")


def dialogue_history(source: str) -> str:
    """The dialogue alone; a source that was not put together so is one."""
    if not source.startswith(_HISTORY):
        return source
    dialogue = source.removeprefix(_HISTORY)
    return dialogue.rpartition(_FACT)[0] if _FACT in dialogue else dialogue
