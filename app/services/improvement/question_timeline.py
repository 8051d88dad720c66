"""A question's timeline: the judge's agreement with decided answers, version by version."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.checklist import Question
from app.domain.checklist_score import Answer
from app.domain.improvement import AnswerErrors, errors_of
from app.domain.roles_and_rights import Right
from app.services.improvement.decided_answers import DecidedQuestion, judged_answer, read_decided, runs_of_line
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import UnitOfWork


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
