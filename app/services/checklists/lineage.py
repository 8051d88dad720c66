"""Lineage of a checklist's questions: of a version, or of an unfinished build."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from app.attribute_analysis.pool import AttributeUse, contribution_of
from app.construction.lineage import LEFT_OUT, Branch, Flow, Lineage, Unserved, flows, lineage_of
from app.construction.steps.result import as_checklist, from_document
from app.domain.attribute import Attribute
from app.domain.checklist import Checklist
from app.domain.roles_and_rights import Right
from app.services.building.build_state import inputs_of
from app.services.checklists.checklists import view_checklist
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import UnitOfWork

__all__ = ["LEFT_OUT", "Branch", "Flow", "Unserved"]


@dataclass(frozen=True, slots=True)
class LineageView:
    """The lineage of a checklist for screens. numbers: question id -> its number, from 1. reaches: contributor -> what
    their attributes led to. to_components, to_questions: numbers of attributes for the flow chart. decisions: question
    id -> number of decisions behind a wording that was taken from a trial on decisions."""

    checklist: Checklist
    attributes: Mapping[int, Attribute]
    lineage: Lineage
    reaches: Mapping[str, AttributeUse]
    to_components: Sequence[Flow]
    to_questions: Sequence[Flow]
    decisions: Mapping[int, int] = field(default_factory=dict)

    @property
    def numbers(self) -> dict[int, int]:
        return {question.id: number for number, question in enumerate(self.checklist.asked, start=1)}

    @property
    def silent(self) -> list[str]:
        """Return contributors whose attributes led to no question."""
        return [name for name, reach in self.reaches.items() if not reach.reached]


@use_case(Right.REVIEW)
def lineage_of_version(workbench: Workbench, dimension_id: int, version: int | None = None) -> LineageView:
    """Return the lineage of the given version, by default the newest. Raises NotReadyError if there is none."""
    view = view_checklist(workbench, dimension_id, version)
    with workbench.database.read() as work:
        in_use = _in_use(work, dimension_id, view.checklist.condition)
        decisions = _decisions_behind(work, view.checklist)
    return replace(_view(view.checklist, view.attributes, in_use), decisions=decisions)


def lineage_of_checklist(workbench: Workbench, checklist_id: int) -> LineageView:
    """Return the lineage of this checklist, also of one that a study of conditions made."""
    with workbench.database.read() as work:
        checklist, dimension_id = work.checklists.get(checklist_id), work.checklists.dimension_of(checklist_id)
        project = work.projects.project_of(dimension_id)
        attributes = {a.id: a for a in work.think_aloud.attributes(project.id, dimension_id)}
        in_use = _in_use(work, dimension_id, checklist.condition)
    return _view(checklist, attributes, in_use)


@use_case(Right.EDIT)
def lineage_of_build(workbench: Workbench, build_id: int) -> LineageView:
    """Return the lineage of the checklist that the build would make now. Raises NotReadyError without questions."""
    with workbench.database.read() as work:
        build = from_document(work.builds.state(build_id)[1])
        dimension_id = work.builds.dimension_of(build_id)
        inputs = inputs_of(work, dimension_id, build.condition)
        made = as_checklist(build, inputs, "")
        project = work.projects.project_of(dimension_id)
        attributes = {a.id: a for a in work.think_aloud.attributes(project.id, dimension_id)}
    numbered = tuple(replace(question, id=number) for number, question in enumerate(made.questions, start=1))
    return _view(replace(made, questions=numbered), attributes, list(inputs.texts))


def lineage_document(view: LineageView) -> dict[str, Any]:
    """Return the lineage as JSON: the tree, attributes without a question with the reason, and each contributor's
    coverage."""
    numbers, lineage = view.numbers, view.lineage
    return {
        "dimension": view.checklist.dimension,
        "version": view.checklist.version or None,
        "components": [
            {
                "component": branch.component.name,
                "key_question": branch.key_question,
                "questions": [
                    {
                        "question": numbers[question.id],
                        "text": question.text,
                        "origin": question.origin.value,
                        "decisions": view.decisions.get(question.id, 0),
                        **({"examples": [asdict(one) for one in question.examples]} if question.examples else {}),
                        "attributes": [_attribute(view, id_) for id_ in question.attributes if id_ in view.attributes],
                    }
                    for question in branch.questions
                ],
            }
            for branch in lineage.branches
        ],
        "unserved": [
            {**_attribute(view, u.attribute), "component": u.component, "stage": u.stage, "reason": u.reason}
            for u in lineage.unserved
            if u.attribute in view.attributes
        ],
        "contributors": {
            name: {
                "given": reach.given,
                "served": reach.reached,
                "left_out": reach.dropped,
                "questions": reach.questions,
            }
            for name, reach in view.reaches.items()
        },
    }


def _attribute(view: LineageView, id_: int) -> dict[str, Any]:
    attribute = view.attributes[id_]
    return {
        "id": id_,
        "text": attribute.text,
        "contributor": attribute.contributor,
        "kind": attribute.kind.value,
        "passage": attribute.passage.to_json() if attribute.passage else None,
        "pair": asdict(attribute.pair) if attribute.pair else None,
        "questions": [view.numbers[question] for question in view.lineage.serving.get(id_, ())],
    }


def _decisions_behind(work: UnitOfWork, checklist: Checklist) -> dict[int, int]:
    """Return question id -> number of decisions behind its wording, by the newest attempt with this wording."""
    words = {question.id: (question.text, question.guidance) for question in checklist.questions}
    return {
        question: len(attempt.decisions)
        for question, attempts in work.improvements.of_checklist(checklist.id).items()
        for attempt in attempts
        if attempt.taken and (attempt.taken.text, attempt.taken.guidance) == words.get(question)
    }


def _in_use(work: UnitOfWork, dimension_id: int, condition: str) -> list[int]:
    return [] if condition == "imported" else list(inputs_of(work, dimension_id, condition).texts)


def _view(checklist: Checklist, attributes: Mapping[int, Attribute], in_use: Sequence[int]) -> LineageView:
    to_components, to_questions = flows(checklist, attributes)
    return LineageView(
        checklist,
        attributes,
        lineage_of(checklist, in_use),
        contribution_of(checklist, attributes).by_contributor,
        to_components,
        to_questions,
    )
