"""Evaluators by name, and those of a run with everything they need."""

from dataclasses import fields

from app.domain.run import RunSummary
from app.errors import InputError
from app.evaluators.checklist import JudgeOptions
from app.evaluators.checklist_evaluator import ChecklistEvaluator
from app.evaluators.evaluator import Evaluator
from app.providers.base import ChatModel
from db.unit_of_work import UnitOfWork

CHECKLIST = "checklist"
EVALUATORS = (CHECKLIST,)


def check_evaluator(name: str) -> None:
    if name not in EVALUATORS:
        raise InputError(f"“{name}” is not an evaluator of this version.", f"It has: {', '.join(EVALUATORS)}.")


def evaluators_of(work: UnitOfWork, run: RunSummary, model: ChatModel) -> dict[int, Evaluator]:
    """What scores the run's texts, by dimension, from the project as it is now."""
    task = work.projects.by_id(work.runs.project_of(run.id)).task
    known = {field.name for field in fields(JudgeOptions)}
    options = JudgeOptions(**{name: value for name, value in run.params.items() if name in known})
    return {
        part.dimension: ChecklistEvaluator(
            model,
            task,
            work.projects.dimension_by_id(part.dimension),
            work.checklists.get(part.checklist or 0),
            options,
        )
        for part in work.runs.parts(run.id)
    }
