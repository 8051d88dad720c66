"""Evidence about a checklist's questions, gathered from a run, experts' answers, ratings and the questions' wording."""

import numpy as np

from app.construction.lint import lint_question
from app.domain.checklist import Checklist
from app.meta_evaluation.questions.failure_modes.evidence import RubricEvidence, WordingHint
from app.services.results.expert_side import expert_side
from app.services.results.judge_cube import judge_cube
from app.services.results.repeat_agreement import INAPPLICABLE, VALUES
from app.services.results.results import DimensionResult
from app.services.runtime.workbench import Workbench


def rubric_evidence(workbench: Workbench, result: DimensionResult, checklist: Checklist) -> RubricEvidence:
    """Over the run's texts, rated or not, and those drawn for experts alone."""
    side = expert_side(workbench, result)
    documents = {row.text: row.doc_id or f"text {row.text}" for row in result.rows}
    if side is not None:
        documents |= dict(zip(side.texts, side.documents, strict=True))
    texts = list(side.texts if side is not None else documents)
    with workbench.database.read() as work:
        given = work.results.answer_columns(result.run.id, result.dimension.id)
        words = {text: len(said.split()) for text, said in work.texts.each_wording(texts)}
        language = work.projects.project_of(result.dimension.id).task.language
    asked = [question.id for question in checklist.asked]
    human = {row.text: row.human for row in result.rows}
    return RubricEvidence(
        judge=judge_cube(given, texts, asked, VALUES),
        inapplicable=judge_cube(given, texts, asked, INAPPLICABLE),
        people_inapplicable=side.people_inapplicable if side is not None else None,
        decided=side.decided if side is not None else None,
        judged=np.isin(texts, np.asarray(given.texts)),
        people=side.people if side is not None else np.empty((0, len(texts), len(checklist.asked))),
        words=np.array([words.get(text, 0) for text in texts], dtype=np.float64),
        ratings=np.array([human.get(text) for text in texts], dtype=np.float64),
        documents=[documents[text] for text in texts],
        hints=tuple(_hints(question.text, language) for question in checklist.asked),
        resamples=result.choices.resamples,
        seed=result.choices.seed,
        weights=None if side is None or side.probability is None else np.nan_to_num(1 / side.probability),
    )


def _hints(question: str, language: str) -> tuple[WordingHint, ...]:
    return tuple((hint.code, hint.message) for hint in lint_question(question, language=language))
