"""A build, which is a checklist in the making: what each stage has made so far and what people changed in it.

Each item has an id that is unique in its build and never reused. `offered` is what a later run of the stage made for an
item that a person had edited: the person's version stays until they decide.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from app.domain.checklist import QuestionOrigin


class Stage(StrEnum):
    """The stages of a build in the order they run. The value is also the name of the stage's prompt."""

    COMPONENTS = "components"
    CLUSTERS = "clusters"
    KEY_QUESTIONS = "key-questions"
    SUB_QUESTIONS = "sub-questions"
    VALIDATION = "validation"


class ChangeKind(StrEnum):
    """The kind of a change that validation made to one or more questions."""

    KEPT = "kept"
    MERGED = "merged"
    REWORDED = "reworded"
    DROPPED = "dropped"


class ChangeDecision(StrEnum):
    """A person's decision on a change that the validator proposes. A change nobody decided on stays OPEN and counts as
    accepted."""

    OPEN = "open"
    ACCEPTED = "accepted"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class BuildComponent:
    """A component of a build. `first` is the name that the stage gave. `offered` is the (name, description) of a later
    run, ("", "") where that run no longer has the component, None without such a run."""

    id: int
    name: str
    description: str = ""
    origin: QuestionOrigin = QuestionOrigin.GENERATED
    first: str = ""
    offered: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Placement:
    """The components (ids) that an attribute was placed under, or none and the reason it was left out."""

    attribute: int
    components: tuple[int, ...]
    reason: str = ""
    origin: QuestionOrigin = QuestionOrigin.GENERATED
    offered: "Placement | None" = None


@dataclass(frozen=True, slots=True)
class BuildQuestion:
    """A key question or sub-question of a component. `first` is the wording that the stage gave. `offered` is the
    wording of a later run, "" where that run no longer has the question."""

    id: int
    component: int
    text: str
    attributes: tuple[int, ...] = ()
    origin: QuestionOrigin = QuestionOrigin.GENERATED
    first: str = ""
    offered: str | None = None


@dataclass(frozen=True, slots=True)
class ProposedChange:
    """One change that the validator proposes: ids of the sub-questions before, and the wording after, "" if dropped.

    `mine` is a person's own wording for the result, "" for none.
    """

    id: int
    kind: ChangeKind
    before: tuple[int, ...]
    after: str
    reason: str = ""
    decision: ChangeDecision = ChangeDecision.OPEN
    mine: str = ""


@dataclass(frozen=True, slots=True)
class Build:
    """Everything made so far, in the order shown. Frozen: an edit or a run returns a new build.

    made_from: unit of work -> digest of the inputs it was made from. A unit is the smallest part that can be made
    alone: a whole stage ("components", "validation") or one item of it ("clusters/12" for attribute 12,
    "key-questions/3" for component 3). models: the model of each stage. runs: the ids of the records of each stage's
    calls, oldest first.
    """

    condition: str
    max_components: int
    models: Mapping[Stage, str]
    components: tuple[BuildComponent, ...] = ()
    placements: tuple[Placement, ...] = ()
    key_questions: tuple[BuildQuestion, ...] = ()
    sub_questions: tuple[BuildQuestion, ...] = ()
    changes: tuple[ProposedChange, ...] = ()
    made_from: Mapping[str, str] = field(default_factory=dict)
    runs: Mapping[Stage, tuple[int, ...]] = field(default_factory=dict)
    last_id: int = 0

    @property
    def undecided(self) -> tuple[ProposedChange, ...]:
        """Return the validator's changes that nobody decided on; a checklist made from the build applies them."""
        changes = (change for change in self.changes if change.kind is not ChangeKind.KEPT)
        return tuple(change for change in changes if change.decision is ChangeDecision.OPEN)

    def component(self, id_: int) -> BuildComponent | None:
        return next((component for component in self.components if component.id == id_), None)

    def members(self, component: int, among: Iterable[int]) -> tuple[int, ...]:
        """Return those of the attributes `among` that are placed under a component, in the order placed."""
        in_use = set(among)
        return tuple(p.attribute for p in self.placements if component in p.components and p.attribute in in_use)

    def questions(self, stage: Stage) -> tuple[BuildQuestion, ...]:
        return self.key_questions if stage is Stage.KEY_QUESTIONS else self.sub_questions

    def with_questions(self, stage: Stage, questions: Iterable[BuildQuestion]) -> "Build":
        if stage is Stage.KEY_QUESTIONS:
            return replace(self, key_questions=tuple(questions))
        return replace(self, sub_questions=tuple(questions))


def unit(stage: Stage, item: int = 0) -> str:
    return f"{stage.value}/{item}" if item else stage.value


def stage_of(unit_: str) -> Stage:
    return Stage(unit_.partition("/")[0])


def item_of(unit_: str) -> int:
    """Return the id of the item in the name of a unit of work, 0 for a whole stage."""
    return int(unit_.partition("/")[2] or 0)


@dataclass(frozen=True, slots=True)
class Revision:
    """One step in a build's history. `who` is "" for a person without a name. `checklist` is the number of the version
    that was made from this revision, None for none."""

    number: int
    what: str
    who: str
    at: datetime
    checklist: int | None = None


@dataclass(frozen=True, slots=True)
class BuildSummary:
    """A build of a dimension: its condition, when it began, and the checklist versions made from it."""

    id: int
    condition: str
    created_at: datetime
    versions: tuple[int, ...] = ()
