"""Drift anchors: texts with frozen answers, and looks at a judge's later answers to them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from app.domain.checklist_score import Answer


class DriftVerdict(StrEnum):
    UNCHANGED = "no change seen"
    JUDGE_CHANGED = "judge changed"
    TEXTS_CHANGED = "the texts changed"
    TOO_FEW = "not enough anchors"


@dataclass(frozen=True, slots=True)
class AnchorSet:
    """Texts with frozen answers. `answers`: (text, question) -> the decided answer, else the majority of experts, when
    the set was frozen. `digest` identifies the set as it was then."""

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
    """One run of `judge` on the anchors. `against` is the judge whose reference run it is compared with; a reference
    run itself has no figures."""

    id: int
    run: int
    judge: str
    against: str
    is_reference: bool
    at: datetime
    figures: Mapping[str, Any] = field(default_factory=dict)
    verdict: str = ""
