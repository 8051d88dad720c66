"""Decisions on a question and a text: making, undoing, and settling contradictory ones."""

from dataclasses import dataclass

from app.domain.checklist import Checklist, Edit, Question
from app.domain.checklist_score import Answer
from app.domain.improvement import DECIDABLE, LONGEST_REASON, Decision, reference
from app.domain.roles_and_rights import Right
from app.domain.storable_text import check_storable
from app.errors import ConflictError, InputError, NotFoundError
from app.services.checklists.answer_draws import published
from app.services.checklists.draft_edits import question_in
from app.services.results.result_texts import draft_to_edit
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class Decided:
    """A stored decision. `draft` is the version of the draft that got the line as guidance; None if that wasn't
    asked."""

    decision: Decision
    draft: int | None = None


@use_case(Right.FACILITATE, act="decided a disagreement", about="given")
def decide_answer(
    workbench: Workbench,
    checklist_id: int,
    question_id: int,
    text_id: int,
    given: Answer,
    who: str = "",
    *,
    why: str = "",
    seen: int | None = None,
    as_guidance: bool = False,
    run_id: int | None = None,
) -> Decided:
    """Store the answer that holds for a question and a text; nobody's own answer changes. seen: the decision that the
    person saw, None for none.

    as_guidance: the line `why` becomes guidance of the question, in the newest draft with the question or a new draft;
    both are stored, or neither. Raises ConflictError if another decision was made meanwhile, InputError for an invalid
    answer or line, NotReadyError for a draft, NotFoundError for a question or text that isn't the project's or is held
    out.
    """
    line = " ".join(why.split())
    check_line(line, as_guidance)
    with workbench.database.read() as work:
        checklist = published(work, checklist_id)
        dimension_id = work.checklists.dimension_of(checklist_id)
        question = asked_question(checklist, question_id)
        check_answer(question, given)
        work.texts.in_project(work.projects.project_of(dimension_id).id, text_id)
        _check_seen(work, checklist_id, question_id, text_id, seen)
    draft, there = draft_to_edit(workbench, dimension_id, question) if as_guidance else (None, None)
    with workbench.database.write() as work:
        made = work.decisions.add(
            question_id, text_id, given, who, why=line, seen=seen, run_id=run_id, guided=line if as_guidance else ""
        )
        if draft and there:
            make_guidance(work, draft, there, line, who, "made a decision's line guidance")
    return Decided(made, draft.version if draft else None)


@use_case(Right.FACILITATE, act="undid a decision")
def undo_decision(workbench: Workbench, decision_id: int, who: str = "") -> Decision:
    """Undo a decision, so that the one before holds again; guidance made from it stays in its draft.

    Returns the decision as it is now. Raises ConflictError if it was undone before, NotFoundError.
    """
    with workbench.database.write() as work:
        work.decisions.undo(decision_id, who)
        return work.decisions.get(decision_id)


@use_case(Right.FACILITATE, act="settled decisions that contradict each other")
def settle_contradiction(workbench: Workbench, checklist_id: int, decision_id: int, who: str = "") -> Decision:
    """Settle a contradiction: undo all other decisions on the same question and text with another answer.

    Raises ConflictError if the decision was undone, or nothing contradicts it, NotFoundError.
    """
    with workbench.database.write() as work:
        kept = work.decisions.get(decision_id)
        if not kept.stands:
            raise ConflictError("This decision was undone meanwhile.", "Reload the page.")
        alike = [each for each in work.decisions.of_checklist(checklist_id).values() if kept in each]
        others = [one for each in alike for one in each if one.stands and one.text == kept.text]
        otherwise = [one for one in others if one.answer is not kept.answer]
        if not otherwise:
            raise ConflictError("Nothing contradicts this decision any more.", "Reload the page.")
        for one in otherwise:
            work.decisions.undo(one.id, who)
        return kept


def check_line(line: str, as_guidance: bool) -> None:
    check_storable(line, "The line that says why")
    if len(line) > LONGEST_REASON:
        raise InputError(
            f"The line that says why has {len(line):,} characters; {LONGEST_REASON:,} are the most.",
            "Say it in fewer words.",
        )
    if as_guidance and not line:
        raise InputError("There is no line that could become guidance.", "Write one, or decide without.")


def asked_question(checklist: Checklist, question_id: int) -> Question:
    for question in checklist.asked:
        if question.id == question_id:
            return question
    raise NotFoundError(f"Version {checklist.version} doesn't ask this question.", "Reload the page.")


def check_answer(question: Question, given: Answer) -> None:
    if given not in DECIDABLE:
        raise InputError("A decision is yes, no or does not apply.", "Skip what can't be decided.")
    if given is Answer.NOT_APPLICABLE and not question.may_not_apply:
        raise InputError("This question doesn't allow “does not apply”.", "Decide yes or no, or skip it.")


def _check_seen(work: UnitOfWork, checklist_id: int, question_id: int, text_id: int, seen: int | None) -> None:
    """Raise ConflictError if another decision was made since, before a draft is started in vain. The database checks
    again."""
    standing = reference(work.decisions.of_checklist(checklist_id).get(question_id, ())).get(text_id)
    work.decisions.check_seen(standing, seen)


def make_guidance(work: UnitOfWork, draft: Checklist, there: Question, line: str, who: str, what: str) -> None:
    """Add the line to the guidance of this question in a draft; `what` describes the change in the draft's history."""
    now = question_in(work.checklists.get(draft.id), there.id)
    if now is None:
        raise ConflictError(
            f"This question was taken out of draft {draft.version} meanwhile.", "Decide without making it guidance."
        )
    if line not in now.guidance:
        edit = Edit("question", now.id, {"guidance": f"{now.guidance} {line}".strip()})
        work.drafts.change(draft.id, who, what, [edit])
