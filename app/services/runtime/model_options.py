"""Options of a run's judge, how long and how far it may think: kept with the run, changed where that goes on."""

from dataclasses import asdict

from app.domain.people.actor import Right
from app.errors import InputError
from app.providers.model_options import (
    EFFORTS,
    TIERS,
    TIMEOUT,
    USUAL,
    ModelOptions,
    check_effort,
    check_tier,
    takes_options,
)
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

__all__ = [
    "EFFORTS",
    "TIERS",
    "TIMEOUT",
    "USUAL",
    "ModelOptions",
    "check_effort",
    "check_tier",
    "keep_model_options",
    "set_model_options",
    "takes_options",
]


@use_case(Right.FACILITATE)
def set_model_options(workbench: Workbench, run_id: int, wished: ModelOptions) -> None:
    """What was chosen anew for a run that is gone on with. Raises InputError for another effort: it decides the
    answers, and a run's scores are to be of one kind."""
    with workbench.database.write() as work:
        run = work.runs.get(run_id)
        before = ModelOptions.of_run(run.params)
        if wished.effort and wished.effort != before.effort:
            asked = f"with the effort “{before.effort}”" if before.effort else "without an effort"
            raise InputError(f"Run {run_id} is asked {asked}.", "Leave the effort out, or start a new run.")
        for name, value in wished.params().items():
            work.runs.set_param(run_id, name, value)


def keep_model_options(workbench: Workbench, run_id: int, chosen: ModelOptions) -> None:
    """All of what was chosen, also what is as usual again, for a run that is gone on with under the same effort."""
    with workbench.database.write() as work:
        for name, value in asdict(chosen).items():
            work.runs.set_param(run_id, name, value)
