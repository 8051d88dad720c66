"""Decided answers for improving a question, and trials of a draft on texts of a run."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from statistics import fmean

from app.construction.better_wordings import JudgeMistake
from app.corpora.draws import draw_halves
from app.domain.checklist import Checklist, Question, Step
from app.domain.checklist_score import Answer, Judgment
from app.domain.improvement import AnswerErrors, Decision, DocumentHalf, Improvement, answer_said, errors_of, reference
from app.domain.project import Text
from app.domain.roles_and_rights import Right
from app.domain.run import RunSummary, ScoredText
from app.errors import InputError, NotFoundError, NotReadyError, ProviderError
from app.evaluators.checklist import METHOD, ChecklistEvaluator, JudgeOptions
from app.evaluators.method import gather_all
from app.meta_evaluation.agreement_verdict import p_value_words
from app.meta_evaluation.judges.difference import FEWEST_PROOF, PairedDifference, smallest_sentence, too_few_sentence
from app.providers.model_options import ModelOptions
from app.services.checklists.checklists import ChecklistView
from app.services.checklists.question_proposals import SAID
from app.services.results.results import cached_result
from app.services.runtime.models import model_session
from app.services.runtime.prompts import own_wordings
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.evaluators import options_of
from app.services.scoring.reuse import earlier_answers, reuse_params
from app.services.think_aloud.samples import stored_sample_exclusions
from db.unit_of_work import UnitOfWork

__all__ = ["FEWEST_PROOF", "too_few_sentence"]


NEARLY = 1e-9
Earlier = Mapping[int, Sequence[Judgment]]


@dataclass(frozen=True, slots=True)
class TriedText:
    """One text, rated `human` on average by people: its score in the run and from the draft; None if the judge gave
    none."""

    row: ScoredText
    human: float
    before: float
    after: float | None

    @property
    def nearer(self) -> float:
        """Return by how much the draft's score is nearer to people's; below 0 it is further away."""
        return 0.0 if self.after is None else abs(self.before - self.human) - abs(self.after - self.human)


@dataclass(frozen=True, slots=True)
class DraftTrial:
    """A trial of a draft; `texts` in the order asked for. `failed` counts texts without a score, `why` is the first
    reason."""

    judge: str
    texts: tuple[TriedText, ...]
    failed: int = 0
    why: str = ""

    @property
    def scored(self) -> list[TriedText]:
        return [text for text in self.texts if text.after is not None]

    @property
    def distance(self) -> tuple[float, float] | None:
        """Return the mean distance from people before and after, over the same texts; None if no text has a score."""
        scored = self.scored
        if not scored:
            return None
        after = [abs(text.after - text.human) for text in scored if text.after is not None]
        return fmean(abs(text.before - text.human) for text in scored), fmean(after)

    @property
    def moved(self) -> tuple[int, int, int]:
        """Return how many scores came nearer to people, moved away, and stayed."""
        nearer = sum(text.nearer > NEARLY for text in self.scored)
        further = sum(text.nearer < -NEARLY for text in self.scored)
        return nearer, further, len(self.scored) - nearer - further


@use_case(Right.READ)
def try_draft(workbench: Workbench, view: ChecklistView, run_id: int, texts: Sequence[int]) -> DraftTrial:
    """Ask the questions of `view` about texts that the run scored before.

    Raises NotReadyError if no question is asked or no text fits, InputError for a run without a checklist, and errors
    of the model if no text could be scored.
    """
    if not view.checklist.asked:
        raise NotReadyError("This checklist asks nothing.", "Switch a question on, or add one.")
    result = cached_result(workbench, run_id, view.dimension.id)
    if result is None or result.run.evaluator != METHOD.name:
        raise InputError("That run asked no checklist on this dimension.", "Choose a checklist's run on Results.")
    rows = {row.text: row for row in result.compared}
    wanted = [rows[text] for text in texts if text in rows]
    if not wanted:
        raise NotReadyError("None of these texts has both a score and a rating.", "Choose others on Results.")
    with workbench.database.read() as work:
        found = [work.texts.get(row.text) for row in wanted]
        earlier = counting_again(work, view, result.run, [row.text for row in wanted])
    with own_wordings(workbench, view.project.id):
        scores = asyncio.run(_asked(workbench, view, result.run, found, earlier))
    errors = [error for _, error in scores if error is not None]
    if errors and len(errors) == len(scores):
        raise errors[0]
    tried = [
        TriedText(row, row.human, row.score, score)
        for row, (score, _) in zip(wanted, scores, strict=True)
        if row.human is not None and row.score is not None
    ]
    failed = sum(text.after is None for text in tried)
    return DraftTrial(result.run.judge, tuple(tried), failed, str(errors[0]) if errors else "")


def asking_of_run(run: RunSummary) -> JudgeOptions:
    """Return the judge options of a run."""
    chosen = options_of(METHOD, run.params)
    assert isinstance(chosen, JudgeOptions)  # the checklist's own
    return chosen


def counting_again(work: UnitOfWork, view: ChecklistView, run: RunSummary, texts: Sequence[int]) -> Earlier:
    """Return the answers to unchanged questions that a run of the draft would reuse."""
    part = next(part for part in work.runs.parts(run.id) if part.dimension == view.dimension.id)
    planned = replace(part, checklist=view.checklist.id, texts=tuple(texts))
    options, effort = asking_of_run(run), ModelOptions.of_run(run.params).effort
    params = reuse_params(work, view.project.id, [planned], run.judge, options, effort=effort)
    return earlier_answers(work, params, planned, options.repeats)


async def _asked(
    workbench: Workbench, view: ChecklistView, run: RunSummary, texts: Sequence[Text], earlier: Earlier
) -> list[tuple[float | None, ProviderError | None]]:
    """Return each text's score, or why the judge gave none."""
    options, asked = asking_of_run(run), ModelOptions.of_run(run.params)
    async with model_session(workbench, run.judge, project=view.project.id, options=asked) as model:
        evaluator = ChecklistEvaluator(model, view.project.task, view.dimension, view.checklist, options, earlier)

        async def score(text: Text) -> tuple[float | None, ProviderError | None]:
            try:
                return (await evaluator.score(text)).value, None
            except ProviderError as error:
                return None, error

        return await gather_all(score(text) for text in texts)


TAKEN, TAKEN_EDITED = "took a wording tried on decisions", "edited a wording tried on decisions"
_BY_MODELS = {*SAID.values(), TAKEN}


@dataclass(frozen=True)
class DecidedQuestion:
    """A question with its decisions. `texts` are decided texts that aren't held out or kept out by samples; `halves`:
    text -> its half; `spent`: texts of the proof half that were used in earlier proofs of this question.

    `run` is the one whose judge is compared, None for none; `answers`: text -> its majority over repeats and a reason,
    about the wording of `asked`, which may differ from the draft's. `attempts`: oldest first.
    """

    question: Question
    asked: Question | None
    run: RunSummary | None
    decisions: Mapping[int, Decision]
    texts: Mapping[int, Text]
    halves: Mapping[int, DocumentHalf]
    spent: frozenset[int]
    answers: Mapping[int, tuple[Answer, str]]
    attempts: tuple[Improvement, ...] = ()

    @cached_property
    def development(self) -> dict[int, Answer]:
        """Return text -> decided answer in the development half."""
        return self._of(DocumentHalf.DEVELOPMENT)

    @cached_property
    def proof(self) -> dict[int, Answer]:
        """Return text -> decided answer in the proof half, without spent texts."""
        return {text: answer for text, answer in self._of(DocumentHalf.PROOF).items() if text not in self.spent}

    def errors(self, half: DocumentHalf) -> AnswerErrors:
        """Return the errors of the run's judge in a half; in the proof half over spent texts too, since this proves
        nothing."""
        return errors_of({text: said for text, (said, _) in self.answers.items()}, self._of(half))

    @property
    def mistaken(self) -> list[JudgeMistake]:
        """Return the errors of the development half; those of the proof half are only counted, never shown."""
        return mistakes(self, self.development, self.answers)

    @property
    def reworded(self) -> bool:
        """Return whether the run asked another wording, guidance or examples than the draft has."""
        return self.asked is not None and (self.asked.text, self.asked.guidance, self.asked.examples) != (
            self.question.text,
            self.question.guidance,
            self.question.examples,
        )

    def _of(self, half: DocumentHalf) -> dict[int, Answer]:
        return {text: self.decisions[text].answer for text in self.texts if self.halves.get(text) is half}


def mistakes(
    decided: DecidedQuestion, wanted: Mapping[int, Answer], answers: Mapping[int, tuple[Answer, str]]
) -> list[JudgeMistake]:
    """Return the answers that differ from the decided ones, with the reasons of both."""
    return [
        JudgeMistake(decided.texts[text], answers[text][0], right, answers[text][1], decided.decisions[text].why)
        for text, right in wanted.items()
        if text in answers and answers[text][0] is not right
    ]


@use_case(Right.REVIEW)
def decided_questions(workbench: Workbench, checklist_id: int, run_id: int | None = None) -> dict[int, DecidedQuestion]:
    """Return question of the draft -> its decisions, for questions with a standing decision.

    run_id: the run whose judge is compared, by default the newest checklist run of an earlier version. Raises
    NotFoundError for another run.
    """
    with workbench.database.read() as work:
        return read_decided(work, checklist_id, run_id)


@use_case(Right.REVIEW)
def judged_runs(workbench: Workbench, checklist_id: int) -> list[RunSummary]:
    """Return the runs of the versions that a draft descends from, newest first."""
    with workbench.database.read() as work:
        return runs_of_line(work, work.checklists.get(checklist_id))


def read_decided(work: UnitOfWork, checklist_id: int, run_id: int | None = None) -> dict[int, DecidedQuestion]:
    standing = {question: reference(made) for question, made in work.decisions.of_checklist(checklist_id).items()}
    standing = {question: decisions for question, decisions in standing.items() if decisions}
    if not standing:
        return {}
    checklist = work.checklists.get(checklist_id)
    dimension_id = work.checklists.dimension_of(checklist_id)
    project = work.projects.project_of(dimension_id)
    held = stored_sample_exclusions(work, project.id, dimension_id)
    known = work.texts.many({text for decisions in standing.values() for text in decisions})
    texts = {id_: text for id_, text in known.items() if not held.holds(text)}
    halves = halves_now(work, project.id)
    run = _chosen_run(work, checklist, run_id)
    judged, asked = _judged(work, run, dimension_id, set(texts))
    attempts = work.improvements.of_checklist(checklist_id)
    found = {}
    for question in (one for one in checklist.questions if one.id in standing):
        line, decisions, tried = (
            work.improvements.line_of(question.id),
            standing[question.id],
            attempts.get(question.id, []),
        )
        mine = {text: texts[text] for text in decisions if text in texts}
        found[question.id] = DecidedQuestion(
            question,
            next((one for one in asked if one.id in line), None),
            run,
            decisions,
            mine,
            {id_: halves[text.doc_id] for id_, text in mine.items() if text.doc_id in halves},
            _spent(decisions, tried, _last_edit(work, checklist, line)),
            {text: said for text in mine if (said := judged_answer(judged.get(text, ()), line)) is not None},
            tuple(tried),
        )
    return found


def halves_now(work: UnitOfWork, project_id: int) -> dict[str, DocumentHalf]:
    """Return document -> its half: as stored, and for others as it would be drawn now."""
    drawn = work.improvements.halves(project_id)
    return drawn | draw_halves(_drawable(work, project_id), drawn, project_id)


def ensure_halves(work: UnitOfWork, project_id: int) -> None:
    """Draw and store the half of each document that has none yet."""
    work.improvements.lock_halves(project_id)
    drawn = work.improvements.halves(project_id)
    work.improvements.add_halves(project_id, draw_halves(_drawable(work, project_id), drawn, project_id))


def judged_answer(judgments: Sequence[Judgment], line: set[int]) -> tuple[Answer, str] | None:
    """Return a judge's answer to the question in any of its versions, by majority of repeats, and a reason; None
    without one."""
    mine = [judgment for judgment in judgments if judgment.question in line]
    if not mine:
        return None
    said = answer_said([judgment.answer for judgment in mine])
    return said, next((one.rationale for one in mine if one.answer is said and one.rationale), "")


def runs_of_line(work: UnitOfWork, checklist: Checklist) -> list[RunSummary]:
    """Return runs of the version and its ancestors, newest first."""
    versions = {checklist.id, *work.checklists.ancestors(checklist.id)}
    ids = {run for version in versions for run in work.runs.with_checklist(version)}
    project = work.projects.project_of(work.checklists.dimension_of(checklist.id))
    found = [run for run in work.runs.all(project.id) if run.id in ids]
    return sorted((run for run in found if run.done and not run.apart and not run.locked), key=lambda run: -run.id)


def _drawable(work: UnitOfWork, project_id: int) -> list[str]:
    """Return documents that aren't kept out whole by samples of any dimension, or held out."""
    held = {
        document
        for dimension in work.projects.dimensions(project_id)
        for document in stored_sample_exclusions(work, project_id, dimension.id).documents
    }
    return [document for document in work.texts.documents(project_id) if document not in held]


def _chosen_run(work: UnitOfWork, checklist: Checklist, run_id: int | None) -> RunSummary | None:
    runs = runs_of_line(work, checklist)
    if run_id is None:
        return max(runs, key=lambda run: run.rank(), default=None)
    found = next((run for run in runs if run.id == run_id), None)
    if found is None:
        there = ", ".join(str(run.id) for run in runs)
        hint = f"There are: {there}." if runs else "Score texts with an earlier version first."
        raise NotFoundError(f"Run {run_id} asked no version that this draft descends from.", hint)
    return found


def _judged(
    work: UnitOfWork, run: RunSummary | None, dimension_id: int, texts: set[int]
) -> tuple[Mapping[int, Sequence[Judgment]], tuple[Question, ...]]:
    """Return the run's judgments on these texts, and the questions it asked."""
    if run is None:
        return {}, ()
    version = next((part.checklist for part in work.runs.parts(run.id) if part.dimension == dimension_id), None)
    asked = work.checklists.get(version).asked if version else ()
    return work.results.judgments_by_text(run.id, dimension_id, texts), asked


def _spent(
    decisions: Mapping[int, Decision], attempts: Sequence[Improvement], edited: datetime | None
) -> frozenset[int]:
    tried = {text for attempt in attempts for text in attempt.proof_texts}
    seen = {text for text, made in decisions.items() if made.guided or (edited is not None and made.at <= edited)}
    return frozenset(tried | seen)


def _last_edit(work: UnitOfWork, checklist: Checklist, line: set[int]) -> datetime | None:
    """Return when a person last edited wording, guidance or examples in this version or its ancestors. Edits by models
    or from the development half don't count, since they saw no decision of the proof half."""

    def reworded(step: Step) -> bool:
        said = bool({"text", "guidance"} & step.after.keys()) or bool(step.after.get("examples"))
        return step.kind == "question" and step.id in line and said

    times = [
        change.at
        for version in {checklist.id, *work.checklists.ancestors(checklist.id)}
        for change in work.drafts.history(version)
        if change.what not in _BY_MODELS and any(map(reworded, change.steps))
    ]
    return max(times, default=None)


def figures_sentence(found: PairedDifference) -> str:
    """Return the difference with its interval and test, and the smallest difference that so many texts can show."""
    if found.difference is None or found.low is None or found.high is None or found.p is None:
        return "No text of the proof half got a reply under both wordings."
    return (
        f"{100 * found.difference:+.0f} points right, 95 % interval {100 * found.low:+.0f} to {100 * found.high:+.0f} "
        f"(Tango); {found.gained} became right, {found.lost} wrong (exact McNemar, {p_value_words(found.p)}). "
        f"{smallest_sentence(found)}"
    )


@dataclass(frozen=True, slots=True)
class VersionAgreement:
    """The errors of a judge under one version of a question. `reworded`: wording or guidance differ from the version
    before. `run` and `errors` are None if the judge answered none of the decided texts. `decisions` counts those made
    in this version."""

    version: int
    question: Question
    reworded: bool
    run: int | None
    errors: AnswerErrors | None
    decisions: int


@dataclass(frozen=True, slots=True)
class QuestionTimeline:
    """A question's versions, oldest first. `texts` counts decided texts that all versions with answers share."""

    judge: str
    texts: int
    versions: tuple[VersionAgreement, ...]


@use_case(Right.REVIEW)
def question_timeline(workbench: Workbench, question_id: int, run_id: int | None = None) -> QuestionTimeline | None:
    """Return the timeline for the judge of this run, by default the newest. None without decisions about the
    question."""
    with workbench.database.read() as work:
        checklist_id = work.drafts.draft_of("question", question_id)
        decided = read_decided(work, checklist_id, run_id).get(question_id)
        return None if decided is None else _timeline(work, checklist_id, decided)


def _timeline(work: UnitOfWork, checklist_id: int, decided: DecidedQuestion) -> QuestionTimeline:
    line = work.improvements.line_of(decided.question.id)
    newest = work.checklists.get(checklist_id)
    chain = [work.checklists.get(id_) for id_ in {checklist_id, *work.checklists.ancestors(newest.id)}]
    judge = decided.run.judge if decided.run else ""
    runs = [run for run in runs_of_line(work, newest) if run.judge == judge]
    dimension = work.checklists.dimension_of(checklist_id)
    found: list[tuple[int, Question, int | None, Mapping[int, Answer]]] = []
    for version in sorted(chain, key=lambda one: one.version):
        question = next((one for one in version.questions if one.id in line), None)
        if question is not None:
            asked = work.runs.with_checklist(version.id)
            run = next((run.id for run in runs if run.id in asked), None)
            answers = _answers(work, run, dimension, decided, line)
            found.append((version.version, question, run if answers else None, answers))
    common = _in_common([answers for *_, answers in found if answers])
    rows = []
    for place, (number, question, of_run, given) in enumerate(found):
        before = found[place - 1][1] if place else question
        rows.append(
            VersionAgreement(
                number,
                question,
                (before.text, before.guidance) != (question.text, question.guidance),
                of_run,
                errors_of({text: given[text] for text in common}, _decided(decided)) if given else None,
                sum(one.version == number for one in decided.decisions.values()),
            )
        )
    return QuestionTimeline(judge, len(common), tuple(rows))


def _answers(
    work: UnitOfWork, run: int | None, dimension: int, decided: DecidedQuestion, line: set[int]
) -> dict[int, Answer]:
    if run is None:
        return {}
    judged = work.results.judgments_by_text(run, dimension, set(decided.texts))
    found = {text: judged_answer(judgments, line) for text, judgments in judged.items()}
    return {text: said[0] for text, said in found.items() if said is not None}


def _in_common(answers: list[Mapping[int, Answer]]) -> set[int]:
    return set.intersection(*(set(each) for each in answers)) if answers else set()


def _decided(decided: DecidedQuestion) -> dict[int, Answer]:
    return {text: decided.decisions[text].answer for text in decided.texts}
