"""A run that is gone on with: what may be changed is, and everything else must be as it was started."""

from typing import TYPE_CHECKING, Any

import typer

from app.commands.output import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.runtime.workbench import Workbench
    from app.services.scoring.runs import RunOptions

_COMPARED = ("evaluator", "judge", "checklist", "sample", "seed", "draw", "locked", "trials", "dry_run", "reuse")


def ready_to_resume(
    context: typer.Context, workbench: "Workbench", project_id: int, run_id: int, options: "RunOptions"
) -> None:
    """Raises InputError for what was typed and isn't so in the run. Waits until nobody else works on it."""
    from app.services.runtime.judges import set_model_options
    from app.services.scoring.resume import check_same_run
    from app.services.scoring.runs import check_can_resume, set_budget, wait_until_free

    check_can_resume(workbench, project_id, run_id)
    check_same_run(workbench, run_id, _given(context, options))
    if options.budget is not None:
        set_budget(workbench, run_id, options.budget)
    set_model_options(workbench, run_id, options.model)
    wait_until_free(workbench, run_id, say_wait(run_id))


def _given(context: typer.Context, options: "RunOptions") -> dict[str, Any]:
    """What was typed, as opposed to what an option is without it."""
    typed = {name for name in context.params if _is_typed(context, name)}
    given = {name: context.params[name] for name in _COMPARED if name in typed} | {"settings": options.settings}
    if "dimension" in typed:
        given["dimension"] = {dimension.name for dimension in options.dimensions}
    if "no_cache" in typed:
        given["use_cache"] = options.use_cache
    if options.batch:
        given["batch"] = options.batch
    if options.model.effort:
        given["effort"] = options.model.effort
    return given


def _is_typed(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def say_wait(run_id: int) -> "Callable[[float], None]":
    """Says how long another program may still be at work on the run."""

    def say_seconds(seconds: float) -> None:
        say(f"Run {run_id} may still be worked on elsewhere. Going on in {seconds:.0f} s without a sign of life.")

    return say_seconds
