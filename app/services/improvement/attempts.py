"""Attempts at better wordings: begun in the background, and taken, edited or refused by people."""

from dataclasses import dataclass, replace

from app.domain.checklist import QuestionOrigin
from app.domain.checklist_change import Edit
from app.domain.people.actor import Right
from app.domain.questions.improvement import Improvement, ImprovementStatus, ProposedWording
from app.errors import ConflictError, InputError, NotFoundError
from app.meta_evaluation.judges.proof_words import proof_sentence, proof_standing
from app.services.background.jobs import start_job
from app.services.background.kinds import job_kind
from app.services.background.progress import Progress
from app.services.checklists.draft_edits import QuestionWording, question_in
from app.services.improvement.decided import TAKEN, TAKEN_EDITED
from app.services.improvement.improve import difference_of, improve
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from db.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class ImprovementJob:
    """Wordings for one question of a draft, by `model`, judged as in `run_id`."""

    question_id: int
    model: str
    run_id: int | None
    who: str


def improvement_job_key(checklist_id: int) -> str:
    return f"improvement_{checklist_id}"


@use_case(Right.FACILITATE)
def begin_improvement(
    workbench: Workbench, checklist_id: int, question_id: int, model: str, run_id: int | None = None, who: str = ""
) -> None:
    """`improve` in the background. Raises ConflictError while one goes on about the draft."""
    key, title = improvement_job_key(checklist_id), f"Trying wordings of {model}"
    start_job(workbench, key, title, ImprovementJob(question_id, model, run_id, who))


@job_kind(ImprovementJob)
def _improve(workbench: Workbench, job: ImprovementJob, _: Progress) -> str:
    return attempt_sentence(improve(workbench, job.question_id, job.model, job.run_id, job.who))


@use_case(Right.REVIEW)
def attempts_at(workbench: Workbench, checklist_id: int) -> dict[int, list[Improvement]]:
    """Question of this version -> the attempts at it in all its versions, oldest first."""
    with workbench.database.read() as work:
        return work.improvements.of_checklist(checklist_id)


def attempt_sentence(attempt: Improvement) -> str:
    """What came of it."""
    if attempt.best is None:
        many = len(attempt.tried)
        which = f"none of {many} wordings was" if many > 1 else "the wording that was proposed was not"
        return f"On the development half {which} better than the present one. The proof half was not asked."
    return proof_sentence(difference_of(attempt.proof), attempt.proof_decided)


def standing_of(attempt: Improvement) -> str:
    """In two or three words."""
    return "none better" if attempt.best is None else proof_standing(difference_of(attempt.proof))


@use_case(Right.EDIT, act="took a wording from decisions")
def take_improvement(
    workbench: Workbench, question_id: int, improvement_id: int, who: str = "", words: ProposedWording | None = None
) -> None:
    """Put the wording that was chosen into the draft, or `words` in its place.

    Raises ConflictError where it was decided or the question has changed since, InputError where none was chosen.
    """
    with workbench.database.write() as work:
        attempt = _undecided(work, question_id, improvement_id)
        if attempt.chosen is None:
            raise InputError("No wording did better, so there is none to take.", "Refuse it, or edit the question.")
        chosen = attempt.chosen.wording
        tidied = QuestionWording((words or chosen).text, guidance=(words or chosen).guidance).tidy()
        taken = ProposedWording(tidied.text, tidied.guidance, chosen.reason)
        edited = (taken.text, taken.guidance) != (chosen.text, chosen.guidance)
        checklist_id = work.drafts.draft_of("question", question_id)
        now = question_in(work.checklists.get(checklist_id), question_id)
        if now is None or (now.text, now.guidance) != (attempt.before.text, attempt.before.guidance):
            raise ConflictError("The question was changed since this was tried.", "Refuse it, or try again.")
        values: dict[str, object] = {"text": taken.text, "guidance": taken.guidance, "reason": taken.reason}
        if now.origin is QuestionOrigin.GENERATED:
            values["origin"] = QuestionOrigin.EDITED.value
        edit = Edit("question", question_id, values)
        work.drafts.change(checklist_id, who, TAKEN_EDITED if edited else TAKEN, [edit])
        status = ImprovementStatus.EDITED if edited else ImprovementStatus.ACCEPTED
        work.improvements.decide(improvement_id, status, who, replace(taken, reason=""))


@use_case(Right.EDIT, act="refused a wording from decisions")
def refuse_improvement(workbench: Workbench, question_id: int, improvement_id: int, who: str = "") -> None:
    """Nothing changes; it stays on record, and what it was proven on stays spent."""
    with workbench.database.write() as work:
        _undecided(work, question_id, improvement_id)
        work.improvements.decide(improvement_id, ImprovementStatus.REFUSED, who)


def _undecided(work: UnitOfWork, question_id: int, improvement_id: int) -> Improvement:
    attempt = work.improvements.get(improvement_id, lock=True)
    if attempt.question not in work.improvements.line_of(question_id):
        raise NotFoundError("This attempt is about another question.", "Reload the page.")
    if attempt.status is not ImprovementStatus.OPEN:
        by = f" by {attempt.decided_by}" if attempt.decided_by else ""
        raise ConflictError(f"This was {attempt.status.value}{by} already.", "Reload the page.")
    return attempt
