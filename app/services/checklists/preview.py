"""A draft tried on one text, by a judge or by hand, before it is published."""

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass

import numpy as np

from app.domain.checklist_score import Answer, Evaluation, Judgment, checklist_score
from app.domain.project import Text
from app.domain.roles_and_rights import Right
from app.errors import NotReadyError
from app.evaluators.checklist import ChecklistEvaluator, JudgeOptions
from app.providers.base import ChatModel
from app.services.checklists.checklists import ChecklistView
from app.services.runtime.models import ask_model
from app.services.runtime.workbench import Workbench, use_case

OPTIONS = 20


@dataclass(frozen=True, slots=True)
class PreviewScore:
    """The score with equal and with given weights, None if no question has a yes or no; the number of answered
    questions, and of these the ones that don't apply."""

    equal: float | None
    weighted: float | None
    answered: int
    asked: int
    not_applicable: int = 0


@dataclass(frozen=True, slots=True)
class PreviewText:
    """A judge's answers about one text, by question id with reasons, and their score."""

    model: str
    judgments: Mapping[int, Judgment]
    score: PreviewScore


@use_case(Right.SEE)
def preview_texts(workbench: Workbench, project_id: int, search: str = "") -> list[Text]:
    """Return the first texts that contain the words, in the text or the names of document and system, except held-out
    texts."""
    with workbench.database.read() as work:
        return work.texts.page(project_id, 0, OPTIONS, search.strip())


@use_case(Right.SEE)
def drawn_text(workbench: Workbench, project_id: int, seed: int) -> Text:
    """Return a random text, the same for the same seed. Raises NotReadyError if there is none."""
    with workbench.database.read() as work:
        count = work.texts.count(project_id)
        if not count:
            raise NotReadyError("This project has no texts yet.", "Import some on the Texts screen.")
        return work.texts.page(project_id, int(np.random.default_rng(seed).integers(count)), 1)[0]


@use_case(Right.SEE)
def preview_text(workbench: Workbench, project_id: int, text_id: int) -> Text:
    """Return a text. Raises NotFoundError if the project doesn't have it or it is held out."""
    with workbench.database.read() as work:
        return work.texts.in_project(project_id, text_id)


@use_case(Right.FACILITATE)
def judge_preview(workbench: Workbench, view: ChecklistView, text: Text, model: str) -> PreviewText:
    """Ask the questions as a run would, with reasons. The cost is recorded in the ledger; no score is stored.

    Raises NotReadyError if no question is asked, and errors of the model.
    """
    if not view.checklist.asked:
        raise NotReadyError("This checklist asks nothing.", "Switch a question on, or add one.")

    def judge(opened: ChatModel) -> Awaitable[Evaluation]:
        options = JudgeOptions(reasons=opened.is_llm)
        return ChecklistEvaluator(opened, view.project.task, view.dimension, view.checklist, options).score(text)

    found, name = ask_model(workbench, view.project.id, model, judge)
    judgments = found.judgments
    answers = {judgment.question: judgment.answer for judgment in judgments}
    return PreviewText(name, {judgment.question: judgment for judgment in judgments}, preview_score(view, answers))


def preview_score(view: ChecklistView, answers: Mapping[int, Answer]) -> PreviewScore:
    """Return the score of answers (by question id, missing ones unanswered) on the dimension's scale."""
    asked, low, high = view.checklist.asked, view.dimension.low, view.dimension.high
    given = [answers.get(question.id, Answer.UNANSWERED) for question in asked]
    return PreviewScore(
        checklist_score(given, low, high, asked).value,
        checklist_score(given, low, high, asked, weighted=True).value,
        sum(answer is not Answer.UNANSWERED for answer in given),
        len(asked),
        sum(answer is Answer.NOT_APPLICABLE for answer in given),
    )
