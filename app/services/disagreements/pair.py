"""One disagreement from all sides: the text, what experts said without their names, the judges' answers and reasons."""

import random
from dataclasses import dataclass
from string import ascii_uppercase

from app.domain.checklist import Question
from app.domain.expert_answer import ExpertAnswer
from app.domain.judgment import Answer, Judgment
from app.domain.people.actor import Right
from app.domain.questions.decision import Decision
from app.domain.text import Text
from app.errors import NotFoundError
from app.services.checklists.expert_answers import published
from app.services.disagreements.version_answers import default_runs_of, kept_answers
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

__all__ = ["JudgeSaid", "PersonSaid", "SidesOfPair", "sides_of_pair"]


@dataclass(frozen=True, slots=True)
class PersonSaid:
    """`who` is "Expert A" and so on until something is decided, then the name. UNANSWERED is a skipped question, None
    only a note. `from_version`: the earlier version in which it was said, None for this one."""

    who: str
    answer: Answer | None
    note: str
    from_version: int | None = None


@dataclass(frozen=True, slots=True)
class JudgeSaid:
    """`judgments` in the order of the repeats."""

    judge: str
    run: int
    judgments: tuple[Judgment, ...]


@dataclass(frozen=True, slots=True)
class SidesOfPair:
    """`decisions` about the question, in all its versions, and the text: all that were ever made, newest first."""

    text: Text
    question: Question
    people: tuple[PersonSaid, ...]
    judges: tuple[JudgeSaid, ...]
    decisions: tuple[Decision, ...]


@use_case(Right.READ)
def sides_of_pair(workbench: Workbench, checklist_id: int, question_id: int, text_id: int) -> SidesOfPair:
    """Raises NotFoundError for a question that the version doesn't ask, or a text that isn't there or locked."""
    with workbench.database.read() as work:
        checklist = published(work, checklist_id)
        question = next((each for each in checklist.asked if each.id == question_id), None)
        if question is None:
            raise NotFoundError(f"Version {checklist.version} doesn't ask this question.", "Go back to the list.")
        dimension_id = work.checklists.dimension_of(checklist_id)
        project_id = work.projects.project_of(dimension_id).id
        text = work.texts.in_project(project_id, text_id)
        runs = default_runs_of(work, project_id, checklist_id)
        judged = [(run, work.results.judgments(run.id, dimension_id, text_id)) for run in runs]
        draw = work.expert_answers.draw_of(checklist_id)
        state = work.expert_answers.state(draw.id) if draw else ()
        about = work.decisions.of_checklist(checklist_id).get(question_id, [])
    decisions = [one for one in about if one.text == text_id]
    given = kept_answers(workbench.database, draw.id, state) if draw else ()
    return SidesOfPair(
        text,
        question,
        _people(given, (text_id, question_id), checklist_id, named=any(one.stands for one in decisions)),
        tuple(
            JudgeSaid(run.judge, run.id, said)
            for run, judgments in judged
            if (said := tuple(one for one in judgments if one.question == question_id))
        ),
        tuple(reversed(decisions)),
    )


def _people(
    given: tuple[ExpertAnswer, ...], pair: tuple[int, int], checklist_id: int, named: bool
) -> tuple[PersonSaid, ...]:
    """Letters in an order drawn for the version, so that they say nothing about who came first."""
    names = sorted({one.expert for one in given})
    random.Random(checklist_id).shuffle(names)  # noqa: S311 - an order, no secret
    letters = {name: f"Expert {_letter(number)}" for number, name in enumerate(names)}
    said = [one for one in given if (one.text, one.question) == pair and (one.answer is not None or one.note)]
    ordered = sorted(said, key=lambda one: one.expert if named else letters[one.expert])
    return tuple(
        PersonSaid(one.expert if named else letters[one.expert], one.answer, one.note, one.from_version)
        for one in ordered
    )


def _letter(number: int) -> str:
    """A, B, ... Z, AA, AB: as columns of a spreadsheet."""
    before, last = divmod(number, len(ascii_uppercase))
    return (_letter(before - 1) if before else "") + ascii_uppercase[last]
