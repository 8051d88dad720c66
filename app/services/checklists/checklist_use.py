"""Uses of a version of a checklist."""

from app.domain.people.actor import Right
from app.domain.run import RunSummary
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench


@use_case(Right.REVIEW)
def runs_with(workbench: Workbench, project_id: int, checklist_id: int) -> list[RunSummary]:
    """The runs that asked this version's questions, newest first."""
    with workbench.database.read() as work:
        used = work.runs.with_checklist(checklist_id)
        return [run for run in work.runs.all(project_id, anchors=True) if run.id in used]
