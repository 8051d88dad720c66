"""A checklist in the making: what every stage has made so far and what people changed in it.

Items have ids of the build's own, given once and never again. `offered` is what a later run of the stage made in place
of something a person edited: the person's stands until they decide.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from app.domain.checklist import QuestionOrigin


class Stage(StrEnum):
    """In the order they run; the value is also the name of the stage's prompt."""

    COMPONENTS = "components"
    CLUSTERS = "clusters"
    KEY_QUESTIONS = "key-questions"
    SUB_QUESTIONS = "sub-questions"
    VALIDATION = "validation"


class ChangeKind(StrEnum):
    """What validation did with one or several questions."""

    KEPT = "kept"
    MERGED = "merged"
    REWORDED = "reworded"
    DROPPED = "dropped"


class ChangeDecision(StrEnum):
    """A person's word on a change of the validator. Nobody's word counts as accepted, and is recorded as open."""

    OPEN = "open"
    ACCEPTED = "accepted"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class BuildComponent:
    """`first` is the name that the stage gave; `offered` a new (name, description), ("", "") for none any more."""

    id: int
    name: str
    description: str = ""
    origin: QuestionOrigin = QuestionOrigin.GENERATED
    first: str = ""
    offered: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Placement:
    """Where an attribute went: under components (by id), or nowhere with the reason it was left out."""

    attribute: int
    components: tuple[int, ...]
    reason: str = ""
    origin: QuestionOrigin = QuestionOrigin.GENERATED
    offered: "Placement | None" = None


@dataclass(frozen=True, slots=True)
class BuildQuestion:
    """A key question or sub-question of a component. `first` is the wording that the stage gave; `offered` a new one,
    "" where the stage does without it now."""

    id: int
    component: int
    text: str
    attributes: tuple[int, ...] = ()
    origin: QuestionOrigin = QuestionOrigin.GENERATED
    first: str = ""
    offered: str | None = None


@dataclass(frozen=True, slots=True)
class ProposedChange:
    """One line of the validator's diff: the sub-questions before (ids), the wording after ("" where dropped).

    `mine` is a person's own wording of the question after, "" without one.
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
    """Everything made so far, in the order shown. A value: edits and runs give another one.

    made_from: unit of work -> digest of the inputs it was made from. A unit is what can be made alone: a whole stage
    ("components", "validation") or one item of it ("clusters/12" for attribute 12, "key-questions/3" for component 3).
    models: the model of each stage. runs: the records of each stage's calls, oldest first.
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
        """The validator's changes that nobody decided on; a checklist takes them as proposed."""
        changes = (change for change in self.changes if change.kind is not ChangeKind.KEPT)
        return tuple(change for change in changes if change.decision is ChangeDecision.OPEN)

    def component(self, id_: int) -> BuildComponent | None:
        return next((component for component in self.components if component.id == id_), None)

    def members(self, component: int, among: Iterable[int]) -> tuple[int, ...]:
        """The attributes placed under a component, of those in use, in the order placed."""
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
    """0 for a whole stage."""
    return int(unit_.partition("/")[2] or 0)


@dataclass(frozen=True, slots=True)
class Revision:
    """One step in a build's history. `who` gave no name: "". `checklist` is the version number that was made from it,
    None for none."""

    number: int
    what: str
    who: str
    at: datetime
    checklist: int | None = None


@dataclass(frozen=True, slots=True)
class BuildSummary:
    """A build of a dimension: when it began, and which versions came out of it."""

    id: int
    condition: str
    created_at: datetime
    versions: tuple[int, ...] = ()
