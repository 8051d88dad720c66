"""Requests of the construction's stages, and merging of the model's answers."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from app.construction.components import cluster_attributes, extract_components
from app.construction.questions import write_key_questions, write_sub_questions
from app.construction.stage import StageContext, StageRecord
from app.construction.steps.result import Inputs, digests, items
from app.construction.validation import validate_questions
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
)
from app.domain.checklist import Component, Question, QuestionKind, QuestionOrigin
from app.errors import NotReadyError
from app.providers.base import ChatModel

WrittenQuestion = tuple[str, tuple[int, ...]]  # a question and the attributes it rests on


@dataclass(frozen=True, slots=True)
class StageAnswer:
    """A stage's answer; one of the fields is filled, according to the stage.

    made_from: the units asked about, with the digests of the inputs they were made from.
    components: (name, description). placements: attribute -> (components, reason if left out).
    questions: component -> its questions. changes: (kind, questions before, wording after, reason).
    """

    stage: Stage
    made_from: Mapping[str, str]
    components: tuple[tuple[str, str], ...] = ()
    placements: Mapping[int, tuple[tuple[int, ...], str]] = field(default_factory=dict)
    questions: Mapping[int, tuple[WrittenQuestion, ...]] = field(default_factory=dict)
    changes: tuple[tuple[ChangeKind, tuple[int, ...], str, str], ...] = ()


NEEDS = {
    Stage.COMPONENTS: "Add attributes first.",
    Stage.CLUSTERS: "Find the components first.",
    Stage.KEY_QUESTIONS: "Place the attributes under components first.",
    Stage.SUB_QUESTIONS: "Write the key questions first.",
    Stage.VALIDATION: "Write the sub-questions first.",
}


async def ask(
    stage: Stage, units: Collection[str], build: Build, inputs: Inputs, model: ChatModel, context: StageContext
) -> tuple[StageAnswer, StageRecord]:
    """Send one request about these units of the stage alone.

    Raises NotReadyError if the earlier stages have not made what it needs, and what the stages raise.
    """
    now = digests(build, inputs)
    asked = {name: now[name] for name in units if name in now and stage_of(name) is stage}
    if not asked:
        raise NotReadyError(f"There is nothing to make for the {stage.value} of {inputs.dimension.name}.", NEEDS[stage])
    answer = StageAnswer(stage, asked)
    match stage:
        case Stage.COMPONENTS:
            return await _components(answer, build, inputs, model, context)
        case Stage.CLUSTERS:
            return await _clusters(answer, build, inputs, model, context)
        case Stage.VALIDATION:
            return await _validation(answer, build, model, context)
    return await _questions(answer, build, inputs, model, context)


async def _components(
    answer: StageAnswer, build: Build, inputs: Inputs, model: ChatModel, context: StageContext
) -> tuple[StageAnswer, StageRecord]:
    result = await extract_components(model, context, inputs.attributes, build.max_components)
    return replace(answer, components=tuple((c.name, c.description) for c in result.output)), result.record


async def _clusters(
    answer: StageAnswer, build: Build, inputs: Inputs, model: ChatModel, context: StageContext
) -> tuple[StageAnswer, StageRecord]:
    wanted = items(list(answer.made_from))
    attributes = [attribute for attribute in inputs.attributes if attribute.id in wanted]
    components = [Component(c.name, c.description, id=c.id) for c in build.components]
    some = len(attributes) < len(inputs.attributes)
    result = await cluster_attributes(model, context, components, attributes, may_drop_all=some)
    under = {a.id: tuple(c.id for c in result.output.components if a.id in c.attributes) for a in attributes}
    reasons = {dropped.attribute: dropped.reason for dropped in result.output.dropped}
    placements = {id_: (components, reasons.get(id_, "")) for id_, components in under.items()}
    return replace(answer, placements=placements), result.record


async def _questions(
    answer: StageAnswer, build: Build, inputs: Inputs, model: ChatModel, context: StageContext
) -> tuple[StageAnswer, StageRecord]:
    wanted = items(list(answer.made_from))
    texts = inputs.texts
    components = [
        Component(c.name, c.description, build.members(c.id, texts), id=c.id)
        for c in build.components
        if c.id in wanted
    ]
    if answer.stage is Stage.KEY_QUESTIONS:
        result = await write_key_questions(model, context, components, inputs.attributes)
    else:
        names = {c.id: c.name for c in components}
        keys = [
            Question(q.text, names[q.component], QuestionKind.KEY) for q in build.key_questions if q.component in names
        ]
        result = await write_sub_questions(model, context, components, keys, inputs.attributes)
    written = {
        component.id: tuple((q.text, q.attributes) for q in result.output if q.component == component.name)
        for component in components
    }
    return replace(answer, questions=written), result.record


async def _validation(
    answer: StageAnswer, build: Build, model: ChatModel, context: StageContext
) -> tuple[StageAnswer, StageRecord]:
    names = {component.id: component.name for component in build.components}
    questions = [
        Question(q.text, names.get(q.component, ""), attributes=q.attributes, id=q.id) for q in build.sub_questions
    ]
    result = await validate_questions(model, context, questions)
    changes = tuple(
        (change.kind, tuple(q.id for q in change.before), change.after.text if change.after else "", change.reason)
        for change in result.output.changes
    )
    return replace(answer, changes=changes), result.record


Item = TypeVar("Item", BuildComponent, BuildQuestion)


def merge_answer(build: Build, answer: StageAnswer) -> Build:
    """Return the build with the answer merged. Each unit asked about keeps the inputs it was asked with, so that later
    changes show; questions of components that are gone meanwhile are skipped."""
    match answer.stage:
        case Stage.COMPONENTS:
            build = _merged_components(build, answer)
        case Stage.CLUSTERS:
            build = _placements(build, answer)
        case Stage.KEY_QUESTIONS:
            build = _key_questions(build, answer)
        case Stage.SUB_QUESTIONS:
            build = _sub_questions(build, answer)
        case Stage.VALIDATION:
            build = _changes(build, answer)
    there = {component.id for component in build.components}
    made = {
        name: digest
        for name, digest in answer.made_from.items()
        if answer.stage not in (Stage.KEY_QUESTIONS, Stage.SUB_QUESTIONS) or item_of(name) in there
    }
    return replace(build, made_from={**build.made_from, **made})


def drop_orphans(build: Build, stage: Stage, components: set[int]) -> Build:
    """Return the build without generated questions of components that lost all their attributes."""
    kept = (
        q for q in build.questions(stage) if q.component not in components or q.origin is not QuestionOrigin.GENERATED
    )
    return build.with_questions(stage, kept)


def _merged_components(build: Build, answer: StageAnswer) -> Build:
    """Return the build with the answer's components, matched by their present or first name."""
    last = build.last_id
    old = _recognised([name for name, _ in answer.components], build.components, lambda c: (c.name, c.first))
    found: list[BuildComponent] = []
    for number, (name, description) in enumerate(answer.components):
        if number in old:
            found.append(_offered_component(old[number], name, description))
        else:
            last += 1
            found.append(BuildComponent(last, name, description, first=name))
    recognised = {component.id for component in old.values()}
    found += _held(build, [c for c in build.components if c.id not in recognised])
    kept = {component.id for component in found}
    return replace(
        build,
        components=tuple(found),
        placements=tuple(
            replace(p, components=tuple(id_ for id_ in p.components if id_ in kept)) for p in build.placements
        ),
        key_questions=tuple(q for q in build.key_questions if q.component in kept),
        sub_questions=tuple(q for q in build.sub_questions if q.component in kept),
        last_id=last,
    )


def _held(build: Build, left: Sequence[BuildComponent]) -> list[BuildComponent]:
    """Return which of the components that the stage no longer makes are kept: those that a person added or edited."""
    questions = (*build.key_questions, *build.sub_questions)
    worked_on = {q.component for q in questions if q.origin is not QuestionOrigin.GENERATED}
    worked_on |= {c.id for c in left if c.origin is QuestionOrigin.EDITED}
    return [
        component if component.origin is QuestionOrigin.ADDED else replace(component, offered=("", ""))
        for component in left
        if component.origin is QuestionOrigin.ADDED or component.id in worked_on
    ]


def _recognised(
    new: Sequence[str], old: Sequence[Item], wordings: Callable[[Item], tuple[str, str]]
) -> dict[int, Item]:
    """Return index of a new name or wording -> the old item with it: as its present one, else as its first."""
    left, found = list(old), dict[int, Item]()
    for which in (0, 1):
        for number, wording in enumerate(new):
            same = (item for item in left if wordings(item)[which].casefold() == wording.casefold())
            item = next(same, None) if number not in found else None
            if item is not None:
                found[number] = item
                left.remove(item)
    return found


def _offered_component(old: BuildComponent, name: str, description: str) -> BuildComponent:
    if old.origin is QuestionOrigin.GENERATED:
        return replace(old, name=name, description=description, first=name, offered=None)
    same = (old.name, old.description) == (name, description)
    return replace(old, offered=None if same else (name, description))


def _placements(build: Build, answer: StageAnswer) -> Build:
    there = {component.id for component in build.components}
    placed = {p.attribute: p for p in build.placements}
    for attribute, (components, reason) in answer.placements.items():
        new = Placement(attribute, tuple(id_ for id_ in components if id_ in there), reason)
        old = placed.get(attribute)
        by_hand = old is not None and old.origin is not QuestionOrigin.GENERATED
        if old is None or not by_hand or (old.components == () and not old.reason):
            placed[attribute] = new
        else:
            same = set(old.components) == set(new.components)
            placed[attribute] = replace(old, offered=None if same else new)
    return replace(build, placements=tuple(placed.values()))


def _key_questions(build: Build, answer: StageAnswer) -> Build:
    last = build.last_id
    by_component = {question.component: question for question in build.key_questions}
    for component, ((text, attributes), *_) in answer.questions.items():
        old = by_component.get(component)
        if old is None:
            last += 1
            by_component[component] = BuildQuestion(last, component, text, attributes, first=text)
        elif old.origin is QuestionOrigin.GENERATED:
            by_component[component] = replace(old, text=text, attributes=attributes, first=text)
        else:
            same = text in (old.text, old.first)
            by_component[component] = replace(old, attributes=attributes, offered=None if same else text)
    in_order = (by_component[c.id] for c in build.components if c.id in by_component)
    return replace(build.with_questions(Stage.KEY_QUESTIONS, in_order), last_id=last)


def _sub_questions(build: Build, answer: StageAnswer) -> Build:
    last = build.last_id
    by_component: dict[int, list[BuildQuestion]] = {}
    for question in build.sub_questions:
        by_component.setdefault(question.component, []).append(question)
    for component, written in answer.questions.items():
        by_component[component], last = _rewritten(by_component.get(component, []), component, written, last)
    in_order = (question for c in build.components for question in by_component.get(c.id, ()))
    return replace(build.with_questions(Stage.SUB_QUESTIONS, in_order), last_id=last)


def _rewritten(
    old: list[BuildQuestion], component: int, written: tuple[WrittenQuestion, ...], last: int
) -> tuple[list[BuildQuestion], int]:
    """Return a component's sub-questions after it was asked about again, matched by their first or present wording."""
    same = _recognised([text for text, _ in written], old, lambda q: (q.text, q.first))
    found: list[BuildQuestion] = []
    for number, (text, attributes) in enumerate(written):
        if number in same:
            found.append(replace(same[number], attributes=same[number].attributes or attributes, offered=None))
        else:
            last += 1
            found.append(BuildQuestion(last, component, text, attributes, first=text))
    recognised = {question.id for question in same.values()}
    for question in old:
        if question.id not in recognised and question.origin is not QuestionOrigin.GENERATED:
            edited = question.origin is QuestionOrigin.EDITED
            found.append(replace(question, offered="") if edited else question)
    return found, last


def _changes(build: Build, answer: StageAnswer) -> Build:
    """Return the build with new changes. A decision stays if the validator proposes the same again; a person's wording
    if the change is about the same questions."""
    last = build.last_id
    before = {(change.kind, change.before, change.after): change for change in build.changes}
    worded = {change.before: change.mine for change in build.changes if change.mine}
    found = []
    for kind, questions, after, reason in answer.changes:
        last += 1
        old = before.get((kind, questions, after))
        mine = worded.get(questions, "") if after else ""
        decision = old.decision if old else ChangeDecision.ACCEPTED if mine else ChangeDecision.OPEN
        found.append(ProposedChange(last, kind, questions, after, reason, decision, mine))
    return replace(build, changes=tuple(found), last_id=last)
