"""Edits of a build by a person. Every function returns the build after the edit; nothing else in it changes.

Raises InputError for an impossible edit, NotFoundError for an item that no longer exists.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from app.construction.stage import tidy
from app.construction.steps.result import Inputs, digests
from app.domain.build import (
    Build,
    BuildComponent,
    BuildQuestion,
    ChangeDecision,
    Placement,
    ProposedChange,
    Stage,
    unit,
)
from app.domain.checklist import QuestionOrigin
from app.errors import InputError, NotFoundError

LEFT_OUT = "left out by hand"

Item = TypeVar("Item", BuildComponent, BuildQuestion, ProposedChange)


def describe_component(build: Build, component_id: int, name: str, description: str) -> Build:
    """Change a component's name or description."""
    old = _found(build.components, component_id)
    new_name = free_name(build, name, component_id)
    new_description = tidy(description)
    if (new_name, new_description) == (old.name, old.description):
        return build
    edited = replace(old, name=new_name, description=new_description, origin=_touched(old.origin))
    return replace(build, components=_with(build.components, edited))


def add_component(build: Build, name: str, description: str = "") -> Build:
    number = build.last_id + 1
    added = BuildComponent(number, free_name(build, name), tidy(description), QuestionOrigin.ADDED)
    return replace(build, components=(*build.components, added), last_id=number)


def remove_component(build: Build, component_id: int) -> Build:
    """Remove a component and its questions; its attributes wait to be placed again."""
    _found(build.components, component_id)
    placements = []
    for placement in build.placements:
        left = tuple(id_ for id_ in placement.components if id_ != component_id)
        if left or not placement.components:
            placements.append(replace(placement, components=left))
    units = {unit(stage, component_id) for stage in (Stage.KEY_QUESTIONS, Stage.SUB_QUESTIONS)}
    placed = {placement.attribute for placement in placements}
    units |= {unit(Stage.CLUSTERS, p.attribute) for p in build.placements if p.attribute not in placed}
    return replace(
        build,
        components=tuple(c for c in build.components if c.id != component_id),
        placements=tuple(placements),
        key_questions=tuple(q for q in build.key_questions if q.component != component_id),
        sub_questions=tuple(q for q in build.sub_questions if q.component != component_id),
        made_from={name: digest for name, digest in build.made_from.items() if name not in units},
    )


def place_attributes(
    build: Build, inputs: Inputs, attributes: Sequence[int], component_id: int | None, reason: str = ""
) -> Build:
    """Place attributes under one component, or leave them out (None), with a reason; "" keeps an earlier reason."""
    if component_id is not None:
        _found(build.components, component_id)
    if any(attribute not in inputs.texts for attribute in attributes):
        raise NotFoundError("One of these attributes is not in use any more.", "Look at them again.")
    target = () if component_id is None else (component_id,)
    placed = {p.attribute: p for p in build.placements}
    for attribute in attributes:
        old = placed.get(attribute)
        earlier = old.reason if old and not old.components else ""
        why = "" if target else reason.strip() or earlier or LEFT_OUT
        if old is None or (old.components, old.reason) != (target, why):
            placed[attribute] = Placement(attribute, target, why, QuestionOrigin.EDITED)
    changed = replace(build, placements=tuple(placed.values()))
    for attribute in attributes:
        changed = _made_by_hand(changed, inputs, unit(Stage.CLUSTERS, attribute))
    return changed


def reword_question(build: Build, stage: Stage, question_id: int, text: str) -> Build:
    """Change the wording of a key question or sub-question."""
    old = _found(build.questions(stage), question_id)
    wording = _wording(text)
    if wording == old.text:
        return build
    return build.with_questions(stage, _with(build.questions(stage), _reworded(old, wording)))


def add_question(build: Build, inputs: Inputs, stage: Stage, component_id: int, text: str) -> Build:
    """Add a person's own question, without attributes; a component has at most one key question."""
    _found(build.components, component_id)
    there = build.questions(stage)
    if stage is Stage.KEY_QUESTIONS and any(q.component == component_id for q in there):
        raise InputError("This component has its key question.", "Reword it.")
    number = build.last_id + 1
    added = BuildQuestion(number, component_id, _wording(text), origin=QuestionOrigin.ADDED)
    last = max((i for i, q in enumerate(there) if q.component == component_id), default=len(there) - 1)
    changed = replace(build, last_id=number).with_questions(stage, (*there[: last + 1], added, *there[last + 1 :]))
    name = unit(stage, component_id)
    return changed if name in build.made_from else _made_by_hand(changed, inputs, name)


def remove_question(build: Build, question_id: int) -> Build:
    """Remove a sub-question; a component without any left is to be asked about again."""
    gone = _found(build.sub_questions, question_id)
    left = tuple(q for q in build.sub_questions if q.id != question_id)
    made = dict(build.made_from)
    if not any(q.component == gone.component for q in left):
        made.pop(unit(Stage.SUB_QUESTIONS, gone.component), None)
    return replace(build, sub_questions=left, made_from=made)


def decide(build: Build, change_id: int, decision: ChangeDecision) -> Build:
    """Record a person's decision on one of the validator's changes."""
    change = _found(build.changes, change_id)
    return replace(build, changes=_with(build.changes, replace(change, decision=decision)))


def decide_all(build: Build, decision: ChangeDecision) -> Build:
    """Record the same decision on every undecided change."""
    changes = (replace(c, decision=decision) if c.decision is ChangeDecision.OPEN else c for c in build.changes)
    return replace(build, changes=tuple(changes))


def reword_change(build: Build, change_id: int, text: str) -> Build:
    """Change the wording of the question after a change, which accepts the change."""
    change = _found(build.changes, change_id)
    if not change.after:
        raise InputError("This change drops a question.", "Refuse it to keep the question.")
    wording = _wording(text)
    mine = wording if wording != change.after else ""
    return replace(build, changes=_with(build.changes, replace(change, mine=mine, decision=ChangeDecision.ACCEPTED)))


def _made_by_hand(build: Build, inputs: Inputs, name: str) -> Build:
    """Mark a unit as made by a person: it needs no model until its inputs change."""
    now = digests(build, inputs)
    return replace(build, made_from={**build.made_from, name: now[name]}) if name in now else build


def _reworded(old: BuildQuestion, wording: str) -> BuildQuestion:
    """Return the question with a wording; the first wording again is no edit any more."""
    origin = (
        QuestionOrigin.GENERATED
        if old.origin is QuestionOrigin.EDITED and wording == old.first
        else _touched(old.origin)
    )
    return replace(old, text=wording, origin=origin, offered=None)


def _touched(origin: QuestionOrigin) -> QuestionOrigin:
    return QuestionOrigin.EDITED if origin is QuestionOrigin.GENERATED else origin


def _wording(text: str) -> str:
    wording = tidy(text)
    if not wording:
        raise InputError("The question is empty.", "Write a question that can be answered yes or no.")
    return wording


def free_name(build: Build, name: str, component_id: int = 0) -> str:
    wanted = tidy(name)
    if not wanted:
        raise InputError("A component needs a name.", "One to four words will do.")
    if any(c.name.casefold() == wanted.casefold() and c.id != component_id for c in build.components):
        raise InputError(f"There is a component “{wanted}” already.", "Choose another name.")
    return wanted


def _found(items: tuple[Item, ...], id_: int) -> Item:
    found = next((item for item in items if item.id == id_), None)
    if found is None:
        raise NotFoundError("This is no longer part of the build.", "Reload the page to see its newest state.")
    return found


def _with(items: tuple[Item, ...], changed: Item) -> tuple[Item, ...]:
    return tuple(changed if item.id == changed.id else item for item in items)


@dataclass(frozen=True, slots=True)
class Offer:
    """A stage's proposal against a person's edit: `mine` and `new` in words; `new` is "" if the stage drops the
    item."""

    stage: Stage
    item: int
    mine: str
    new: str


def offers(build: Build) -> list[Offer]:
    """Return everything a person has to decide about, in the order of the stages."""
    names = {component.id: component.name for component in build.components}
    found = [
        Offer(Stage.COMPONENTS, c.id, _described(c.name, c.description), _described(*c.offered))
        for c in build.components
        if c.offered is not None
    ]
    found += [
        Offer(Stage.CLUSTERS, p.attribute, _place(p.components, p.reason, names), _place(o.components, o.reason, names))
        for p in build.placements
        if (o := p.offered) is not None
    ]
    for stage in (Stage.KEY_QUESTIONS, Stage.SUB_QUESTIONS):
        found += [Offer(stage, q.id, q.text, q.offered) for q in build.questions(stage) if q.offered is not None]
    return found


def keep_own_edit(build: Build, stage: Stage, item: int) -> Build:
    """Keep the person's version and discard the offer."""
    if not any((o.stage, o.item) == (stage, item) for o in offers(build)):
        raise NotFoundError("This was decided already.", "Reload the page.")
    match stage:
        case Stage.COMPONENTS:
            return replace(
                build, components=tuple(replace(c, offered=None) if c.id == item else c for c in build.components)
            )
        case Stage.CLUSTERS:
            placements = (replace(p, offered=None) if p.attribute == item else p for p in build.placements)
            return replace(build, placements=tuple(placements))
    kept = tuple(replace(q, offered=None) if q.id == item else q for q in build.questions(stage))
    return build.with_questions(stage, kept)


def accept_new_version(build: Build, stage: Stage, item: int) -> Build:
    """Replace the person's version by the stage's; the person's stays in the build's history."""
    offer = next((o for o in offers(build) if (o.stage, o.item) == (stage, item)), None)
    if offer is None:
        raise NotFoundError("This was decided already.", "Reload the page.")
    match stage:
        case Stage.COMPONENTS:
            if not offer.new:
                return remove_component(build, item)
            return replace(build, components=tuple(_renamed(build, c) if c.id == item else c for c in build.components))
        case Stage.CLUSTERS:
            return replace(
                build,
                placements=tuple(
                    p.offered if p.attribute == item and p.offered is not None else p for p in build.placements
                ),
            )
    taken = [_taken(q) if q.id == item else q for q in build.questions(stage)]
    return build.with_questions(stage, (q for q in taken if q is not None))


def _renamed(build: Build, component: BuildComponent) -> BuildComponent:
    name, description = component.offered or (component.name, component.description)
    return replace(
        component,
        name=free_name(build, name, component.id),
        description=description,
        origin=QuestionOrigin.GENERATED,
        first=name,
        offered=None,
    )


def _taken(question: BuildQuestion) -> BuildQuestion | None:
    if not question.offered:
        return None
    return replace(
        question, text=question.offered, first=question.offered, origin=QuestionOrigin.GENERATED, offered=None
    )


def _described(name: str, description: str) -> str:
    return f"{name}: {description}" if description else name


def _place(components: tuple[int, ...], reason: str, names: dict[int, str]) -> str:
    where = ", ".join(names.get(id_, "") for id_ in components)
    return where or f"left out: {reason}"
