"""The models that a project used last, which its screens offer first."""

from collections.abc import Sequence
from typing import Literal

from app.construction.better_wordings import IMPROVE
from app.construction.questions import APPLICABILITY, prompt_name
from app.construction.steps.result import from_document
from app.domain.build import Stage
from app.domain.checklist import Action
from app.domain.roles_and_rights import Right
from app.evaluators.method import Option as Option  # noqa: PLC0414 - for the screens, which know services only
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.evaluators import NO_JUDGE
from app.think_aloud.elicitation import TRANSCRIPT_PROMPT as PICKING
from db.unit_of_work import UnitOfWork

ModelTask = Literal["think aloud", "build", "judge", "rewrite", "review", "improve"]
RULES = "rules"
_REWRITES = [prompt_name(action) for action in Action if action not in (Action.VALIDATE, Action.APPLICABILITY)]
_STAGES: dict[ModelTask, Sequence[str]] = {
    "rewrite": _REWRITES,
    "review": [Stage.VALIDATION.value, APPLICABILITY],
    "improve": [IMPROVE],
}


@use_case(Right.SEE)
def last_model(workbench: Workbench, project_id: int, task: ModelTask) -> str:
    """Return the model that the project last used for this task, else the LLM last used for another; "" for none."""
    others: tuple[ModelTask, ...] = ("build", "judge", "think aloud")
    with workbench.database.read() as work:
        names = (_last(work, project_id, one) for one in others)
        return _last(work, project_id, task) or next((name for name in names if name not in ("", RULES)), "")


@use_case(Right.FACILITATE)
def last_thinkers(workbench: Workbench, project_id: int) -> list[str]:
    """Return the LLMs that thought aloud in the project; if there are none, the rules if they did."""
    with workbench.database.read() as work:
        return _thinkers(work, project_id)


@use_case(Right.TAKE_PART)
def last_picker(workbench: Workbench, project_id: int) -> str:
    """Return the LLM that last found attributes in a recording; "" for none."""
    with workbench.database.read() as work:
        return next(iter(work.stages.last_models(project_id, [PICKING])), "")


def _last(work: UnitOfWork, project_id: int, task: ModelTask) -> str:
    match task:
        case "build":
            newest = work.builds.newest(project_id)
            return from_document(work.builds.state(newest)[1]).models[Stage.COMPONENTS] if newest else ""
        case "judge":
            asked = (run for run in work.runs.all(project_id) if "file_digest" not in run.params)
            return next((run.judge for run in asked if run.judge not in ("", NO_JUDGE)), "")
        case "think aloud":
            return next(iter(_thinkers(work, project_id)), "")
        case _:
            return next(iter(work.stages.last_models(project_id, _STAGES[task])), "")


def _thinkers(work: UnitOfWork, project_id: int) -> list[str]:
    """Return the models that thought aloud, the latest first."""
    names = work.think_aloud.llms(project_id)
    return [name for name in names if name != RULES] or names
