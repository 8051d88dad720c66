"""Comments on questions, and proposals to change questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.construction.question_hints import similarity
from app.construction.questions import APPLICABILITY, ask_applicability, prompt_name, rewrite
from app.construction.stage import StageContext, merged
from app.construction.validation import open_changes, validate_questions
from app.domain.checklist import (
    LONGEST_COMMENT,
    Action,
    Checklist,
    ChecklistStatus,
    Edit,
    Proposal,
    ProposalStatus,
    Question,
    QuestionComment,
    QuestionOrigin,
)
from app.domain.project import Dimension, Project
from app.domain.roles_and_rights import Right
from app.domain.run import StageRun
from app.errors import ConflictError, InputError, NotFoundError, NotReadyError
from app.services.background.jobs import start_job
from app.services.background.progress import Progress, job_kind
from app.services.checklists.draft_edits import QuestionWording, new_question, question_in
from app.services.checklists.expert_answers import unfinished_sheet
from app.services.runtime.models import ask_model
from app.services.runtime.prompts import answered, answered_stage
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import UnitOfWork

SAID = {
    Action.REPHRASE: "took a model's wording",
    Action.SIMPLER: "took a model's simpler wording",
    Action.SPLIT: "split a question",
    Action.MERGE: "merged questions",
    Action.VALIDATE: "accepted a change of the validator",
    Action.APPLICABILITY: "allowed a question not to apply",
}


@use_case(Right.REVIEW)
def open_proposals(workbench: Workbench, checklist_id: int) -> list[Proposal]:
    with workbench.database.read() as work:
        return work.proposals.of(checklist_id, ProposalStatus.OPEN)


def most_alike(checklist: Checklist, question: Question) -> list[Question]:
    """Return the other asked questions, those with the most similar wording first, as candidates for merging."""
    others = [other for other in checklist.asked if other.id != question.id]
    return sorted(others, key=lambda other: -similarity(other.text, question.text))


@dataclass(frozen=True, slots=True)
class ProposalJob:
    """The job that asks a model about questions of a draft. `action` None: the validator reviews all of them."""

    checklist_id: int
    action: Action | None
    question_ids: tuple[int, ...]
    model: str


def proposals_job_key(checklist_id: int) -> str:
    return f"proposals_{checklist_id}"


@use_case(Right.FACILITATE)
def begin_proposals(
    workbench: Workbench, checklist_id: int, action: Action | None, question_ids: Sequence[int], model: str
) -> None:
    """Ask for proposals in the background; action: None for the validator. Raises ConflictError while such a job
    runs."""
    title = f"Asking {model}" if action else "Reviewing the questions"
    job = ProposalJob(checklist_id, action, tuple(question_ids), model)
    start_job(workbench, proposals_job_key(checklist_id), title, job)


@job_kind(ProposalJob)
def _propose(workbench: Workbench, job: ProposalJob, _: Progress) -> str:
    if job.action is Action.APPLICABILITY:
        named = propose_applicability(workbench, job.checklist_id, job.model)
        return f"{named:,} proposed." if named else "It found that every question always applies."
    if job.action is not None:
        propose(workbench, job.checklist_id, job.action, job.question_ids, job.model)
        return ""
    found = propose_validation(workbench, job.checklist_id, job.model)
    changes = f"{found:,} change" if found == 1 else f"{found:,} changes"
    return f"{changes} proposed." if found else "The review found nothing to change."


@use_case(Right.FACILITATE, act="asked for proposals", about="model")
def propose(
    workbench: Workbench, checklist_id: int, action: Action, question_ids: Sequence[int], model: str
) -> Proposal:
    """Ask a model to rephrase, simplify, split or merge questions of a draft.

    Raises NotFoundError for deleted questions, and errors of the model.
    """
    project, dimension, checklist = _about(workbench, checklist_id)
    questions = [_question(checklist, id_) for id_ in question_ids]
    if len({(question.must_not, question.cap, question.grade) for question in questions}) > 1:
        raise InputError("These questions count differently.", "Merge questions that count alike.")
    others = [q.text for q in checklist.asked if q.id not in question_ids]
    found, name = ask_model(
        workbench, project.id, model, lambda opened: rewrite(opened, project.task, dimension, action, questions, others)
    )
    proposal = Proposal(action, name, tuple(question_ids), tuple(q.text for q in questions), found.texts, found.reason)
    record = answered(prompt_name(action), name, found.request.prompt, found.answer.reply)
    _keep(workbench, checklist_id, dimension.id, [proposal], record)
    return proposal


@use_case(Right.FACILITATE, act="asked for a validation", about="model")
def propose_validation(workbench: Workbench, checklist_id: int, model: str) -> int:
    """Let the validator review the asked questions; returns how many changes it proposes.

    Undecided proposals of an earlier review are refused, because the questions may have changed. Questions marked
    `must_not` and thresholds of a grade are left out, since the validator would reverse or merge them. Raises
    NotReadyError if no question is left to review, and errors of the model.
    """
    project, dimension, checklist = _about(workbench, checklist_id)
    reviewed = [question for question in checklist.asked if not (question.must_not or question.grade)]
    context = StageContext(project.task, dimension)
    result, name = ask_model(workbench, project.id, model, lambda opened: validate_questions(opened, context, reviewed))
    proposals = [
        Proposal(
            Action.VALIDATE,
            name,
            tuple(q.id for q in change.before),
            tuple(q.text for q in change.before),
            (change.after.text,) if change.after else (),
            change.reason,
        )
        for _, change in open_changes(result.output.changes)
    ]
    record = answered_stage(result.record)
    _keep(workbench, checklist_id, dimension.id, proposals, record, replaces=Action.VALIDATE)
    return len(proposals)


@use_case(Right.FACILITATE, act="asked which questions may not apply", about="model")
def propose_applicability(workbench: Workbench, checklist_id: int, model: str) -> int:
    """Ask a model which asked questions may not apply, and why; returns how many it names.

    Undecided earlier proposals are refused. Raises NotReadyError if no question is left to ask about, and errors of the
    model.
    """
    project, dimension, checklist = _about(workbench, checklist_id)
    left = [question for question in checklist.asked if not question.may_not_apply]
    found, name = ask_model(
        workbench, project.id, model, lambda opened: ask_applicability(opened, project.task, dimension, left)
    )
    proposals = [
        Proposal(Action.APPLICABILITY, name, (question.id,), (question.text,), (question.text,), reason)
        for question, reason in found.questions
    ]
    record = answered(APPLICABILITY, name, found.request.prompt, found.answer.reply)
    _keep(workbench, checklist_id, dimension.id, proposals, record, replaces=Action.APPLICABILITY)
    return len(proposals)


@use_case(Right.FACILITATE, act="proposed a wording", about="model")
def propose_wording(
    workbench: Workbench, dimension_id: int, question: str, text: str, reason: str, model: str
) -> Proposal:
    """Store a proposal, by an external agent, to reword the question with the wording `question` in the newest draft.

    It is open until a person decides. Raises NotReadyError without a draft, NotFoundError if it has no such question,
    InputError for an invalid or unchanged wording.
    """
    wording, named = QuestionWording(text).tidy().text, " ".join(question.split())
    with workbench.database.write() as work:
        draft = work.checklists.find(dimension_id, None, ChecklistStatus.DRAFT)
        if draft is None:
            raise NotReadyError("There is no draft that a wording could be proposed for.", "A facilitator begins one.")
        found = next((each for each in draft.asked if each.text == named), None)
        if found is None:
            raise NotFoundError("The draft has no question with this wording.", "Give it as the draft has it.")
        if wording == found.text:
            raise InputError("This is the question's own wording.", "Propose another one.")
        said = " ".join(reason.split())
        proposal = Proposal(Action.REPHRASE, model, (found.id,), (found.text,), (wording,), said)
        work.proposals.add(draft.id, [proposal])
    return proposal


@use_case(Right.EDIT, act="accepted a proposal")
def accept_proposal(workbench: Workbench, proposal_id: int, who: str = "") -> None:
    """Apply a proposal. Raises ConflictError if it was decided or its questions have changed since."""
    with workbench.database.write() as work:
        checklist_id, proposal = _undecided(work, proposal_id)
        checklist = work.checklists.get(checklist_id)
        questions = [question_in(checklist, id_) for id_ in proposal.sources]
        there = [question for question in questions if question is not None]
        if tuple(question.text for question in there) != proposal.before:
            raise ConflictError("The question was changed since this was proposed.", "Refuse it, or ask again.")
        work.drafts.change(checklist_id, who, SAID[proposal.action], _edits(work, checklist, proposal, there))
        work.proposals.decide(proposal_id, ProposalStatus.ACCEPTED, who)


@use_case(Right.EDIT, act="refused a proposal")
def refuse(workbench: Workbench, proposal_id: int, who: str = "") -> None:
    """Refuse a proposal: it stays on record, and the draft is unchanged."""
    with workbench.database.write() as work:
        _undecided(work, proposal_id)
        work.proposals.decide(proposal_id, ProposalStatus.REFUSED, who)


def _undecided(work: UnitOfWork, proposal_id: int) -> tuple[int, Proposal]:
    checklist_id, proposal = work.proposals.get(proposal_id)
    if proposal.status is not ProposalStatus.OPEN:
        by = f" by {proposal.decided_by}" if proposal.decided_by else ""
        raise ConflictError(f"This was {proposal.status.value}{by} already.", "Reload the page.")
    return checklist_id, proposal


def _edits(work: UnitOfWork, checklist: Checklist, proposal: Proposal, questions: Sequence[Question]) -> list[Edit]:
    """Return the edits of a proposal. The first question gets the first new wording and all attributes; the others are
    removed; further wordings become new questions after it with the same attributes."""
    first, *rest = questions
    if proposal.action is Action.APPLICABILITY:
        return [Edit("question", first.id, {"may_not_apply": True, "not_apply_reason": proposal.reason})]
    edits = [Edit("question", question.id, {"removed": True, "reason": proposal.reason}) for question in rest]
    if not proposal.after:
        return [Edit("question", first.id, {"removed": True, "reason": proposal.reason}), *edits]
    attributes = list(merged(question.attributes for question in questions))
    origin = QuestionOrigin.EDITED if first.origin is QuestionOrigin.GENERATED else first.origin
    may_not_apply = any(question.may_not_apply for question in questions)
    values: dict[str, object] = {
        "text": proposal.after[0],
        "reason": proposal.reason,
        "origin": origin.value,
        "attributes": attributes,
    }
    values |= {"may_not_apply": True} if may_not_apply else {}
    edits.append(Edit("question", first.id, values))
    further = proposal.after[1:]
    later = [q for q in checklist.questions if q.position > first.position]
    edits += [Edit("question", q.id, {"position": q.position + len(further)}) for q in later if further]
    for number, text in enumerate(further, start=1):
        wording = replace(QuestionWording.of(first), text=text, guidance="", may_not_apply=may_not_apply, grade="")
        position = first.position + number
        _, edit = new_question(work, checklist, wording, position, proposal.reason, origin, attributes)
        edits.append(edit)
    return edits


def _keep(
    workbench: Workbench,
    checklist_id: int,
    dimension_id: int,
    proposals: Sequence[Proposal],
    record: StageRun,
    replaces: Action | None = None,
) -> None:
    with workbench.database.write() as work:
        for earlier in work.proposals.of(checklist_id, ProposalStatus.OPEN):
            if earlier.action is replaces:
                work.proposals.decide(earlier.id, ProposalStatus.REFUSED, "a newer review")
        work.proposals.add(checklist_id, proposals, work.stages.add(dimension_id, record))


def _about(workbench: Workbench, checklist_id: int) -> tuple[Project, Dimension, Checklist]:
    with workbench.database.read() as work:
        dimension = work.projects.dimension_by_id(work.checklists.dimension_of(checklist_id))
        return work.projects.project_of(dimension.id), dimension, work.checklists.get(checklist_id)


def _question(checklist: Checklist, question_id: int) -> Question:
    found = question_in(checklist, question_id)
    if found is None:
        raise NotFoundError("This question is no longer there.", "Reload the page.")
    return found


@use_case(Right.REVIEW)
def comments_on(workbench: Workbench, checklist_id: int) -> Mapping[int, Sequence[QuestionComment]]:
    """Return question -> comments, oldest first, with those on earlier versions of it. An expert who hasn't finished
    answering sees only their own, because comments reveal answers."""
    with workbench.database.read() as work:
        found = work.question_comments.of_checklist(checklist_id)
    name = _still_answering(workbench, checklist_id)
    if not name:
        return found
    own = {question: [one for one in said if one.who == name] for question, said in found.items()}
    return {question: said for question, said in own.items() if said}


@use_case(Right.REVIEW)
def sees_all_comments(workbench: Workbench, checklist_id: int) -> bool:
    """Return whether the caller sees all comments: not an expert with unanswered texts on the dimension."""
    return not _still_answering(workbench, checklist_id)


def _still_answering(workbench: Workbench, checklist_id: int) -> str:
    """Return the caller's name if they are an expert with unanswered texts; else ""."""
    with workbench.database.read() as work:
        dimension_id = work.checklists.dimension_of(checklist_id)
        name = workbench.actor.expert_in(work.projects.project_of(dimension_id).id)
    return name if name and unfinished_sheet(workbench, dimension_id, name) else ""


@use_case(Right.EDIT, act="commented on a question", about="text")
def comment_on(workbench: Workbench, question_id: int, text: str, who: str = "") -> None:
    """Comment on a question of any version. Raises InputError for an empty or too long comment, NotFoundError."""
    said = text.strip()
    if not said:
        raise InputError("There is nothing in the comment.", "Write what others should know about this question.")
    if len(said) > LONGEST_COMMENT:
        raise InputError(
            f"The comment has {len(said):,} characters; {LONGEST_COMMENT:,} are the most.", "Say it in fewer words."
        )
    with workbench.database.write() as work:
        work.question_comments.add(question_id, who, said)


@use_case(Right.EDIT, act="resolved a comment")
def settle_comment(workbench: Workbench, comment_id: int, resolved: bool, who: str = "") -> None:
    """Resolve a comment, or reopen it; both stay on record. Raises NotFoundError."""
    with workbench.database.write() as work:
        work.question_comments.settle(comment_id, "resolved" if resolved else "reopened", who)
