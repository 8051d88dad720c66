"""Improvement of questions: wordings are tried on decided answers and proven once on the other half."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from app.construction.better_wordings import IMPROVE, MOST_WORDINGS, ProposedWordings, improve_request, propose_wordings
from app.construction.example_answers import SETS, example_of, try_examples
from app.domain.checklist import (
    MOST_EXAMPLES,
    Checklist,
    ChecklistStatus,
    Edit,
    Example,
    Question,
    QuestionKind,
    QuestionOrigin,
)
from app.domain.checklist_score import Answer, answer_said
from app.domain.improvement import (
    Improvement,
    ImprovementStatus,
    ProposedWording,
    TriedWording,
    WordingTrial,
    best_tried,
    compared_wordings,
)
from app.domain.project import Dimension, Project, Task, Text
from app.domain.roles_and_rights import Right
from app.domain.run import RunSummary
from app.errors import ConflictError, InputError, NotFoundError, NotReadyError, ProviderError
from app.evaluators.checklist import ChecklistEvaluator, JudgeOptions, judge_request
from app.evaluators.method import gather_all
from app.meta_evaluation.judges.improvement_proof import (
    FEWEST_PROOF,
    PairedDifference,
    paired_difference,
    proof_sentence,
    proof_standing,
)
from app.providers.base import ChatModel, Usage
from app.providers.known_prices import known_prices, today
from app.providers.model_options import ModelOptions
from app.providers.pricing import estimate_input_tokens, estimate_tokens
from app.services.background.jobs import start_job
from app.services.background.progress import Progress, job_kind
from app.services.checklists.checklists import ChecklistView
from app.services.checklists.draft_edits import QuestionWording, question_in
from app.services.improvement.decided_answers import (
    TAKEN,
    TAKEN_EDITED,
    DecidedQuestion,
    ensure_halves,
    judged_answer,
    mistakes,
    read_decided,
)
from app.services.improvement.draft_trial import asking_of_run, counting_again
from app.services.runtime.judges import judge_named, reasoning_of
from app.services.runtime.models import model_session
from app.services.runtime.prompts import answered, own_wordings
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.forecast import TOKENS_PER_ANSWER, TOKENS_PER_REASON
from db.unit_of_work import UnitOfWork

Told = dict[int, tuple[Answer, str]]
"""Text -> the judge's answer by majority of repeats, and a reason."""


@dataclass(frozen=True, slots=True)
class QuestionAlone:
    """A question to ask alone. `known`: answers under its present wording, which needn't be asked again."""

    task: Task
    dimension: Dimension
    checklist: Checklist
    question: Question
    options: JudgeOptions
    known: Mapping[int, tuple[Answer, str]]

    def worded(self, wording: ProposedWording) -> "QuestionAlone":
        """Return the question with another wording or examples, without known answers."""
        examples = wording.examples or self.question.examples
        question = replace(self.question, text=wording.text, guidance=wording.guidance, examples=examples)
        return replace(self, question=question, known={})

    def left(self, texts: Iterable[Text]) -> list[Text]:
        return [text for text in texts if text.id not in self.known]


async def asked_alone(
    model: ChatModel, alone: QuestionAlone, texts: Sequence[Text]
) -> tuple[Told, list[ProviderError]]:
    """Return text -> the judge's answer, and the errors of texts without a reply, which are left out."""
    only = replace(alone.checklist, questions=(replace(alone.question, enabled=True),))
    evaluator = ChecklistEvaluator(model, alone.task, alone.dimension, only, alone.options)
    errors: list[ProviderError] = []

    async def answer(text: Text) -> tuple[Answer, str] | None:
        try:
            judgments = (await evaluator.score(text)).judgments
        except ProviderError as error:
            errors.append(error)
            return None
        said = answer_said([judgment.answer for judgment in judgments])
        return said, next((one.rationale for one in judgments if one.answer is said and one.rationale), "")

    left = alone.left(texts)
    new = dict(zip((text.id for text in left), await gather_all(answer(text) for text in left), strict=True))
    found = {text.id: alone.known[text.id] for text in texts if text.id in alone.known}
    return found | {text: said for text, said in new.items() if said is not None}, errors


@dataclass(frozen=True, slots=True)
class PreparedAttempt:
    """Everything an attempt needs. `others`: the wordings of the checklist's other questions."""

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


@use_case(Right.FACILITATE, act="tried wordings on decisions", about="model")
def improve(
    workbench: Workbench, question_id: int, model: str, run_id: int | None = None, who: str = ""
) -> Improvement:
    """Ask `model` for wordings for a question of a draft, try each, and prove the best one once.

    run_id: the run whose judge answers, by default the newest of an earlier version. The proof half is asked only if a
    wording was better on the development half and FEWEST_PROOF of its texts are unseen. Raises NotReadyError if nothing
    can be tried, and errors of the model if no text got a reply.
    """
    with workbench.database.write() as work:
        checklist_id = work.drafts.draft_of("question", question_id)
        ensure_halves(work, work.projects.project_of(work.checklists.dimension_of(checklist_id)).id)
    with workbench.database.read() as work:
        attempt = prepared(work, question_id, run_id)
    with own_wordings(workbench, attempt.project.id):
        found, proposed = asyncio.run(_tried_and_proven(workbench, attempt, model))
    with workbench.database.write() as work:
        record = answered(IMPROVE, found.model, proposed.request.prompt, proposed.answer.reply)
        work.stages.add(attempt.dimension.id, record)
        return work.improvements.get(work.improvements.add(replace(found, who=who)))


def prepared(work: UnitOfWork, question_id: int, run_id: int | None) -> PreparedAttempt:
    """Return what an attempt needs. Raises NotReadyError with what is missing."""
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
    known = {
        text: said for text in decided.texts if (said := judged_answer(again.get(text, ()), {question_id})) is not None
    }
    alone = QuestionAlone(project.task, dimension, checklist, decided.question, asking_of_run(run), known)
    return PreparedAttempt(project, dimension, checklist, run, decided, alone)


async def _tried_and_proven(
    workbench: Workbench, attempt: PreparedAttempt, model: str
) -> tuple[Improvement, ProposedWordings]:
    decided, project, run = attempt.decided, attempt.project.id, attempt.run
    now = _worded(decided.question)
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


def _worded(question: Question) -> ProposedWording:
    return ProposedWording(question.text, question.guidance, examples=question.examples)


@use_case(Right.FACILITATE, act="tried examples on decisions")
def propose_examples(
    workbench: Workbench, question_id: int, run_id: int | None = None, who: str = "", written: bool = False
) -> Improvement:
    """Choose examples for a question of a draft from the development half, and prove them once on the other.

    As `improve`, but only the run's judge is asked. Random examples are tried for comparison. written: prove the
    question's own examples against none instead. Raises NotReadyError if it has none.
    """
    with workbench.database.write() as work:
        checklist_id = work.drafts.draft_of("question", question_id)
        ensure_halves(work, work.projects.project_of(work.checklists.dimension_of(checklist_id)).id)
    with workbench.database.read() as work:
        attempt = prepared(work, question_id, run_id)
    _check_reads_examples(workbench, attempt)
    shown = attempt.decided.question.examples if written else ()
    if written:
        attempt = _without_examples(attempt)
    with own_wordings(workbench, attempt.project.id):
        found = asyncio.run(_examples_tried(workbench, attempt, shown))
    with workbench.database.write() as work:
        return work.improvements.get(work.improvements.add(replace(found, who=who)))


def _check_reads_examples(workbench: Workbench, attempt: PreparedAttempt) -> None:
    if not judge_named(workbench, attempt.run.judge).is_llm:
        raise NotReadyError("This judge is no LLM and reads no examples.", "Choose the run of another judge.")


def _without_examples(attempt: PreparedAttempt) -> PreparedAttempt:
    """Return the attempt for the question without its examples, and without known answers."""
    question = attempt.decided.question
    if not question.examples:
        raise NotReadyError("The question has no examples.", "Write some, or have some proposed.")
    bare = replace(question, examples=())
    alone = replace(attempt.alone, question=bare, known={})
    return replace(attempt, decided=replace(attempt.decided, question=bare), alone=alone)


async def _examples_tried(workbench: Workbench, attempt: PreparedAttempt, written: Sequence[Example]) -> Improvement:
    decided, run = attempt.decided, attempt.run
    options, now = ModelOptions.of_run(run.params), _worded(decided.question)
    wanted = decided.development | decided.proof
    examples = {
        text: example_of(decided.texts[text], answer, decided.decisions[text].why) for text, answer in wanted.items()
    }
    async with model_session(workbench, run.judge, project=attempt.project.id, options=options) as judge:

        async def ask(wording: ProposedWording, texts: Sequence[int]) -> dict[int, Answer]:
            found = await _answers(judge, attempt, wording, {text: wanted[text] for text in texts})
            return {text: answer for text, (answer, _) in found.items()}

        tried = await try_examples(
            now,
            decided.development,
            decided.proof if attempt.provable else {},
            examples,
            {text: item.doc_id for text, item in decided.texts.items()},
            ask,
            np.random.default_rng(decided.question.id),
            written,
        )
        return Improvement(
            question=decided.question.id,
            model=judge.name,
            judge=judge.name,
            run=run.id,
            before=now,
            decisions=_rests_on(decided, tried.proof is not None),
            tried=tried.tried,
            best=tried.best,
            proof=tried.proof,
            beside=tried.beside,
            proof_decided=len(decided.proof),
            proof_texts=tuple(decided.proof) if tried.proof else (),
            calls=judge.tally.calls,
            cost_usd=judge.tally.cost_usd,
        )


def example_tokens(wording: ProposedWording) -> int:
    """Return the estimated number of tokens that the examples add to each request."""
    return sum(estimate_tokens(f"{one.text} {one.answer} {one.reason}") + 10 for one in wording.examples)


async def _answers(
    judge: ChatModel, attempt: PreparedAttempt, wording: ProposedWording, wanted: Mapping[int, Answer]
) -> Told:
    """Return the judge's answers. Raises the first error if no text got a reply."""
    question = attempt.decided.question
    same = (wording.text, wording.guidance, wording.examples or question.examples) == (
        question.text,
        question.guidance,
        question.examples,
    )
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
    """Return the paired test of a trial; None without a trial."""
    return None if trial is None else paired_difference(trial.both, trial.gained, trial.lost, trial.neither)


@dataclass(frozen=True, slots=True)
class ImprovementJob:
    """The job that tries wordings by `model` for a question of a draft, judged as in `run_id`; if `model` is ""
    examples, the question's own if `written`."""

    question_id: int
    model: str
    run_id: int | None
    who: str
    written: bool = False


def improvement_job_key(checklist_id: int) -> str:
    return f"improvement_{checklist_id}"


@use_case(Right.FACILITATE)
def begin_improvement(
    workbench: Workbench,
    checklist_id: int,
    question_id: int,
    model: str,
    run_id: int | None = None,
    who: str = "",
    written: bool = False,
) -> None:
    """Start `improve` in the background, or `propose_examples` if `model` is "". Raises ConflictError while such a job
    runs for the draft."""
    key, title = improvement_job_key(checklist_id), f"Trying wordings of {model}" if model else "Trying examples"
    start_job(workbench, key, title, ImprovementJob(question_id, model, run_id, who, written))


@job_kind(ImprovementJob)
def _improve(workbench: Workbench, job: ImprovementJob, _: Progress) -> str:
    if not job.model:
        return attempt_sentence(propose_examples(workbench, job.question_id, job.run_id, job.who, job.written))
    return attempt_sentence(improve(workbench, job.question_id, job.model, job.run_id, job.who))


@use_case(Right.REVIEW)
def attempts_at(workbench: Workbench, checklist_id: int) -> dict[int, list[Improvement]]:
    """Return question of this version -> the attempts to improve it in all its versions, oldest first."""
    with workbench.database.read() as work:
        return work.improvements.of_checklist(checklist_id)


def attempt_sentence(attempt: Improvement) -> str:
    """Return the outcome of an attempt, as a sentence."""
    if attempt.best is None and attempt.of_examples:
        return "On the development half no set of examples did better than none. The proof half was not asked."
    if attempt.best is None:
        many = len(attempt.tried)
        which = f"none of {many} wordings was" if many > 1 else "the wording that was proposed was not"
        return f"On the development half {which} better than the present one. The proof half was not asked."
    return proof_sentence(difference_of(attempt.proof), attempt.proof_decided)


def attempt_outcome(attempt: Improvement) -> str:
    """Return the outcome of an attempt in two or three words."""
    return "none better" if attempt.best is None else proof_standing(difference_of(attempt.proof))


@use_case(Right.EDIT, act="adopted a wording from decisions")
def accept_improvement(
    workbench: Workbench, question_id: int, improvement_id: int, who: str = "", words: ProposedWording | None = None
) -> None:
    """Put the chosen wording, or `words`, into the draft.

    Raises ConflictError if it was decided or the question has changed since, InputError if no wording was chosen.
    """
    with workbench.database.write() as work:
        attempt = _undecided(work, question_id, improvement_id)
        if attempt.chosen is None:
            raise InputError("No wording did better, so there is none to take.", "Refuse it, or edit the question.")
        chosen = attempt.chosen.wording
        if attempt.of_examples:
            words = None  # examples are taken as they were proven
        tidied = QuestionWording((words or chosen).text, guidance=(words or chosen).guidance).tidy()
        taken = ProposedWording(tidied.text, tidied.guidance, chosen.reason)
        edited = (taken.text, taken.guidance) != (chosen.text, chosen.guidance)
        checklist_id = work.drafts.draft_of("question", question_id)
        now = question_in(work.checklists.get(checklist_id), question_id)
        there = (attempt.before, replace(attempt.before, examples=chosen.examples))  # what was written is in it already
        if now is None or _worded(now) not in (there if attempt.of_examples else there[:1]):
            raise ConflictError("The question was changed since this was tried.", "Refuse it, or try again.")
        values: dict[str, object] = {"text": taken.text, "guidance": taken.guidance, "reason": taken.reason}
        if attempt.of_examples:
            values = {"examples": [asdict(example) for example in chosen.examples]}
        elif now.origin is QuestionOrigin.GENERATED:
            values["origin"] = QuestionOrigin.EDITED.value
        edit = Edit("question", question_id, values)
        work.drafts.change(checklist_id, who, TAKEN_EDITED if edited else TAKEN, [edit])
        status = ImprovementStatus.EDITED if edited else ImprovementStatus.ACCEPTED
        work.improvements.decide(improvement_id, status, who, replace(taken, reason=""))


@use_case(Right.EDIT, act="refused a wording from decisions")
def refuse_improvement(workbench: Workbench, question_id: int, improvement_id: int, who: str = "") -> None:
    """Refuse an improvement: it stays on record, and the texts of its proof stay spent."""
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


TOKENS_OF_PROPOSALS = 600
GUIDANCE = ProposedWording("", "Some forty words say what counts as yes and what as no. " * 3)


@dataclass(frozen=True, slots=True)
class ImprovementForecast:
    """Texts of each half, and the maximal cost: every possible proposal, and the proof of the best one.

    `proof` texts are asked only if `provable`. `cost_usd` is None if a price is unknown; cached answers make it
    cheaper.
    """

    development: int
    proof: int
    provable: bool
    calls: int
    input_tokens: int
    output_tokens_estimate: int
    cost_usd: float | None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@use_case(Right.FACILITATE)
def forecast_improvement(
    workbench: Workbench, question_id: int, model: str, run_id: int | None = None
) -> ImprovementForecast:
    """Return the forecast. Raises what `improve`, or `propose_examples` if `model` is "", would raise before asking."""
    with workbench.database.read() as work:
        attempt = prepared(work, question_id, run_id)
    if not model:
        return _examples_forecast(workbench, attempt)
    writer, judge = judge_named(workbench, model), judge_named(workbench, attempt.run.judge)
    with own_wordings(workbench, attempt.project.id), workbench.database.read() as work:
        calls = _judge_calls(attempt)
        thought = reasoning_of(work, judge.name, ModelOptions.of_run(attempt.run.params).effort).per_call
        thought_by_writer = reasoning_of(work, writer.name, "").per_call
    asked = improve_request(
        attempt.project.task, attempt.dimension, attempt.decided.question, attempt.decided.mistaken, attempt.others
    )
    per_answer = TOKENS_PER_REASON if attempt.alone.options.reasons else TOKENS_PER_ANSWER
    judging = Usage(sum(calls), 0, len(calls) * (per_answer + thought)) if judge.is_llm else Usage()
    writing = (
        Usage(estimate_input_tokens(asked), 0, TOKENS_OF_PROPOSALS + thought_by_writer) if writer.is_llm else Usage()
    )
    prices, day = known_prices(), today()
    costs = prices.cost(judge.name, judging, day, calls=len(calls)), prices.cost(writer.name, writing, day)
    return ImprovementForecast(
        len(attempt.decided.development),
        len(attempt.decided.proof),
        attempt.provable,
        len(calls) + 1,
        judging.input_tokens + writing.input_tokens,
        judging.output_tokens + writing.output_tokens,
        None if None in costs else sum(cost or 0.0 for cost in costs),
    )


def _examples_forecast(workbench: Workbench, attempt: PreparedAttempt) -> ImprovementForecast:
    """Return the forecast for the longest examples that may be chosen."""
    _check_reads_examples(workbench, attempt)
    judge, decided = judge_named(workbench, attempt.run.judge), attempt.decided
    longest = sorted((example_of(decided.texts[t], answer) for t, answer in decided.development.items()), key=_length)
    shown = replace(_worded(decided.question), examples=tuple(longest[-MOST_EXAMPLES:]))
    development = attempt.texts(decided.development)
    proof = attempt.texts(decided.proof) if attempt.provable else []
    with own_wordings(workbench, attempt.project.id), workbench.database.read() as work:
        alone, taught = attempt.alone, attempt.alone.worded(shown)
        calls = _sizes(taught, development) * (SETS + 1) + _sizes(taught, proof) * 2
        calls += _sizes(alone, alone.left([*development, *proof]))
        thought = reasoning_of(work, judge.name, ModelOptions.of_run(attempt.run.params).effort).per_call
    per_answer = TOKENS_PER_REASON if alone.options.reasons else TOKENS_PER_ANSWER
    usage = Usage(sum(calls), 0, round(len(calls) * (per_answer + thought))) if judge.is_llm else Usage()
    cost = known_prices().cost(judge.name, usage, today(), calls=len(calls))
    counts = len(decided.development), len(decided.proof), attempt.provable, len(calls)
    return ImprovementForecast(*counts, usage.input_tokens, usage.output_tokens, cost)


def _length(example: Example) -> int:
    return len(example.text)


def _judge_calls(attempt: PreparedAttempt) -> list[int]:
    """Return the estimated tokens of each request."""
    alone, development = attempt.alone, attempt.texts(attempt.decided.development)
    proof = attempt.texts(attempt.decided.proof) if attempt.provable else []
    question = alone.question
    longer = alone.worded(ProposedWording(question.text, question.guidance or GUIDANCE.guidance))
    new = _sizes(longer, development) * MOST_WORDINGS + _sizes(longer, proof)
    return _sizes(alone, alone.left(development)) + new + _sizes(alone, alone.left(proof))


def _sizes(alone: QuestionAlone, texts: Iterable[Text]) -> list[int]:
    template = alone.options.template([alone.question])
    requests = (
        judge_request(template, alone.task, alone.dimension, [alone.question], text, alone.options) for text in texts
    )
    return [estimate_input_tokens(request) for request in requests] * alone.options.repeats
