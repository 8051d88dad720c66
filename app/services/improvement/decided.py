"""What was decided about a question of a draft, beside a judge's answers, in the halves that wordings are made from and
proven on.

A text of the proof half proves nothing about a question any more once a wording of it was tried there, or once a person
edited wording or guidance after deciding about it: they may have had it in mind (docs/adr/0034).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from app.construction.improving import DecidedError
from app.corpora.halves import draw_halves
from app.domain.checklist import Checklist, Question
from app.domain.checklist_change import Step
from app.domain.judgment import Answer, Judgment
from app.domain.people.actor import Right
from app.domain.questions.decision import Decision, reference
from app.domain.questions.improvement import AnswerErrors, Half, Improvement, answer_said, errors_of
from app.domain.run import RunSummary
from app.domain.text import Text
from app.errors import NotFoundError
from app.services.checklists.question_proposals import SAID
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.samples import held_back_by_samples
from db.unit_of_work import UnitOfWork

TAKEN, TAKEN_EDITED = "took a wording tried on decisions", "edited a wording tried on decisions"
_BY_MODELS = {*SAID.values(), TAKEN}


@dataclass(frozen=True)
class DecidedQuestion:
    """`texts` are those decided about that nothing keeps away: no samples, nothing locked. `halves` says where each
    belongs; `spent` are those of the proof half that prove nothing about this question any more.

    `run` is the one whose judge is looked at, None for none; `answers` its judge's majority over repeats and a reason,
    about the wording of `asked`, which may be another one than the draft's. `attempts`: oldest first.
    """

    question: Question
    asked: Question | None
    run: RunSummary | None
    decisions: Mapping[int, Decision]
    texts: Mapping[int, Text]
    halves: Mapping[int, Half]
    spent: frozenset[int]
    answers: Mapping[int, tuple[Answer, str]]
    attempts: tuple[Improvement, ...] = ()

    @cached_property
    def development(self) -> dict[int, Answer]:
        """Text -> what was decided."""
        return self._of(Half.DEVELOPMENT)

    @cached_property
    def proof(self) -> dict[int, Answer]:
        """Those that a wording can still be proven on."""
        return {text: answer for text, answer in self._of(Half.PROOF).items() if text not in self.spent}

    def errors(self, half: Half) -> AnswerErrors:
        """Of the run's judge; in the proof half over spent texts too, since nothing is proven by it."""
        return errors_of({text: said for text, (said, _) in self.answers.items()}, self._of(half))

    @property
    def mistaken(self) -> list[DecidedError]:
        """The errors of the development half; those of the proof half are counted, and not shown."""
        return mistakes(self, self.development, self.answers)

    @property
    def reworded(self) -> bool:
        """Whether the run asked another wording or guidance than the draft has."""
        return self.asked is not None and (self.asked.text, self.asked.guidance) != (
            self.question.text,
            self.question.guidance,
        )

    def _of(self, half: Half) -> dict[int, Answer]:
        return {text: self.decisions[text].answer for text in self.texts if self.halves.get(text) is half}


def mistakes(
    decided: DecidedQuestion, wanted: Mapping[int, Answer], answers: Mapping[int, tuple[Answer, str]]
) -> list[DecidedError]:
    """What was answered otherwise than decided, with the reasons of both."""
    return [
        DecidedError(decided.texts[text], answers[text][0], right, answers[text][1], decided.decisions[text].why)
        for text, right in wanted.items()
        if text in answers and answers[text][0] is not right
    ]


@use_case(Right.REVIEW)
def decided_questions(workbench: Workbench, checklist_id: int, run_id: int | None = None) -> dict[int, DecidedQuestion]:
    """Question of the draft -> what was decided about it; only those with a decision that stands.

    run_id: whose judge is looked at; without it the newest checklist run of an earlier version. Raises NotFoundError
    for a run that is none.
    """
    with workbench.database.read() as work:
        return read_decided(work, checklist_id, run_id)


@use_case(Right.REVIEW)
def judged_runs(workbench: Workbench, checklist_id: int) -> list[RunSummary]:
    """The runs of the versions that a draft descends from, newest first: whose judges can be looked at."""
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
    held = held_back_by_samples(work, project.id, dimension_id)
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
            {text: said for text in mine if (said := told(judged.get(text, ()), line)) is not None},
            tuple(tried),
        )
    return found


def halves_now(work: UnitOfWork, project_id: int) -> dict[str, Half]:
    """Document -> its half: as drawn, and for those that aren't drawn yet as they would be now."""
    drawn = work.improvements.halves(project_id)
    return drawn | draw_halves(_drawable(work, project_id), drawn, project_id)


def keep_halves(work: UnitOfWork, project_id: int) -> None:
    """From now on each document has its half for good."""
    work.improvements.hold_halves(project_id)
    drawn = work.improvements.halves(project_id)
    work.improvements.add_halves(project_id, draw_halves(_drawable(work, project_id), drawn, project_id))


def told(judgments: Sequence[Judgment], line: set[int]) -> tuple[Answer, str] | None:
    """What a judge said about the question in any of its versions, by majority of repeats, and a reason for it."""
    mine = [judgment for judgment in judgments if judgment.question in line]
    if not mine:
        return None
    said = answer_said([judgment.answer for judgment in mine])
    return said, next((one.rationale for one in mine if one.answer is said and one.rationale), "")


def runs_of_line(work: UnitOfWork, checklist: Checklist) -> list[RunSummary]:
    """Of the versions that it descends from, and of itself; newest first."""
    versions = {checklist.id, *work.checklists.ancestors(checklist.id)}
    ids = {run for version in versions for run in work.runs.with_checklist(version)}
    project = work.projects.project_of(work.checklists.dimension_of(checklist.id))
    found = [run for run in work.runs.all(project.id) if run.id in ids]
    return sorted((run for run in found if run.done and not run.apart and not run.locked), key=lambda run: -run.id)


def _drawable(work: UnitOfWork, project_id: int) -> list[str]:
    """Documents that nothing holds back whole: no sample of any dimension, nothing locked."""
    held = {
        document
        for dimension in work.projects.dimensions(project_id)
        for document in held_back_by_samples(work, project_id, dimension.id).documents
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
    """The run's judgments on these texts, and the questions it asked."""
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
    """When a person last edited wording or guidance on the way to this version; a model's proposal, which saw no
    decision of the proof half, is none."""

    def reworded(step: Step) -> bool:
        return step.kind == "question" and step.id in line and bool({"text", "guidance"} & step.after.keys())

    times = [
        change.at
        for version in {checklist.id, *work.checklists.ancestors(checklist.id)}
        for change in work.drafts.history(version)
        if change.what not in _BY_MODELS and any(map(reworded, change.steps))
    ]
    return max(times, default=None)
