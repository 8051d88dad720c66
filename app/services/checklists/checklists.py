"""Checklists as their owners handle them: look, edit, publish, take out, bring in."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.construction.hint import Hint
from app.construction.lint import lint_checklist, lint_question
from app.domain.attribute import Attribute
from app.domain.checklist import Checklist, ChecklistStatus
from app.domain.people.actor import Right
from app.domain.project import Project
from app.domain.task import Dimension
from app.errors import ConflictError, NotReadyError
from app.services.checklists.open_edits import OpenEdits, save_open_edits
from app.services.people.text_shares import take_over_texts
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from db.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class ChecklistView:
    """A checklist with everything its lineage refers to. `attributes` are by id, also those since excluded."""

    project: Project
    dimension: Dimension
    checklist: Checklist
    attributes: dict[int, Attribute]


@use_case(Right.REVIEW)
def versions_of(workbench: Workbench, dimension_id: int, of_studies: bool = False) -> list[Checklist]:
    """Newest first: those that people work on, or those that studies of conditions made by themselves."""
    with workbench.database.read() as work:
        found = work.checklists.versions(dimension_id, of_studies)
        return [each for each in found if _is_open(workbench, work, dimension_id, each)]


@use_case(Right.REVIEW)
def versions_of_each(workbench: Workbench, dimension_ids: Sequence[int]) -> dict[int, list[Checklist]]:
    """Dimension id -> what `versions_of` finds, for those that people work on."""
    with workbench.database.read() as work:
        found = work.checklists.versions_of_each(dimension_ids)
        return {
            dimension: [each for each in versions if _is_open(workbench, work, dimension, each)]
            for dimension, versions in found.items()
        }


@use_case(Right.REVIEW)
def view_checklist(workbench: Workbench, dimension_id: int, version: int | None = None) -> ChecklistView:
    """The version asked for, else the newest. Raises NotReadyError where there is none."""
    with workbench.database.read() as work:
        project, dimension = work.projects.project_of(dimension_id), work.projects.dimension_by_id(dimension_id)
        checklist = work.checklists.find(dimension_id, version)
        if checklist and version is None and not _is_open(workbench, work, dimension_id, checklist):
            checklist = work.checklists.find(dimension_id, None, ChecklistStatus.PUBLISHED)
        if checklist is None or not _is_open(workbench, work, dimension_id, checklist):
            there = [c for c in work.checklists.versions(dimension_id) if _is_open(workbench, work, dimension_id, c)]
            raise _no_checklist(dimension.name, version, [c.version for c in there])
        attributes = {a.id: a for a in work.think_aloud.attributes(project.id, dimension_id)}
        return ChecklistView(project, dimension, checklist, attributes)


def _is_open(workbench: Workbench, work: UnitOfWork, dimension_id: int, checklist: Checklist) -> bool:
    """Readers of a project see no drafts."""
    if checklist.status is ChecklistStatus.PUBLISHED or workbench.actor.owner:
        return True
    return workbench.actor.has(Right.EDIT, work.projects.project_of(dimension_id).id)


def _no_checklist(dimension: str, version: int | None, there: list[int]) -> NotReadyError:
    if not there:
        return NotReadyError(f"{dimension} has no checklist yet.", "Build one first.")
    numbers = ", ".join(map(str, sorted(there)))
    return NotReadyError(f"{dimension} has no checklist version {version}.", f"It has: {numbers}.")


@use_case(Right.REVIEW)
def published_checklist(workbench: Workbench, dimension_id: int, version: int | None = None) -> Checklist:
    """What can be scored with: the version asked for, else the newest published one. Raises NotReadyError."""
    with workbench.database.read() as work:
        dimension = work.projects.dimension_by_id(dimension_id)
        found = work.checklists.find(dimension_id, version, ChecklistStatus.PUBLISHED)
        if found is None:
            draft = work.checklists.find(dimension_id, version)
            missing = "no published checklist" if version is None else f"no published version {version}"
            todo = f"Publish version {draft.version} first." if draft else "Build and publish one first."
            raise NotReadyError(f"{dimension.name} has {missing}.", todo)
        return found


@use_case(Right.FACILITATE, act="published a version of the checklist", about="seen")
def publish(
    workbench: Workbench,
    checklist_id: int,
    seen: Checklist | None = None,
    edits: OpenEdits | None = None,
    who: str = "",
) -> Checklist:
    """From now on this version stays as it is, and texts can be scored with it.

    Experts' answers to unchanged questions count for it too, about the texts that were drawn before.
    seen: what the person saw. Raises ConflictError where the draft isn't so any more: nobody publishes unread words.
    edits: what the person typed and hasn't saved, to be saved with it. Where one can't be saved, nothing is published.
    """
    with workbench.database.write() as work:
        if seen is not None:
            _check_unchanged(work, checklist_id, seen)
        if edits:
            save_open_edits(work, checklist_id, edits, who)
        made = work.checklists.publish(checklist_id)
        take_over_texts(work, checklist_id)
        return made


@use_case(Right.REVIEW)
def check_unchanged(workbench: Workbench, seen: Checklist) -> None:
    """Raises ConflictError where the checklist isn't what the person saw any more."""
    with workbench.database.read() as work:
        _check_unchanged(work, seen.id, seen)


def _check_unchanged(work: UnitOfWork, checklist_id: int, seen: Checklist) -> None:
    if work.checklists.get(checklist_id) != seen:
        raise ConflictError(f"Version {seen.version} was changed while you looked at it.", "Read it again first.")


@use_case(Right.EDIT, act="began a draft")
def new_draft(workbench: Workbench, checklist_id: int) -> Checklist:
    """A draft that starts as a copy of this version."""
    with workbench.database.write() as work:
        return work.checklists.get(work.checklists.new_draft(checklist_id))


@use_case(Right.REVIEW)
def hints_of(workbench: Workbench, view: ChecklistView) -> dict[int, list[Hint]]:
    """Remarks on the wording of the enabled questions, by question id; only questions that have any."""
    asked = view.checklist.asked
    found = lint_checklist([q.text for q in asked], _read_aloud(workbench, view), view.project.task.language)
    return {question.id: hints for question, hints in zip(asked, found, strict=True) if hints}


@use_case(Right.REVIEW)
def hints_on(workbench: Workbench, view: ChecklistView, text: str, question_id: int = 0) -> list[Hint]:
    """Remarks on a wording that isn't saved yet, compared with the other enabled questions."""
    others = [question.text for question in view.checklist.asked if question.id != question_id]
    return lint_question(text, others, _read_aloud(workbench, view), view.project.task.language)


def _read_aloud(workbench: Workbench, view: ChecklistView) -> list[str]:
    """What assessors read while thinking aloud: questions shouldn't be about that."""
    with workbench.database.read() as work:
        samples = [sample.text for sample in work.think_aloud.samples(view.dimension.id)]
    return [words for text in samples for words in (text.text, text.source) if words]


@use_case(Right.REVIEW)
def get_checklist(workbench: Workbench, checklist_id: int) -> Checklist:
    with workbench.database.read() as work:
        return work.checklists.get(checklist_id)
