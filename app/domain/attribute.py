"""Considerations that came out of thinking aloud, and who had them."""

from dataclasses import dataclass
from enum import StrEnum


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
