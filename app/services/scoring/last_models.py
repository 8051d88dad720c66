"""Which model a project asked last for what: where a choice of models begins."""

from typing import Literal

from app.construction.steps.document import from_document
from app.domain.attribute import ContributorKind
from app.domain.build import Stage
from app.domain.people.actor import Right
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.scoring.evaluators import NO_JUDGE
from db.unit_of_work import UnitOfWork

ModelTask = Literal["think aloud", "build", "judge"]
RULES = "rules"


@use_case(Right.SEE)
def last_model(workbench: Workbench, project_id: int, task: ModelTask) -> str:
    """The model that the project asked last for this task, else the LLM it asked last for another; "" for none.

    Read from what is on record: runs, builds and attributes.
    """
    with workbench.database.read() as work:
        last = {"build": _builder(work, project_id), "judge": _judge(work, project_id), "think aloud": ""}
        last["think aloud"] = _thinker(work, project_id)
    others = (name for name in last.values() if name not in ("", RULES))
    return last[task] or next(others, "")


def _judge(work: UnitOfWork, project_id: int) -> str:
    asked = (run for run in work.runs.all(project_id) if "file_digest" not in run.params)
    return next((run.judge for run in asked if run.judge not in ("", NO_JUDGE)), "")


def _builder(work: UnitOfWork, project_id: int) -> str:
    builds = [one for place in work.projects.dimensions(project_id) for one in work.builds.of_dimension(place.id)]
    newest = max(builds, key=lambda one: one.id, default=None)
    return from_document(work.builds.state(newest.id)[1]).models[Stage.COMPONENTS] if newest else ""


def _thinker(work: UnitOfWork, project_id: int) -> str:
    said = [one for one in work.think_aloud.attributes(project_id) if one.kind is ContributorKind.LLM]
    llms = [one for one in said if one.contributor != RULES]
    return max(llms or said, key=lambda one: one.id).contributor if said else ""
