"""`drift`: did a judge change, or the texts? Anchors that experts answered are asked again regularly."""

from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.scoring.score import progress_printer
from app.commands.shared import (
    DimensionOption,
    JsonOption,
    counted,
    echo,
    open_workbench,
    print_json,
    runs_end_on_signals,
    say,
    say_where_of,
    table,
    warn_of_end,
)
from app.domain.project import Dimension
from app.errors import InputError, NotReadyError
from app.limits import CONCURRENCY

if TYPE_CHECKING:
    from app.services.drift.drift_checks import Asking, DriftState
    from app.services.runtime.workbench import Workbench
    from app.services.scoring.runs import RunReport


def drift(
    project: Annotated[str | None, typer.Option(help="The project's name; not needed where there is one.")] = None,
    dimension: DimensionOption = "all",
    judge: Annotated[str | None, typer.Option(help="provider:name; the one looked at last without it.")] = None,
    against: Annotated[
        str | None, typer.Option(metavar="JUDGE", help="Compare with this judge's reference, for a new version of it.")
    ] = None,
    freeze: Annotated[
        bool, typer.Option("--freeze", help="Freeze the texts experts answered, and ask the judge three times.")
    ] = False,
    anew: Annotated[
        bool,
        typer.Option("--anew", help="With --freeze: new anchors in place of those there are; the test begins again."),
    ] = False,
    run: Annotated[bool, typer.Option("--run", help="Look once: ask the judge about every anchor.")] = False,
    by: Annotated[str, typer.Option("--by", help="Who freezes them.")] = "",
    budget: Annotated[float | None, typer.Option(help="Stop an asking at so many US dollars.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="How many texts at a time.")] = CONCURRENCY,
    json_: JsonOption = False,
) -> None:
    """Show whether the judge changed, or the texts. --run asks the judge again, for example each night.

    --judge NEW --against OLD --freeze --run compares a successor with a judge that its vendor will remove.

    Example: interacteval drift --project News --dimension coherence --judge openai:gpt-6-luna --run
    """
    from app.services.data.projects import dimensions_named
    from app.services.drift.drift_checks import Asking, drift_state

    if anew and not freeze:
        raise InputError("--anew is about freezing.", "Give --freeze too.")
    workbench = open_workbench()
    name, project_id = _project(workbench, project)
    states, reports = [], []
    with runs_end_on_signals() as interruption:
        for each in dimensions_named(workbench, name, dimension):
            state = drift_state(workbench, project_id, each, judge or "", against or "")
            asking = Asking(state.judge, state.against, budget, concurrency)
            if freeze:
                reports += _freeze(workbench, project_id, each, asking, by, anew=anew)
            if run and (state.anchors or freeze or dimension != "all"):
                reports += _look(workbench, project_id, each, asking)
            warn_of_end(state.judge)
            states.append(drift_state(workbench, project_id, each, asking.judge, asking.reference))
            if interruption.signal_number is not None:
                break
    if run and not reports and interruption.signal_number is None:
        raise InputError("No dimension of this project has anchors.", "`interacteval drift --freeze` makes them.")
    if json_:
        changed = any(state.first_changed for state in states)
        print_json({"project": name, "changed": changed, "dimensions": [state.to_json() for state in states]})
    else:
        for state in states:
            _print(state)
    interruption.exit_if_any()
    _end(workbench, reports)


def _project(workbench: "Workbench", name: str | None) -> tuple[str, int]:
    """Return the named project, or the only one."""
    from app.services.data.projects import get_project, list_projects

    if name is None:
        found = list_projects(workbench)
        if len(found) != 1:
            raise InputError(f"There are {len(found)} projects.", "Name one with --project.")
        name = found[0].name
    return name, get_project(workbench, name).id


def _freeze(
    workbench: "Workbench", project_id: int, dimension: "Dimension", asking: "Asking", by: str, *, anew: bool
) -> list["RunReport"]:
    """Freeze anchors, if there are none or new ones are wanted, and complete the reference of the judge to compare
    with."""
    from app.services.drift.anchors import freeze_anchors, newest_anchors
    from app.services.drift.drift_checks import ask_reference

    found = None if anew else newest_anchors(workbench, dimension)
    if found is None:
        found = freeze_anchors(workbench, project_id, dimension, by)
        say(f"Froze {counted(len(found.texts), 'anchor')} of {dimension.name}")
    return ask_reference(workbench, project_id, dimension, found, asking.of_reference(), progress_printer())


def _look(workbench: "Workbench", project_id: int, dimension: "Dimension", asking: "Asking") -> list["RunReport"]:
    from app.services.drift.anchors import newest_anchors
    from app.services.drift.drift_checks import look_once

    found = newest_anchors(workbench, dimension)
    if found is None:
        raise NotReadyError(f"{dimension.name} has no anchors yet.", "`interacteval drift --freeze` makes them.")
    return [look_once(workbench, project_id, dimension, found, asking, progress_printer())]


def _end(workbench: "Workbench", reports: list["RunReport"]) -> None:
    """Exit with status 3 if an anchor has no answer; raise the error if the user has to change something."""
    from app.services.scoring.runs import failures_of

    for report in reports:
        if report.fatal is not None and report.fatal.exit_status == InputError.exit_status:
            raise report.fatal
    missing = False
    for report in reports:
        failures = failures_of(workbench, report.run.id)
        for text, _, kind, message in failures:
            say(f"anchor {text} failed ({kind}): {message}")
        say_where_of(kind for _, _, kind, _ in failures)
        missing = missing or report.run.done < report.run.all
    if missing:
        raise typer.Exit(3)


def _print(state: "DriftState") -> None:
    echo(f"{state.dimension.name}, {state.judge}: {state.verdict or 'no look yet'}")
    echo(f"  {state.sentence}")
    if not state.looks:
        return
    noise = state.reference.get("noise")
    if noise is not None:
        echo(f"  Asked again at the beginning, it changed {noise:.1%} of its answers by itself.")
    rows = [
        [
            f"{look.at:%d %b %Y, %H:%M}",
            look.run,
            look.figures["anchors"],
            look.figures["failed"],
            look.figures["flips"],
            look.figures["capital"],
            look.figures["score"],
            look.verdict,
        ]
        for look in state.looks
    ]
    echo(table(["look", "run", "anchors", "failed", "flips", "evidence (20 is proof)", "score", "verdict"], rows))
    for wording, share in state.questions:
        echo(f"  changed on {share:.0%} of the anchors: {wording}")
