"""A checklist tried on one text: what the questions do there, before anything is published. No result counts."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from app.domain.judgment import Answer, Judgment, checklist_score
from app.domain.people.actor import Right
from app.domain.text import Text
from app.errors import NotReadyError
from app.evaluators.checklist import JudgeOptions
from app.evaluators.checklist_evaluator import ChecklistEvaluator
from app.services.checklists.checklists import ChecklistView
from app.services.runtime.models import model_session
from app.services.runtime.prompts import own_wordings
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

OPTIONS = 20


@dataclass(frozen=True, slots=True)
class PreviewScore:
    """The score if all questions count alike and by their weights, None where none has a yes or no; how many have an
    answer, and how many of these don't apply."""

    equal: float | None
    weighted: float | None
    answered: int
    asked: int
    not_applicable: int = 0


@dataclass(frozen=True, slots=True)
class PreviewText:
    """What a judge said of one text: answers by question id, with reasons, and the score they give."""

    model: str
    judgments: Mapping[int, Judgment]
    score: PreviewScore


@use_case(Right.SEE)
def preview_texts(workbench: Workbench, project_id: int, search: str = "") -> list[Text]:
    """The first texts that contain the words, in the text or in the names of document and system; locked ones aside."""
    with workbench.database.read() as work:
        return work.texts.page(project_id, 0, OPTIONS, search.strip())


@use_case(Right.SEE)
def drawn_text(workbench: Workbench, project_id: int, seed: int) -> Text:
    """A text drawn at random, the same for the same seed. Raises NotReadyError where there is none."""
    with workbench.database.read() as work:
        count = work.texts.count(project_id)
        if not count:
            raise NotReadyError("This project has no texts yet.", "Import some on the Texts screen.")
        return work.texts.page(project_id, int(np.random.default_rng(seed).integers(count)), 1)[0]


@use_case(Right.SEE)
def preview_text(workbench: Workbench, project_id: int, text_id: int) -> Text:
    """Raises NotFoundError for one that the project doesn't have or that is locked."""
    with workbench.database.read() as work:
        return work.texts.in_project(project_id, text_id)


@use_case(Right.FACILITATE)
def judge_preview(workbench: Workbench, view: ChecklistView, text: Text, model: str) -> PreviewText:
    """Ask the questions as a run would, with reasons. What it costs stands in the ledger; no score is kept.

    Raises NotReadyError where nothing is asked, and what asking raises.
    """
    if not view.checklist.asked:
        raise NotReadyError("This checklist asks nothing.", "Switch a question on, or add one.")
    with own_wordings(workbench, view.project.id):
        judgments, name = asyncio.run(_asked(workbench, view, text, model))
    answers = {judgment.question: judgment.answer for judgment in judgments}
    return PreviewText(name, {judgment.question: judgment for judgment in judgments}, preview_score(view, answers))


async def _asked(workbench: Workbench, view: ChecklistView, text: Text, name: str) -> tuple[tuple[Judgment, ...], str]:
    async with model_session(workbench, name, project=view.project.id) as model:
        options = JudgeOptions(reasons=model.is_llm)
        evaluator = ChecklistEvaluator(model, view.project.task, view.dimension, view.checklist, options)
        return (await evaluator.score(text)).judgments, model.name


def preview_score(view: ChecklistView, answers: Mapping[int, Answer]) -> PreviewScore:
    """The score that answers (by question id, missing ones unanswered) give on the dimension's scale."""
    asked, low, high = view.checklist.asked, view.dimension.low, view.dimension.high
    given = [answers.get(question.id, Answer.UNANSWERED) for question in asked]
    return PreviewScore(
        checklist_score(given, low, high).value,
        checklist_score(given, low, high, [question.weight for question in asked]).value,
        sum(answer is not Answer.UNANSWERED for answer in given),
        len(asked),
        sum(answer is Answer.NOT_APPLICABLE for answer in given),
    )
