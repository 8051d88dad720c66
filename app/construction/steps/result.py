"""Inputs and state of a build's stages, the checklist made from it, and its stored document."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from app.construction.components import NOT_PLACED
from app.construction.stage import merged
from app.construction.validation import ValidationChange, decided
from app.domain.attribute import Attribute
from app.domain.build import (
    Build,
    BuildComponent,
    BuildQuestion,
    ChangeDecision,
    ChangeKind,
    Placement,
    ProposedChange,
    Stage,
    item_of,
    stage_of,
    unit,
)
from app.domain.checklist import (
    Checklist,
    ChecklistStatus,
    Component,
    DroppedAttribute,
    Question,
    QuestionKind,
    QuestionOrigin,
)
from app.domain.project import Dimension, Task
from app.errors import NotReadyError

DIGEST_LENGTH = 16


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a build starts from: the task, the dimension, and the attributes in use under its condition."""

    task: Task
    dimension: Dimension
    attributes: Sequence[Attribute]

    @property
    def texts(self) -> dict[int, str]:
        return {attribute.id: attribute.text for attribute in self.attributes}


@dataclass(frozen=True, slots=True)
class StageState:
    """State of a stage by units: `missing` were never made, `edited` were made from other inputs, `gone` have lost
    their inputs.

    ready: the earlier stages have made what this one needs. made: there is something to show.
    """

    stage: Stage
    ready: bool
    made: bool
    missing: tuple[str, ...]
    edited: tuple[str, ...]
    gone: tuple[str, ...] = ()

    @property
    def to_ask(self) -> tuple[str, ...]:
        """The units to ask a model about."""
        return (*self.missing, *self.edited)

    @property
    def stale(self) -> bool:
        return self.made and bool(self.to_ask or self.gone)


def digests(build: Build, inputs: Inputs) -> dict[str, str]:
    """Return every unit that should exist, with the digest of its present inputs."""
    texts = inputs.texts
    about = [
        inputs.task.text_name,
        inputs.task.source_name,
        inputs.task.description,
        inputs.task.language,
        inputs.dimension.name,
        inputs.dimension.rubric,
    ]
    found = {unit(Stage.COMPONENTS): _digest(about, build.max_components, list(texts.values()))}
    if not build.components:
        return found
    named = [[c.name, c.description] for c in build.components]
    found |= {unit(Stage.CLUSTERS, id_): _digest(about, named, text) for id_, text in texts.items()}
    keys = {question.component: question.text for question in build.key_questions}
    for component in with_members(build, inputs):
        noted = sorted(texts[id_] for id_ in build.members(component.id, texts))
        key = unit(Stage.KEY_QUESTIONS, component.id)
        found[key] = _digest(about, component.name, component.description, noted)
        if component.id in keys:
            sub = unit(Stage.SUB_QUESTIONS, component.id)
            found[sub] = _digest(about, component.name, keys[component.id], noted)
    if build.sub_questions:
        found[unit(Stage.VALIDATION)] = _digest(about, reviewed(build))
    return found


def with_members(build: Build, inputs: Inputs) -> list[BuildComponent]:
    """Return the components that questions are written for: those with attributes in use."""
    texts = inputs.texts
    return [component for component in build.components if build.members(component.id, texts)]


def reviewed(build: Build) -> list[tuple[str, str]]:
    """Return what the validator reads: (component, question), in order."""
    names = {component.id: component.name for component in build.components}
    return [(names.get(question.component, ""), question.text) for question in build.sub_questions]


def states(build: Build, inputs: Inputs) -> dict[Stage, StageState]:
    """Return the state of every stage. A stage isn't ready while something of an earlier one is missing."""
    wanted = digests(build, inputs)
    by_stage: dict[Stage, list[str]] = {stage: [] for stage in Stage}
    for name in wanted:
        by_stage[stage_of(name)].append(name)
    made = {
        Stage.COMPONENTS: bool(build.components),
        Stage.CLUSTERS: bool(build.placements),
        Stage.KEY_QUESTIONS: bool(build.key_questions),
        Stage.SUB_QUESTIONS: bool(build.sub_questions),
        Stage.VALIDATION: bool(build.changes),
    }
    return {
        stage: StageState(
            stage,
            ready=bool(by_stage[stage]),
            made=made[stage],
            missing=tuple(name for name in by_stage[stage] if name not in build.made_from),
            edited=tuple(name for name in by_stage[stage] if build.made_from.get(name, wanted[name]) != wanted[name]),
            gone=_gone(build, stage, wanted),
        )
        for stage in Stage
    }


def _gone(build: Build, stage: Stage, wanted: Mapping[str, str]) -> tuple[str, ...]:
    """Return components that lost all their attributes but still have generated questions."""
    if stage not in (Stage.KEY_QUESTIONS, Stage.SUB_QUESTIONS):
        return ()
    generated = (q.component for q in build.questions(stage) if q.origin is QuestionOrigin.GENERATED)
    return tuple(name for name in dict.fromkeys(unit(stage, id_) for id_ in generated) if name not in wanted)


def items(units: Sequence[str]) -> set[int]:
    return {item_of(name) for name in units}


def accept_units(build: Build, inputs: Inputs, stage: Stage) -> Mapping[str, str]:
    """Return `made_from` with the stage's units marked as made from the present inputs, as a person looked at and kept
    them."""
    now = {name: digest for name, digest in digests(build, inputs).items() if stage_of(name) is stage}
    return {**build.made_from, **now}


def _digest(*parts: Any) -> str:
    canonical = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:DIGEST_LENGTH]


BY_HAND = "added by hand"


def as_checklist(build: Build, inputs: Inputs, model: str) -> Checklist:
    """Return a draft: key questions first, then sub-questions. Undecided changes count as accepted.

    Raises NotReadyError without sub-questions.
    """
    if not build.sub_questions:
        raise NotReadyError(f"There are no questions for {inputs.dimension.name} yet.", "Run the stages before.")
    names = {component.id: component.name for component in build.components}
    keys = {q.component: q.text for q in build.key_questions}
    key_questions = [_question(q, names, {}, QuestionKind.KEY) for q in build.key_questions]
    questions = _final(build, names, keys)
    asked = {q.component for q in (*key_questions, *questions)}
    components = tuple(
        Component(c.name, c.description, members, position)
        for position, c in enumerate(build.components)
        if (members := build.members(c.id, inputs.texts)) or c.name in asked
    )
    return Checklist(
        dimension=inputs.dimension.name,
        version=0,
        status=ChecklistStatus.DRAFT,
        condition=build.condition,
        model=model,
        components=components,
        questions=tuple(replace(q, position=n) for n, q in enumerate((*key_questions, *questions))),
        dropped=_dropped(build, inputs, questions),
    )


def _final(build: Build, names: dict[int, str], keys: dict[int, str]) -> tuple[Question, ...]:
    """Return the sub-questions after all changes but the refused ones; those without a change come last."""
    before = {q.id: _question(q, names, keys, QuestionKind.SUB) for q in build.sub_questions}
    changes: list[ValidationChange] = []
    refused: list[int] = []
    for proposed in build.changes:
        sources = [q for q in build.sub_questions if q.id in proposed.before]
        if not sources:
            continue
        if proposed.decision is ChangeDecision.REFUSED:
            refused.append(len(changes))
        questions = tuple(before[id_] for id_ in proposed.before if id_ in before)
        after = _after(proposed, sources, questions[0]) if proposed.after else None
        changes.append(ValidationChange(proposed.kind, questions, after, proposed.reason))
    spoken_of = {id_ for proposed in build.changes for id_ in proposed.before}
    left = [question for id_, question in before.items() if id_ not in spoken_of]
    kept = [ValidationChange(ChangeKind.KEPT, (question,), question, "") for question in left]
    return decided([*changes, *kept], refused)


def _after(change: ProposedChange, sources: Sequence[BuildQuestion], first: Question) -> Question:
    """Return the question after a change: in the first one's place, with the attributes of all."""
    if change.kind is ChangeKind.KEPT:
        return first
    origins = {question.origin for question in sources}
    touched = change.mine or origins != {QuestionOrigin.GENERATED}
    by_hand = origins == {QuestionOrigin.ADDED}
    origin = QuestionOrigin.ADDED if by_hand else QuestionOrigin.EDITED if touched else QuestionOrigin.GENERATED
    return replace(
        first,
        text=change.mine or change.after,
        attributes=merged(question.attributes for question in sources),
        origin=origin,
        reason=change.reason,
        original=change.after,
    )


def _question(question: BuildQuestion, names: dict[int, str], keys: dict[int, str], kind: QuestionKind) -> Question:
    return Question(
        text=question.text,
        component=names.get(question.component, ""),
        kind=kind,
        key_question=keys.get(question.component, ""),
        attributes=question.attributes,
        origin=question.origin,
        reason=BY_HAND if question.origin is QuestionOrigin.ADDED else "",
        original=question.first,
    )


def _dropped(build: Build, inputs: Inputs, questions: tuple[Question, ...]) -> tuple[DroppedAttribute, ...]:
    """Return the attributes that clustering left out, or that are only behind questions that validation dropped."""
    texts = inputs.texts
    found = {
        p.attribute: DroppedAttribute(p.attribute, Stage.CLUSTERS, p.reason or NOT_PLACED)
        for p in build.placements
        if not p.components and p.attribute in texts
    }
    serving = {id_ for question in questions for id_ in question.attributes}
    by_id = {question.id: question for question in build.sub_questions}
    for change in build.changes:
        if change.kind is ChangeKind.DROPPED and change.decision is not ChangeDecision.REFUSED:
            lost = merged(by_id[id_].attributes for id_ in change.before if id_ in by_id)
            for id_ in lost:
                if id_ not in serving and id_ not in found:
                    found[id_] = DroppedAttribute(id_, Stage.VALIDATION, change.reason)
    return tuple(found.values())


def to_document(build: Build) -> dict[str, Any]:
    return asdict(build)


def from_document(document: Mapping[str, Any]) -> Build:
    """Return the build of a document. Raises KeyError or ValueError unless `to_document` made it."""
    return Build(
        condition=document["condition"],
        max_components=document["max_components"],
        models={Stage(stage): model for stage, model in document["models"].items()},
        components=tuple(map(_component, document["components"])),
        placements=tuple(map(_placement, document["placements"])),
        key_questions=tuple(map(_read_question, document["key_questions"])),
        sub_questions=tuple(map(_read_question, document["sub_questions"])),
        changes=tuple(map(_change, document["changes"])),
        made_from=document["made_from"],
        runs={Stage(stage): tuple(ids) for stage, ids in document["runs"].items()},
        last_id=document["last_id"],
    )


def _component(entry: Mapping[str, Any]) -> BuildComponent:
    offered = entry["offered"]
    fields = {
        **entry,
        "origin": QuestionOrigin(entry["origin"]),
        "offered": tuple(offered) if offered is not None else None,
    }
    return BuildComponent(**fields)


def _placement(entry: Mapping[str, Any]) -> Placement:
    offered = entry["offered"]
    return Placement(
        entry["attribute"],
        tuple(entry["components"]),
        entry["reason"],
        QuestionOrigin(entry["origin"]),
        _placement(offered) if offered is not None else None,
    )


def _read_question(entry: Mapping[str, Any]) -> BuildQuestion:
    return BuildQuestion(
        **{**entry, "attributes": tuple(entry["attributes"]), "origin": QuestionOrigin(entry["origin"])}
    )


def _change(entry: Mapping[str, Any]) -> ProposedChange:
    return ProposedChange(
        **{
            **entry,
            "kind": ChangeKind(entry["kind"]),
            "before": tuple(entry["before"]),
            "decision": ChangeDecision(entry["decision"]),
        }
    )
