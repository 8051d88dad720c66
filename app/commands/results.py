"""results."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.output import JsonOption, ProjectOption, echo, print_json, say, shown_method, shown_model, table

if TYPE_CHECKING:
    from app.services.results import DimensionResult


def register(root: typer.Typer) -> None:
    root.command()(results)


def results(
    project: ProjectOption,
    run: Annotated[list[int] | None, typer.Option(help="A run's number; the newest with scores without it.")] = None,
    level: Annotated[str, typer.Option(help="per-source, dataset or system.")] = "per-source",
    json_: JsonOption = False,
    output: Annotated[
        Path | None, typer.Option(help="Write every score to FILE.csv or .parquet, an .html report, or a .tex table.")
    ] = None,
) -> None:
    """How well the scores agree with people.

    Example: interacteval results --project News --level per-source --output scores.csv
    """
    from typing import cast

    from app.errors import InputError
    from app.meta_evaluation.choices import Level, chosen
    from app.services.projects import get_project, overview
    from app.services.result_files import write_results
    from app.services.results import Choices, results_of, runs_to_show
    from app.services.workbench import open_workbench

    workbench = open_workbench()
    target = get_project(workbench, project)
    chosen(level, Level, "level")
    if level == "system" and not overview(workbench, target.id).systems:
        raise InputError("The texts of this project name no system.", "Use --level per-source or --level dataset.")
    runs = runs_to_show(workbench, target.id, run)
    found = [result for run_id in runs for result in results_of(workbench, run_id, Choices(cast("Level", level)))]
    if output is not None:
        write_results(output, target, found)
        say(f"Wrote {output}")
    if json_:
        print_json([result.to_json() for result in found])
    elif output is None:
        print_results(found, target.notice)


def print_results(found: "list[DimensionResult]", notice: str) -> None:
    rows = [
        [r.run.id, shown_method(r.run), shown_model(r.run.judge), r.dimension.name, r.scored, *r.headline]
        for r in found
    ]
    echo(table(["run", "evaluator", "judge", "dimension", "texts", "Spearman", "95 % from", "to", "groups"], rows))
    for result in found:
        echo(f"{result.dimension.name}: {result.meta.caption}")
        spearman = result.meta.figures["spearman"]
        if spearman.reason:
            lacking = "coefficient" if spearman.value is None else "interval"
            hint = " Try --level dataset." if result.dataset_may_help else ""
            echo(f"  No {lacking}: {spearman.reason}{hint}")
        for caution in result.meta.cautions:
            echo(f"  {caution}")
        echo(f"  {result.meta.signature}")
    if notice:
        echo(notice)
