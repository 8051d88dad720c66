"""Think-aloud attributes, their contributors and samples."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.domain.project import Text, TextPlace


class ContributorKind(StrEnum):
    HUMAN = "human"
    LLM = "llm"


class AttributeStatus(StrEnum):
    """`withdrawn` is what an expert removed before saying "done": nobody else ever sees it."""

    ACTIVE = "active"
    EXCLUDED = "excluded"
    MERGED = "merged"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Contributor:
    """One human expert or one LLM. `model` is the provider:name of an LLM, "" for people.

    `role` and `background` are what an expert said about themselves, "" for nothing (InteractEval, Table 1).
    """

    name: str
    kind: ContributorKind
    model: str = ""
    id: int = 0
    role: str = ""
    background: str = ""


@dataclass(frozen=True, slots=True)
class Attribute:
    """One consideration; it always keeps its contributor.

    `round` counts how often that contributor was asked; `original` is the wording first given; `reason` says why
    it was excluded or merged, `merged_into` which attribute stands for it now. `position` is the contributor's own
    order, `prompted_by` the text of the sample that prompted it, `original_dimension` where it was said before it was
    moved, "" for what never moved. `reworded_by`: who changed the wording last, "" where that is not known.
    """

    dimension: str
    contributor: str
    kind: ContributorKind
    text: str
    status: AttributeStatus = AttributeStatus.ACTIVE
    round: int = 1
    id: int = 0
    reason: str = ""
    original: str = ""
    position: int = 0
    merged_into: int | None = None
    prompted_by: int | None = None
    original_dimension: str = ""
    reworded_by: str = ""

    @property
    def reworded_by_other(self) -> bool:
        """Whether the wording is not its contributor's own."""
        return bool(self.original) and self.text != self.original and self.reworded_by != self.contributor


@dataclass(frozen=True, slots=True)
class AttributeStanding:
    """How one attribute stands, as far as people change it later; `dimension` is the id of the one it is about now."""

    id: int
    dimension: int
    text: str
    status: AttributeStatus = AttributeStatus.ACTIVE
    reason: str = ""
    merged_into: int | None = None
    reworded_by: str = ""


@dataclass(frozen=True, slots=True)
class AttributeChange:
    """What one act did to attributes: how those that it changed stood before and stand since, in the same order.

    `missing`: how many it was meant for that are gone, or are no longer about the dimension.
    """

    before: tuple[AttributeStanding, ...]
    after: tuple[AttributeStanding, ...]
    missing: int = 0


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
