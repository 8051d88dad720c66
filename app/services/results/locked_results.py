"""Looks at the results on a locked test split: the only results over its texts, and each look is counted."""

from collections.abc import Sequence

from app.domain.people import Right
from app.errors import NotReadyError
from app.meta_evaluation.choices import Level
from app.services.data.locked_split import locked_runs, require_name, require_split
from app.services.results.results import Choices, DimensionResult, results_of
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench


@use_case(Right.FACILITATE, act="looked at the locked split's results")
def look_at_locked_results(
    workbench: Workbench, project_id: int, runs: Sequence[int], who: str, level: Level = "per-source"
) -> list[DimensionResult]:
    """The agreement of these runs with people on the locked texts. Each look is counted before anything is shown.

    Raises NotReadyError where nothing is locked or a run has no score there.
    """
    name = require_name(who)
    with workbench.database.read() as work:
        split = require_split(work, project_id)
    without = [run for run in runs if run not in locked_runs(workbench, project_id)]
    if not runs or without:
        which = f"Run {without[0]} has" if without else "No run has"
        raise NotReadyError(f"{which} no scores on the locked texts.", "Score them first (score --locked).")
    with workbench.database.write() as work:
        work.locked_splits.add_look(split.id, name, runs)
    return [result for run in runs for result in results_of(workbench, run, Choices(level), locked=True)]
