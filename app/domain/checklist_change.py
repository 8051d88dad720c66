"""Edits of a draft as they stand in its history: who changed what, and what it was before."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

Kind = Literal["question", "component"]


@dataclass(frozen=True, slots=True)
class Edit:
    """New values for some fields of one question or component of a draft."""

    kind: Kind
    id: int
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """What an edit changed in one question or component: the same fields before and after."""

    kind: Kind
    id: int
    before: Mapping[str, Any]
    after: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """One thing a person did to a draft. `what` says it in a few words; `who` is "" for somebody without a name.

    `undoes` is the change that this one took back, `undone` whether this one was taken back.
    """

    id: int
    who: str
    what: str
    steps: tuple[Step, ...]
    at: datetime
    undoes: int | None = None
    undone: bool = False
