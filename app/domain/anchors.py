"""Anchors: texts that experts answered, frozen to see whether a judge still answers as it did."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from app.domain.judgment import Answer


class DriftVerdict(StrEnum):
    STEADY = "no change seen"
    JUDGE_CHANGED = "judge changed"
    TEXTS_CHANGED = "the texts changed"
    TOO_FEW = "not enough anchors"


@dataclass(frozen=True, slots=True)
class AnchorSet:
    """`answers`: (text, question) -> what most experts said when it was frozen. `digest` as it was then."""

    id: int
    dimension: int
    checklist: int
    texts: tuple[int, ...]
    answers: Mapping[tuple[int, int], Answer]
    digest: str
    frozen_by: str
    frozen_at: datetime


@dataclass(frozen=True, slots=True)
class AnchorLook:
    """One asking of `judge` about the anchors. `against` is the judge whose reference it is compared with; a reference
    itself has no figures."""

    id: int
    run: int
    judge: str
    against: str
    is_reference: bool
    at: datetime
    figures: Mapping[str, Any] = field(default_factory=dict)
    verdict: str = ""
