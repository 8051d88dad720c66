"""Think-aloud: the samples people and LLMs read, what experts said aloud, and how far each expert is.

Experts think aloud independently: nobody sees what others wrote before saying "done".
"""

from dataclasses import dataclass
from datetime import datetime

from app.domain.text import Text, TextPlace


@dataclass(frozen=True, slots=True)
class HeldBack:
    """What the samples of a dimension keep out of its scoring: whole documents, or the sample texts alone (by id)."""

    documents: tuple[str, ...] = ()
    texts: tuple[int, ...] = ()

    def holds(self, text: Text | TextPlace) -> bool:
        return text.id in self.texts or text.doc_id in self.documents


@dataclass(frozen=True, slots=True)
class Sample:
    """`score` is the mean human rating shown with it, None where nobody rated the text; `chosen_by` is "auto" or
    "hand"."""

    position: int
    text: Text
    score: float | None
    chosen_by: str = "auto"


@dataclass(frozen=True, slots=True)
class Transcript:
    """`audio` is the name of the kept recording, "" for a pasted text; `error` says why it isn't text yet.

    `waiting` counts the proposals from it that nobody has decided on.
    """

    id: int
    dimension_id: int
    expert: str
    text: str
    audio: str = ""
    model: str = ""
    error: str = ""
    created_at: datetime | None = None
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class ProposedAttribute:
    """`words` are the part of the transcript it came from. It counts for nothing until the expert accepts it.

    `attribute_id`: what it became; None while nobody has decided, or where it was declined.
    """

    text: str
    words: str
    id: int = 0
    attribute_id: int | None = None
    declined: bool = False

    @property
    def open(self) -> bool:
        return self.attribute_id is None and not self.declined


@dataclass(frozen=True, slots=True)
class ExpertProgress:
    """One expert on one dimension. `late` counts what was written after others' attributes could be seen.

    `role` and `background` are what the expert said about themselves, "" for nothing.
    """

    expert: str
    dimension: str
    attributes: int
    done: bool
    late: int = 0
    last_at: datetime | None = None
    role: str = ""
    background: str = ""
