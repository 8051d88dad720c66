"""A checklist: its questions, their changes, proposals and comments."""

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
    """A version by its number and status, without its questions."""

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
"""Of one question."""
LONGEST_EXAMPLE = 1_500
"""Characters of an example's text, and of its reason."""


@dataclass(frozen=True, slots=True)
class Example:
    """A text, or a passage of one, with the answer to the question that people decided ("yes", "no" or "does not
    apply") and why, "" for no reason."""

    text: str
    answer: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A yes/no question. Key questions structure the checklist; the judge is asked the enabled sub-questions.

    `attributes` are the ids of those it came from; `original` is its first wording, `reason` why it was changed.
    `guidance` tells the judge how to decide, "" for nothing. `weight` counts in the weighted score only.
    `may_not_apply`: "does not apply" is an answer to it. `not_apply_reason` is why its author thinks so, which is
    a proposal as long as nobody allowed it.

    How its answer counts, which no judge is told: `must_not`: a yes costs the point and a no earns it. `cap`: the
    question is required, and a text that fails it scores this at most; None where it isn't. `grade` names a quality of
    which the question is one of two or three thresholds, in their order, lowest first; "" for none.

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
        """What experts who answer it are told; "" for nothing."""
        return " ".join(filter(None, ("A yes is bad here." if self.must_not else "", self.guidance)))

    @property
    def counting(self) -> str:
        """How its answer counts beside its weight, in a few words for people; "" where yes earns the point."""
        said = ["a yes costs the point"] if self.must_not else []
        said += [f"required: failing it caps the score at {self.cap:g}"] if self.cap is not None else []
        return ", ".join([*said, *([f"a threshold of “{self.grade}”"] if self.grade else [])])


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
    def grades(self) -> dict[str, tuple[Question, ...]]:
        """Name of a quality -> its thresholds among the questions asked, lowest first."""
        found: dict[str, tuple[Question, ...]] = {}
        for question in self.asked:
            if question.grade:
                found[question.grade] = (*found.get(question.grade, ()), question)
        return found

    @property
    def numbers(self) -> dict[int, int]:
        """Question id -> its number, from 1, on screens and on paper. A question that isn't asked has none."""
        return {question.id: number for number, question in enumerate(self.asked, start=1)}


def unchanged_questions(
    before: Sequence[Question],
    now: Sequence[Question],
    open_before: str = "offered",
    open_now: str = "offered",
    shown_before: str | None = None,
    shown_now: str | None = None,
) -> dict[int, int]:
    """Return the ids of the questions `before` that `now` still asks -> their ids there.

    A question is unchanged where its text, guidance and examples are the same, and whether it may not apply. Answers to
    it count for both versions, those of judges and those of experts. `open_before` and `open_now` are the words in
    which a judge is offered "does not apply", `shown_before` and `shown_now` those in which it is shown examples.
    Experts are always offered it alike, and see no examples: None.
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


class Action(StrEnum):
    """What was asked for. A validator's proposals are merges, rewordings and drops of its own choosing; applicability
    asks which questions may not apply."""

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
    """`before` are the wordings of the questions `sources` when it was made; `after` is empty where they would go."""

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
    """`question` is the one it was made on, perhaps in an earlier version. `who` is "" for somebody without a name.

    `settled_by` and `settled_at` say who resolved it last or took it up again; `settled_at` is None where nobody did.
    """

    id: int
    question: int
    version: int
    who: str
    text: str
    at: datetime
    resolved: bool = False
    settled_by: str = ""
    settled_at: datetime | None = None
