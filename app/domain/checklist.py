"""A checklist and where each of its questions comes from."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class QuestionKind(StrEnum):
    KEY = "key"
    SUB = "sub"


class QuestionOrigin(StrEnum):
    GENERATED = "generated"
    EDITED = "edited"
    ADDED = "added"


class ChecklistStatus(StrEnum):
    DRAFT = "draft"
    PUBLISHED = "published"


@dataclass(frozen=True, slots=True)
class ChecklistVersion:
    """A version by its number and standing, for whoever needs no more of it."""

    id: int
    version: int
    status: ChecklistStatus


@dataclass(frozen=True, slots=True)
class Component:
    """A key sub-concept of a dimension, with the ids of the attributes clustered under it."""

    name: str
    description: str = ""
    attributes: tuple[int, ...] = ()
    position: int = 0
    id: int = 0


@dataclass(frozen=True, slots=True)
class Question:
    """A yes/no question. Key questions structure the checklist; the judge is asked the enabled sub-questions.

    `attributes` are the ids of those it came from; `original` is its first wording, `reason` why it was changed.
    `guidance` tells the judge how to decide, "" for nothing. `weight` counts in the weighted score only.
    `may_not_apply`: "does not apply" is an answer to it. `not_apply_reason` is why whoever wrote it thinks so, which is
    a proposal as long as nobody allowed it.
    """

    text: str
    component: str
    kind: QuestionKind = QuestionKind.SUB
    key_question: str = ""
    attributes: tuple[int, ...] = ()
    position: int = 0
    enabled: bool = True
    weight: float = 1.0
    origin: QuestionOrigin = QuestionOrigin.GENERATED
    reason: str = ""
    original: str = ""
    id: int = 0
    guidance: str = ""
    may_not_apply: bool = False
    not_apply_reason: str = ""


@dataclass(frozen=True, slots=True)
class DroppedAttribute:
    """An attribute that a stage left out, on record with the reason."""

    attribute: int
    stage: str
    reason: str


@dataclass(frozen=True, slots=True)
class Checklist:
    """The questions of one dimension, versioned; immutable once published."""

    dimension: str
    version: int
    status: ChecklistStatus
    condition: str
    model: str
    components: tuple[Component, ...] = ()
    questions: tuple[Question, ...] = ()
    dropped: tuple[DroppedAttribute, ...] = ()
    parent: int | None = None
    created_at: datetime | None = None
    published_at: datetime | None = None
    id: int = 0

    @property
    def weighted(self) -> bool:
        """Whether the questions asked count differently, so that a weighted score says something of its own."""
        return len({question.weight for question in self.asked}) > 1

    @property
    def asked(self) -> tuple[Question, ...]:
        """The questions a judge answers, in order."""
        return tuple(q for q in self.questions if q.kind is QuestionKind.SUB and q.enabled)

    @property
    def numbers(self) -> dict[int, int]:
        """Question id -> its number, from 1, on screens and on paper. A question that isn't asked has none."""
        return {question.id: number for number, question in enumerate(self.asked, start=1)}


def unchanged_questions(
    before: Sequence[Question], now: Sequence[Question], open_before: str = "offered", open_now: str = "offered"
) -> dict[int, int]:
    """Return the ids of the questions `before` that `now` still asks -> their ids there.

    A question is unchanged where its text and guidance are the same, and whether it may not apply. Answers to it count
    for both versions, those of judges and those of experts. `open_before` and `open_now` are the words in which a judge
    is offered "does not apply"; experts are always offered it alike.
    """
    known = {_as_asked(question, open_now): question.id for question in now}
    asked = {question.id: _as_asked(question, open_before) for question in before}
    return {id_: known[words] for id_, words in asked.items() if words in known}


def _as_asked(question: Question, offered: str) -> tuple[str, str, str]:
    return question.text, question.guidance, offered if question.may_not_apply else ""
