"""Checklists: the draft, published versions, and hints on their questions."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.construction.question_hints import Hint, lint_question
from app.domain.attribute import Attribute
from app.domain.checklist import Checklist, ChecklistStatus
from app.domain.project import Dimension, Project
from app.domain.roles_and_rights import Right
from app.domain.run import RunSummary
from app.errors import ConflictError, NotReadyError
from app.services.checklists.draft_edits import OpenEdits, QuestionWording, save_open_edits
from app.services.people.text_shares import copy_draw
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class ChecklistView:
    """A checklist with everything its lineage refers to. `attributes` are by id, also excluded ones."""

    project: Project
    dimension: Dimension
    checklist: Checklist
    attributes: dict[int, Attribute]


@use_case(Right.REVIEW)
def versions_of(workbench: Workbench, dimension_id: int, of_studies: bool = False) -> list[Checklist]:
    """Return versions, newest first: those that people work on, or those made by studies of conditions
    (`of_studies`)."""
    with workbench.database.read() as work:
        found = work.checklists.versions(dimension_id, of_studies)
        return [each for each in found if _is_open(workbench, work, dimension_id, each)]


@use_case(Right.REVIEW)
def versions_of_each(workbench: Workbench, dimension_ids: Sequence[int]) -> dict[int, list[Checklist]]:
    """Return dimension id -> the versions that `versions_of` returns."""
    with workbench.database.read() as work:
        found = work.checklists.versions_of_each(dimension_ids)
        return {
            dimension: [each for each in versions if _is_open(workbench, work, dimension, each)]
            for dimension, versions in found.items()
        }


@use_case(Right.REVIEW)
def view_checklist(workbench: Workbench, dimension_id: int, version: int | None = None) -> ChecklistView:
    """Return the given version, by default the newest. Raises NotReadyError if there is none."""
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
    """Return whether the caller may see the version; readers of a project see no drafts."""
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
    """Return the published version for scoring, by default the newest. Raises NotReadyError."""
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
    """Publish a version: it can't be changed any more, and texts can be scored with it.

    Experts' answers to unchanged questions on texts already drawn count for it too. seen: what the person saw. Raises
    ConflictError if the draft has changed since, so that nobody publishes unread words. edits: the person's unsaved
    edits, saved first; if one can't be saved, nothing is published.
    """
    with workbench.database.write() as work:
        if seen is not None:
            _check_unchanged(work, checklist_id, seen)
        if edits:
            save_open_edits(work, checklist_id, edits, who)
        made = work.checklists.publish(checklist_id)
        copy_draw(work, checklist_id)
        return made


@use_case(Right.REVIEW)
def check_unchanged(workbench: Workbench, seen: Checklist) -> None:
    """Raise ConflictError if the checklist has changed since the person saw it."""
    with workbench.database.read() as work:
        _check_unchanged(work, seen.id, seen)


def _check_unchanged(work: UnitOfWork, checklist_id: int, seen: Checklist) -> None:
    if work.checklists.get(checklist_id) != seen:
        raise ConflictError(f"Version {seen.version} was changed while you looked at it.", "Read it again first.")


@use_case(Right.EDIT, act="made a draft")
def new_draft(workbench: Workbench, checklist_id: int) -> Checklist:
    """Return a new draft, a copy of this version."""
    with workbench.database.write() as work:
        return work.checklists.get(work.checklists.new_draft(checklist_id))


@use_case(Right.REVIEW)
def hints_of(workbench: Workbench, view: ChecklistView) -> dict[int, list[Hint]]:
    """Return question id -> hints on its wording, for enabled questions with hints."""
    samples = _read_aloud(workbench, view)
    found = {
        question.id: _hints(view, QuestionWording.of(question), question.id, samples)
        for question in view.checklist.asked
    }
    return {question: hints for question, hints in found.items() if hints}


@use_case(Right.REVIEW)
def hints_on(workbench: Workbench, view: ChecklistView, wording: QuestionWording, question_id: int = 0) -> list[Hint]:
    """Return hints on a wording that isn't saved yet, compared with the other enabled questions."""
    return _hints(view, wording, question_id, _read_aloud(workbench, view))


def _hints(view: ChecklistView, wording: QuestionWording, question_id: int, samples: Sequence[str]) -> list[Hint]:
    """Return hints on a wording. Thresholds of one grade aren't compared with each other, since they are similar on
    purpose."""
    others = [
        question.text
        for question in view.checklist.asked
        if question.id != question_id and not (wording.grade and wording.grade == question.grade)
    ]
    return lint_question(wording.text, others, samples, view.project.task.language, wording.must_not)


def _read_aloud(workbench: Workbench, view: ChecklistView) -> list[str]:
    """Return the texts read while thinking aloud; a question about one of them gets a hint."""
    with workbench.database.read() as work:
        samples = [sample.text for sample in work.think_aloud.samples(view.dimension.id)]
    return [words for text in samples for words in (text.text, text.source) if words]


@use_case(Right.REVIEW)
def get_checklist(workbench: Workbench, checklist_id: int) -> Checklist:
    with workbench.database.read() as work:
        return work.checklists.get(checklist_id)


@use_case(Right.REVIEW)
def runs_with(workbench: Workbench, project_id: int, checklist_id: int) -> list[RunSummary]:
    """Return the runs that asked this version's questions, newest first."""
    with workbench.database.read() as work:
        used = work.runs.with_checklist(checklist_id)
        return [run for run in work.runs.all(project_id, anchors=True) if run.id in used]
