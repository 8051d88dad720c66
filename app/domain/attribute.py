"""Think-aloud attributes, their contributors and samples."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.domain.passage import Passage
from app.domain.project import Text, TextPlace
from app.limits import LONGEST_FIELD


class ContributorKind(StrEnum):
    HUMAN = "human"
    LLM = "llm"


class AttributeStatus(StrEnum):
    """The use of an attribute: in use, or the reason why not. An expert sets `withdrawn` before saying "done": nobody
    else ever sees it."""

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


LONGEST_WORDS = LONGEST_FIELD


@dataclass(frozen=True, slots=True)
class ComparedTexts:
    """Two texts of the source `doc_id`, by id, and which of them a contributor found better: a, b or tie."""

    text_a: int
    text_b: int
    winner: str
    doc_id: str = ""

    @property
    def words(self) -> str:
        """Return the comparison as a phrase, which is shown beside an attribute."""
        better = {"a": f": {self.text_a} is better", "b": f": {self.text_b} is better"}.get(self.winner, ": a tie")
        return f"comparing texts {self.text_a} and {self.text_b} of {self.doc_id}{better}"


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute; it always keeps its contributor.

    `round` counts how often that contributor was asked; `original` is the wording first given; `reason` says why the
    attribute was excluded or merged, `merged_into` which attribute replaces it. `position` is its place in the
    contributor's own order, `prompted_by` the id of the sample text that prompted it, `original_dimension` the
    dimension it was moved from, "" for an attribute that was never moved. `reworded_by`: who changed the wording last,
    "" if unknown. `passage`: the words that prompted it, None where none were marked. `pair`: the two texts that its
    contributor compared, None where they compared none.
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
    passage: Passage | None = None
    pair: ComparedTexts | None = None

    @property
    def reworded_by_other(self) -> bool:
        """Return whether somebody other than its contributor wrote the current wording."""
        return bool(self.original) and self.text != self.original and self.reworded_by != self.contributor


@dataclass(frozen=True, slots=True)
class AttributeStanding:
    """The fields of one attribute that people can change later. `dimension` is the id of its current dimension."""

    id: int
    dimension: int
    text: str
    status: AttributeStatus = AttributeStatus.ACTIVE
    reason: str = ""
    merged_into: int | None = None
    reworded_by: str = ""


@dataclass(frozen=True, slots=True)
class AttributeChange:
    """The effect of one act on attributes: the state of each changed attribute before and after, in the same order.

    `missing` counts attributes of the act that were deleted or moved to another dimension meanwhile.
    """

    before: tuple[AttributeStanding, ...]
    after: tuple[AttributeStanding, ...]
    missing: int = 0


@dataclass(frozen=True, slots=True)
class SampleExclusions:
    """The texts that a dimension's samples keep out of scoring: whole documents, or only the sample texts (ids)."""

    documents: tuple[str, ...] = ()
    texts: tuple[int, ...] = ()

    def holds(self, text: Text | TextPlace) -> bool:
        return text.id in self.texts or text.doc_id in self.documents


@dataclass(frozen=True, slots=True)
class Sample:
    """A text to read while thinking aloud. `score` is the mean human rating shown with it, None where nobody rated the
    text. `chosen_by` is "auto", "diverse" (drawn to be unlike the others) or "hand"."""

    position: int
    text: Text
    score: float | None
    chosen_by: str = "auto"


@dataclass(frozen=True, slots=True)
class Transcript:
    """The text of what an expert said aloud. `audio` is the name of the stored recording, "" for a pasted text;
    `error` says why a recording has no text yet. `waiting` counts the proposals from the transcript that nobody has
    decided on."""

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
    """An attribute proposed from a transcript; it counts only once the expert accepts it. `words` is the part of the
    transcript it is based on. `attribute_id` is the attribute it became, None while undecided or declined."""

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
    """The progress of one expert on one dimension. `late` counts attributes written after others' could be seen.

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
