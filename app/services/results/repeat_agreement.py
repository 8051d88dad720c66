"""A judge that was asked the same several times: how steadily it answered each question."""

import numpy as np

from app.domain.judgment import Answer
from app.domain.people import Right
from app.domain.run import RunAnswers
from app.meta_evaluation.questions.question_agreement import JudgeConsistency, judge_stability
from app.meta_evaluation.score_matrix import Floats
from app.services.results.judge_cube import judge_cube, judged_texts
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
        given = work.results.answer_columns(run_id, dimension_id) if repeats > 1 else RunAnswers()
    texts, questions = judged_texts(given).tolist(), list(dict.fromkeys(given.questions))
    answers = judge_cube(given, texts, questions, VALUES)
    missing = np.full((max(repeats - len(answers), 0), *answers.shape[1:]), np.nan)
    return texts, questions, np.concatenate([answers, missing])
