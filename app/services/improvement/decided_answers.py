"""Decided answers, by which questions are improved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from app.construction.better_wordings import JudgeMistake
from app.corpora.draws import draw_halves
from app.domain.checklist import Checklist, Question, Step
from app.domain.checklist_score import Answer, Judgment, answer_said
from app.domain.improvement import AnswerErrors, Decision, DocumentHalf, Improvement, errors_of, reference
from app.domain.project import Text
from app.domain.roles_and_rights import Right
from app.domain.run import RunSummary
from app.errors import NotFoundError
from app.meta_evaluation.agreement_verdict import p_value_words
from app.meta_evaluation.judges.improvement_proof import (
    FEWEST_PROOF,
    PairedDifference,
    smallest_sentence,
    too_few_sentence,
)
from app.services.checklists.question_proposals import SAID
from app.services.runtime.workbench import Workbench, use_case
from app.services.think_aloud.samples import stored_sample_exclusions
from db.unit_of_work import UnitOfWork

__all__ = ["FEWEST_PROOF", "too_few_sentence"]


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
