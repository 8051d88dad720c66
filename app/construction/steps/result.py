"""The checklist that a build amounts to, with the lineage of every question."""

from collections.abc import Sequence
from dataclasses import replace

from app.construction.clusters import NOT_PLACED
from app.construction.stage import merged
from app.construction.steps.inputs import Inputs
from app.construction.validation import ValidationChange
from app.construction.validation_diff import decided
from app.domain.build import Build, BuildQuestion, ChangeDecision, ChangeKind, ProposedChange, Stage
from app.domain.checklist import (
    Checklist,
    ChecklistStatus,
    Component,
    DroppedAttribute,
    Question,
    QuestionKind,
    QuestionOrigin,
)
from app.errors import NotReadyError

BY_HAND = "added by hand"


def as_checklist(build: Build, inputs: Inputs, model: str) -> Checklist:
    """A draft: key questions first, then sub-questions. Changes that nobody decided count as accepted.

    Raises NotReadyError where there are no sub-questions yet.
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
    """The sub-questions after all changes but the refused ones; those that no change speaks of come last."""
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
    """The question after a change: in the first one's place, on the attributes of all."""
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
    """Left out by clustering, or serving only questions that validation dropped."""
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
