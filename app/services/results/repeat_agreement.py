"""A judge that was asked the same several times: how steadily it answered each question."""

import numpy as np

from app.domain.judgment import Answer
from app.domain.people.actor import Right
from app.meta_evaluation.questions.question_agreement import JudgeConsistency, judge_stability
from app.meta_evaluation.score_matrix import Floats
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

__all__ = ["JudgeConsistency", "repeat_agreement", "repeated_answers"]

VALUES = {Answer.YES: 1.0, Answer.NO: 0.0, Answer.NOT_APPLICABLE: np.nan, Answer.UNANSWERED: np.nan}
"""What doesn't apply is neither yes nor no: it plays no part in figures of yes and no."""
INAPPLICABLE = {Answer.YES: 0.0, Answer.NO: 0.0, Answer.NOT_APPLICABLE: 1.0, Answer.UNANSWERED: np.nan}
"""The same answers for figures of "does not apply" against yes and no together."""


@use_case(Right.READ)
def repeat_agreement(workbench: Workbench, run_id: int, dimension_id: int) -> dict[int, JudgeConsistency]:
    """Question id -> how often the repeats gave the same answer; {} where the judge was asked once or nothing."""
    _, questions, answers = repeated_answers(workbench, run_id, dimension_id)
    return dict(zip(questions, judge_stability(answers), strict=True)) if questions else {}


def repeated_answers(workbench: Workbench, run_id: int, dimension_id: int) -> tuple[list[int], list[int], Floats]:
    """The texts, the questions, and (repeats, texts, questions) answers; no questions where the judge was asked once or
    nothing."""
    with workbench.database.read() as work:
        repeats = int(work.runs.get(run_id).params.get("repeats", 1))
        found = work.results.answers(run_id, dimension_id) if repeats > 1 else {}
    questions = list(dict.fromkeys(question for given in found.values() for _, question, _ in given))
    place = {question: number for number, question in enumerate(questions)}
    answers = np.full((repeats, len(found), len(questions)), np.nan)
    for text, given in enumerate(found.values()):
        for repeat, question, answer in given:
            answers[repeat, text, place[question]] = VALUES[answer]
    return list(found), questions, answers
