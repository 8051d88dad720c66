"""Analysis of questions: what each contributes to the agreement with people, and whether weights would help."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from app.domain.checklist import Question
from app.domain.people import Right
from app.domain.run import RunAnswers
from app.errors import NotReadyError
from app.meta_evaluation.frame import Frame
from app.meta_evaluation.questions.item_analysis import ItemAnalysis, QuestionItem, Redundancy, analyse_items
from app.meta_evaluation.questions.question_agreement import majority
from app.meta_evaluation.questions.question_weights import QuestionWeights, learn_weights
from app.meta_evaluation.score_matrix import Bools, Floats
from app.providers.credentials import Credentials
from app.services.results.judge_cube import judge_cube
from app.services.results.repeat_agreement import INAPPLICABLE, VALUES
from app.services.results.results import Choices, DimensionResult, kept_result, result_state
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from db.unit_of_work import Database

__all__ = ["ItemAnalysis", "QuestionItem", "QuestionWeights", "Questions", "Redundancy", "questions_of", "weights_of"]


@dataclass(frozen=True, slots=True)
class Questions:
    """`items` of the analysis count the `questions` from 0. `texts` were judged and rated."""

    questions: tuple[Question, ...]
    texts: int
    analysis: ItemAnalysis


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    questions: tuple[Question, ...]
    answers: Floats
    inapplicable: Bools
    human: Floats
    frame: Frame


@use_case(Right.READ)
def questions_of(workbench: Workbench, result: DimensionResult) -> Questions | None:
    """Computed once for as long as neither answers nor ratings change; None where the method asks no questions."""
    state = result_state(workbench, result.run.id, result.dimension.id)
    return _kept_questions(workbench.database, result.run.id, result.dimension.id, result.choices, state)


@use_case(Right.READ)
def weights_of(workbench: Workbench, result: DimensionResult) -> QuestionWeights:
    """Learned by nested cross-validation; kept as questions_of. Texts of a locked split are no part of any result.

    Raises NotReadyError where there is too little to learn from.
    """
    state = result_state(workbench, result.run.id, result.dimension.id)
    return _kept_weights(workbench.database, result.run.id, result.dimension.id, result.choices, state)


@lru_cache(maxsize=32)
def _kept_questions(
    database: Database, run_id: int, dimension_id: int, choices: Choices, _: tuple[object, ...] | None
) -> Questions | None:
    found = _judged(database, run_id, dimension_id, choices)
    if not found.questions:
        return None
    rated = int(np.sum(~np.isnan(found.human) & ~np.isnan(found.answers).all(axis=1)))
    return Questions(found.questions, rated, analyse_items(found.answers, found.human, found.frame, found.inapplicable))


@lru_cache(maxsize=32)
def _kept_weights(
    database: Database, run_id: int, dimension_id: int, choices: Choices, _: tuple[object, ...] | None
) -> QuestionWeights:
    found = _judged(database, run_id, dimension_id, choices)
    if not found.questions or found.frame.group is None:
        raise NotReadyError("This method asks no questions, so there is nothing to weigh.", "Choose a checklist's run.")
    return learn_weights(found.answers, found.human, found.frame.group, found.frame)


def _judged(database: Database, run_id: int, dimension_id: int, choices: Choices) -> _Judged:
    """(texts, questions) of the texts that the result's figures rest on; repeats of a judge count by majority."""
    result = kept_result(Workbench(database, Credentials()), run_id, dimension_id, choices)
    assert result is not None  # the caller has it
    with database.read() as work:
        part = next(part for part in work.runs.parts(run_id) if part.dimension == dimension_id)
        asked = work.checklists.get(part.checklist).asked if part.checklist else []
        given = work.results.answer_columns(run_id, dimension_id) if asked else RunAnswers()
    rows = result.compared
    texts, ids = [row.text for row in rows], [question.id for question in asked]
    cube, outside = (judge_cube(given, texts, ids, values) for values in (VALUES, INAPPLICABLE))
    systems = [row.system_id for row in rows]
    frame = Frame(
        group=[row.doc_id for row in rows],
        system=systems if any(systems) else None,
        level=choices.level,
        constant=choices.constant,
        resamples=choices.resamples,
        seed=choices.seed,
    )
    human = np.array([row.human for row in rows], dtype=np.float64)
    most = majority(outside)
    return _Judged(tuple(asked), np.where(most == 0, majority(cube), np.nan), most == 1, human, frame)
