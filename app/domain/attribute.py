"""Considerations that came out of thinking aloud, and who had them."""

from dataclasses import dataclass
from enum import StrEnum


class ContributorKind(StrEnum):
    HUMAN = "human"
    LLM = "llm"


class AttributeStatus(StrEnum):
    ACTIVE = "active"
    EXCLUDED = "excluded"
    MERGED = "merged"


@dataclass(frozen=True, slots=True)
class Contributor:
    """One human expert or one LLM. `model` is the provider:name of an LLM, "" for people."""

    name: str
    kind: ContributorKind
    model: str = ""
    id: int = 0


@dataclass(frozen=True, slots=True)
class Attribute:
    """One consideration; it always keeps its contributor.

    `round` counts how often that contributor was asked; `original` is the wording first given; `reason` says why
    it was excluded or merged.
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
