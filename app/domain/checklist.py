"""A checklist: its questions, changes of it, proposals and comments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal


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
    """The number and status of a checklist version, without its questions."""

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


MOST_EXAMPLES = 4
"""Examples of one question."""
LONGEST_EXAMPLE = 1_500
"""Characters of an example's text, and of its reason."""


@dataclass(frozen=True, slots=True)
class Example:
    """A text or a passage with the answer that people decided ("yes", "no" or "does not apply") and the reason, "" for
    none."""

    text: str
    answer: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A yes/no question. Key questions structure the checklist; the judge is asked the enabled sub-questions.

    `attributes` are the ids of the attributes it is based on; `original` is its first wording, `reason` why it was
    changed. `guidance` tells the judge how to decide, "" for none. `weight` counts in the weighted score only.
    `may_not_apply` allows the answer "does not apply". `not_apply_reason` is why its author thinks that it may not
    apply; until somebody allows the answer, this is a proposal.

    Three fields change how its answer counts; no judge sees them. `must_not`: a yes costs the point and a no earns it.
    `cap`: the question is required, and a text that fails it scores at most this; None for no cap. `grade`: the name of
    a quality that has two or three questions as thresholds, lowest first; "" for none.

    `examples` are shown to a judge that is an LLM, at most MOST_EXAMPLES.
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
    must_not: bool = False
    cap: float | None = None
    grade: str = ""
    examples: tuple[Example, ...] = ()

    @property
    def expert_guidance(self) -> str:
        """Return what experts who answer the question are told; "" for nothing."""
        return " ".join(filter(None, ("A yes is bad here." if self.must_not else "", self.guidance)))

    @property
    def counting(self) -> str:
        """Return a phrase on how the answer counts (weight aside); "" where a yes simply earns the point."""
        said = ["a yes costs the point"] if self.must_not else []
        said += [f"required: failing it caps the score at {self.cap:g}"] if self.cap is not None else []
        return ", ".join([*said, *([f"a threshold of “{self.grade}”"] if self.grade else [])])


@dataclass(frozen=True, slots=True)
class DroppedAttribute:
    """An attribute that a stage left out, with the reason."""

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
        """Return whether the asked questions have different weights, so that the weighted score differs from the plain
        one."""
        return len({question.weight for question in self.asked}) > 1

    @property
    def asked(self) -> tuple[Question, ...]:
        """Return the questions a judge answers, in order."""
        return tuple(q for q in self.questions if q.kind is QuestionKind.SUB and q.enabled)

    @property
    def grades(self) -> dict[str, tuple[Question, ...]]:
        """Return name of a grade -> its thresholds among the asked questions, lowest first."""
        found: dict[str, tuple[Question, ...]] = {}
        for question in self.asked:
            if question.grade:
                found[question.grade] = (*found.get(question.grade, ()), question)
        return found

    @property
    def numbers(self) -> dict[int, int]:
        """Return question id -> number on screens and on paper, from 1. Questions that aren't asked are left out."""
        return {question.id: number for number, question in enumerate(self.asked, start=1)}


def unchanged_questions(
    before: Sequence[Question],
    now: Sequence[Question],
    open_before: str = "offered",
    open_now: str = "offered",
    shown_before: str | None = None,
    shown_now: str | None = None,
) -> dict[int, int]:
    """Return id in `before` -> id in `now` for each question that is unchanged.

    A question is unchanged if its text, guidance and `may_not_apply` are the same, and where it may not apply, also how
    a judge is offered that (`open_before`, `open_now`). Its examples count unless `shown_before` and `shown_now`, how a
    judge is shown them, are None, as for experts, who see none. Its answers count for both versions.
    """
    known = {_as_asked(question, open_now, shown_now): question.id for question in now}
    asked = {question.id: _as_asked(question, open_before, shown_before) for question in before}
    return {id_: known[words] for id_, words in asked.items() if words in known}


def _as_asked(question: Question, offered: str, shown: str | None) -> tuple[object, ...]:
    examples = (shown, question.examples) if question.examples and shown is not None else ()
    return question.text, question.guidance, offered if question.may_not_apply else "", examples


Kind = Literal["question", "component"]


@dataclass(frozen=True, slots=True)
class Edit:
    """New values for some fields of one question or component of a draft."""

    kind: Kind
    id: int
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """The fields that an edit changed in one question or component, with their values before and after."""

    kind: Kind
    id: int
    before: Mapping[str, Any]
    after: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """One thing a person did to a draft. `what` describes it in a few words; `who` is "" for a person without a name.

    `undoes` is the id of the change that this one undid; `undone` says whether this one was undone.
    """

    id: int
    who: str
    what: str
    steps: tuple[Step, ...]
    at: datetime
    undoes: int | None = None
    undone: bool = False


class Action(StrEnum):
    """A task that a person gives a model about questions. VALIDATE proposes any merges, rewordings and drops;
    APPLICABILITY proposes which questions may not apply."""

    REPHRASE = "rephrase"
    SIMPLER = "simpler"
    SPLIT = "split"
    MERGE = "merge"
    VALIDATE = "validate"
    APPLICABILITY = "applicability"


class ProposalStatus(StrEnum):
    OPEN = "open"
    ACCEPTED = "accepted"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A model's proposal to change a draft. `before` are the wordings of the questions `sources` at that time; `after`
    is empty for a proposal to drop them."""

    action: Action
    model: str
    sources: tuple[int, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    reason: str = ""
    status: ProposalStatus = ProposalStatus.OPEN
    decided_by: str = ""
    created_at: datetime | None = None
    decided_at: datetime | None = None
    id: int = 0


LONGEST_COMMENT = 5_000
"""Characters."""


@dataclass(frozen=True, slots=True)
class QuestionComment:
    """A comment on a question. `question` is the id it was made on, perhaps in an earlier version. `who` is "" for a
    person without a name. `settled_by` and `settled_at` say who last resolved or reopened it; `settled_at` is None if
    nobody did."""

    id: int
    question: int
    version: int
    who: str
    text: str
    at: datetime
    resolved: bool = False
    settled_by: str = ""
    settled_at: datetime | None = None
