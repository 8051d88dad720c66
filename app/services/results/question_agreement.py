"""Experts and judge on the same questions about the same texts: who disagrees with whom."""

from dataclasses import dataclass

import numpy as np

from app.domain.checklist import Question
from app.domain.judgment import Answer
from app.errors import NotReadyError
from app.meta_evaluation.questions.question_agreement import (
    FEWEST_TEXTS,
    QuestionAgreement,
    majority,
    question_agreement,
)
from app.meta_evaluation.score_matrix import Floats
from app.services.checklists.expert_answers import answer_cube, expert_answers
from app.services.results.results import DimensionResult
from app.services.runtime.workbench import Workbench

__all__ = ["FEWEST_TEXTS", "AskedOfExperts", "QuestionAgreement", "asked_of_experts"]

VALUES = {Answer.YES: 1.0, Answer.NO: 0.0, Answer.UNANSWERED: np.nan}


@dataclass(frozen=True, slots=True)
class AskedOfExperts:
    """Agreement per question over the `texts` drawn for the experts; `judged` of them the run has answered too."""

    checklist: int
    experts: tuple[str, ...]
    texts: int
    judged: int
    questions: tuple[tuple[Question, QuestionAgreement], ...]


def asked_of_experts(workbench: Workbench, result: DimensionResult) -> AskedOfExperts | None:
    """None where the run asked no questions, or no expert has answered the version it asked."""
    with workbench.database.read() as work:
        parts = work.runs.parts(result.run.id)
        checklist = next(part.checklist for part in parts if part.dimension == result.dimension.id)
        answers = work.results.answers(result.run.id, result.dimension.id) if checklist else {}
    if not checklist:
        return None
    try:
        found = expert_answers(workbench, checklist)
    except NotReadyError:  # no texts are drawn for experts
        return None
    if not found.experts:
        return None
    asked = found.checklist.asked
    judge = np.full((len(found.texts), len(asked)), np.nan)
    for place, text in enumerate(found.texts):
        judge[place] = majority(_repeats(answers.get(text, []), [question.id for question in asked]))
    agreement = question_agreement(
        answer_cube(found), judge, resamples=result.choices.resamples, seed=result.choices.seed
    )
    judged = sum(text in answers for text in found.texts)
    return AskedOfExperts(checklist, found.experts, len(found.texts), judged, tuple(zip(asked, agreement, strict=True)))


def _repeats(given: list[tuple[int, int, Answer]], questions: list[int]) -> Floats:
    """(repeats, questions) of one text."""
    repeats = max((repeat for repeat, _, _ in given), default=0) + 1
    found = np.full((repeats, len(questions)), np.nan)
    place = {question: number for number, question in enumerate(questions)}
    for repeat, question, answer in given:
        if question in place:
            found[repeat, place[question]] = VALUES[answer]
    return found
