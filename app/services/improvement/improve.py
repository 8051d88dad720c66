"""A better wording for a question: proposed from decided errors, chosen on the development half, proven on the other.

What was asked is paid for, so an attempt is kept whole as soon as it is there. Begun again after a failure it asks
nothing twice, as the ledger has the replies.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from app.construction.improving import IMPROVE, ProposedWordings, propose_wordings
from app.domain.checklist import Checklist, ChecklistStatus, QuestionKind
from app.domain.judgment import Answer
from app.domain.people.actor import Right
from app.domain.project import Project
from app.domain.questions.improvement import (
    Improvement,
    ProposedWording,
    TriedWording,
    WordingTrial,
    best_tried,
    compared_wordings,
)
from app.domain.run import RunSummary
from app.domain.task import Dimension
from app.domain.text import Text
from app.errors import ConflictError, NotReadyError
from app.meta_evaluation.judges.mcnemar import PairedDifference, paired_difference
from app.meta_evaluation.judges.proof_words import FEWEST_PROOF
from app.providers.base import ChatModel
from app.providers.model_options import ModelOptions
from app.services.checklists.checklists import ChecklistView
from app.services.improvement.decided import DecidedQuestion, keep_halves, mistakes, read_decided, told
from app.services.improvement.wording_trial import QuestionAlone, Told, asked_alone
from app.services.results.draft_trial import asking_of_run, counting_again
from app.services.runtime.models import model_session
from app.services.runtime.prompts import own_wordings
from app.services.runtime.stage_runs import answered
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from db.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class PreparedAttempt:
    """All that an attempt starts from. `others`: the wordings of the checklist's other questions."""

    project: Project
    dimension: Dimension
    checklist: Checklist
    run: RunSummary
    decided: DecidedQuestion
    alone: QuestionAlone

    @property
    def provable(self) -> bool:
        return len(self.decided.proof) >= FEWEST_PROOF

    @property
    def others(self) -> list[str]:
        return [one.text for one in self.checklist.asked if one.id != self.decided.question.id]

    def texts(self, wanted: Mapping[int, Answer]) -> list[Text]:
        return [self.decided.texts[text] for text in wanted]


@use_case(Right.FACILITATE, act="had wordings tried on decisions", about="model")
def improve(
    workbench: Workbench, question_id: int, model: str, run_id: int | None = None, who: str = ""
) -> Improvement:
    """Have `model` propose wordings for a question of a draft, try each, and prove the best one once.

    run_id: whose judge answers; without it the newest run of an earlier version. The proof half is asked only where a
    wording was better on the development half and FEWEST_PROOF of its texts are unseen: else they stay so.
    Raises NotReadyError where nothing can be tried, and what asking raises where no text got a reply.
    """
    with workbench.database.write() as work:
        checklist_id = work.drafts.draft_of("question", question_id)
        keep_halves(work, work.projects.project_of(work.checklists.dimension_of(checklist_id)).id)
    with workbench.database.read() as work:
        attempt = prepared(work, question_id, run_id)
    with own_wordings(workbench, attempt.project.id):
        found, proposed = asyncio.run(_tried_and_proven(workbench, attempt, model))
    with workbench.database.write() as work:
        record = answered(IMPROVE, found.model, proposed.request.prompt, proposed.answer.reply)
        work.stages.add(attempt.dimension.id, record)
        return work.improvements.get(work.improvements.add(replace(found, who=who)))


def prepared(work: UnitOfWork, question_id: int, run_id: int | None) -> PreparedAttempt:
    """Raises NotReadyError, with what is missing."""
    checklist_id = work.drafts.draft_of("question", question_id)
    checklist = work.checklists.get(checklist_id)
    if checklist.status is ChecklistStatus.PUBLISHED:
        raise ConflictError(f"Version {checklist.version} is published and stays as it is.", "Start a draft from it.")
    decided = read_decided(work, checklist_id, run_id).get(question_id)
    if decided is None or decided.question.kind is not QuestionKind.SUB:
        raise NotReadyError("Nothing is decided about this question.", "Decide where judges or people part first.")
    if decided.run is None:
        raise NotReadyError("No judge has answered an earlier version.", "Score texts with a published version first.")
    if not decided.development:
        raise NotReadyError(
            "No decided text is in the development half, from which wordings are made.", "Decide about more texts."
        )
    dimension = work.projects.dimension_by_id(work.checklists.dimension_of(checklist_id))
    project, run = work.projects.project_of(dimension.id), decided.run
    view = ChecklistView(project, dimension, checklist, {})
    again = counting_again(work, view, run, list(decided.texts))
    known = {text: said for text in decided.texts if (said := told(again.get(text, ()), {question_id})) is not None}
    alone = QuestionAlone(project.task, dimension, checklist, decided.question, asking_of_run(run), known)
    return PreparedAttempt(project, dimension, checklist, run, decided, alone)


async def _tried_and_proven(
    workbench: Workbench, attempt: PreparedAttempt, model: str
) -> tuple[Improvement, ProposedWordings]:
    decided, project, run = attempt.decided, attempt.project.id, attempt.run
    now = ProposedWording(decided.question.text, decided.question.guidance)
    options = ModelOptions.of_run(run.params)
    async with (
        model_session(workbench, run.judge, project=project, options=options) as judge,
        model_session(workbench, model, project=project) as writer,
    ):
        before = await _answers(judge, attempt, now, decided.development)
        proposed = await propose_wordings(
            writer,
            attempt.project.task,
            attempt.dimension,
            decided.question,
            mistakes(decided, decided.development, before),
            attempt.others,
        )
        tried = [
            TriedWording(wording, _compared(attempt, before, after, decided.development))
            for wording, after in [
                (one, await _answers(judge, attempt, one, decided.development)) for one in proposed.wordings
            ]
        ]
        best, proof = best_tried(tried, now), None
        if best is not None and attempt.provable:
            first = await _answers(judge, attempt, now, decided.proof)
            then = await _answers(judge, attempt, tried[best].wording, decided.proof)
            proof = _compared(attempt, first, then, decided.proof)
        costs = (judge.tally.cost_usd, writer.tally.cost_usd)
        found = Improvement(
            question=decided.question.id,
            model=writer.name,
            judge=judge.name,
            run=run.id,
            before=now,
            decisions=_rests_on(decided, proof is not None),
            tried=tuple(tried),
            best=best,
            proof=proof,
            proof_decided=len(decided.proof),
            proof_texts=tuple(decided.proof) if proof else (),
            calls=judge.tally.calls + writer.tally.calls,
            cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
        )
    return found, proposed


async def _answers(
    judge: ChatModel, attempt: PreparedAttempt, wording: ProposedWording, wanted: Mapping[int, Answer]
) -> Told:
    """Raises the first error where no text got a reply."""
    question = attempt.decided.question
    same = (wording.text, wording.guidance) == (question.text, question.guidance)
    alone = attempt.alone if same else attempt.alone.worded(wording)
    found, errors = await asked_alone(judge, alone, attempt.texts(wanted))
    if errors and not found:
        raise errors[0]
    return found


def _compared(attempt: PreparedAttempt, before: Told, after: Told, wanted: Mapping[int, Answer]) -> WordingTrial:
    documents = {text: attempt.decided.texts[text].doc_id for text in wanted}
    said, then = ({text: answer for text, (answer, _) in told_.items()} for told_ in (before, after))
    return compared_wordings(said, then, wanted, documents)


def _rests_on(decided: DecidedQuestion, proven: bool) -> tuple[int, ...]:
    texts = [*decided.development, *(decided.proof if proven else ())]
    return tuple(sorted(decided.decisions[text].id for text in texts))


def difference_of(trial: WordingTrial | None) -> PairedDifference | None:
    """The paired test of a trial; None for none."""
    return None if trial is None else paired_difference(trial.both, trial.gained, trial.lost, trial.neither)
