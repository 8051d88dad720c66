"""dimension list, add, edit, correlations: the qualities on which a project's texts are judged."""

from dataclasses import asdict, replace
from typing import Annotated

import typer

from app.commands.shared import (
    JsonOption,
    ProjectOption,
    echo,
    open_dimension,
    open_project,
    open_workbench,
    print_json,
    table,
)
from app.domain.project import Dimension
from app.meta_evaluation.score_matrix import Level

NameArgument = Annotated[str, typer.Argument(help="The dimension's name.")]
RubricOption = Annotated[str | None, typer.Option(help="What it means, and what low and high scores stand for.")]
LowOption = Annotated[float | None, typer.Option(help="The lowest score.")]
HighOption = Annotated[float | None, typer.Option(help="The highest score.")]


def list_(project: ProjectOption, json_: JsonOption = False) -> None:
    """List all dimensions with range and rubric.

    Example: interacteval dimension list --project News
    """
    from app.services.data.projects import dimensions_named

    found = [asdict(d) for d in dimensions_named(open_workbench(), project, "all")]
    columns = ("name", "low", "high", "rubric")
    if json_:
        print_json([{column: one[column] for column in columns} for one in found])
    else:
        echo(table(columns, [[one[column] for column in columns] for one in found]))


def correlations(
    project: ProjectOption,
    level: Annotated[Level, typer.Option(help="per-source, dataset or system.")] = "dataset",
    json_: JsonOption = False,
) -> None:
    """Show how people's ratings on each two dimensions correlate: Spearman with its interval, Kendall, Pearson.

    Example: interacteval dimension correlations --project Chats
    """
    from app.services.results.raters import rating_correlations

    workbench, target = open_project(project)
    found = rating_correlations(workbench, target.id, level)
    if json_:
        print_json([each.to_json() for each in found])
        return
    rows = []
    for each in found:
        spearman, others = each.figures["spearman"], (each.figures["kendall"].value, each.figures["pearson"].value)
        figures = (spearman.value, spearman.low, spearman.high, *others)
        rows.append([each.first, each.second, *figures, spearman.n, spearman.reason])
    headings = ["dimension", "and", "Spearman", "95 % from", "to", "Kendall", "Pearson", "texts", ""]
    echo(table(headings, rows) if rows else "Fewer than two dimensions have ratings.")


def add(
    name: NameArgument,
    project: ProjectOption,
    rubric: RubricOption = None,
    low: LowOption = None,
    high: HighOption = None,
) -> None:
    """Add a dimension, by default with the range 1 to 5.

    Example: interacteval dimension add warmth --project Letters --rubric "How friendly it sounds." --low 1 --high 7
    """
    from app.services.data.projects import add_dimension

    workbench, target = open_project(project)
    new = add_dimension(workbench, target.id, _changed(Dimension(name), rubric, low, high))
    echo(f"Added {new.name}, {new.low:g} to {new.high:g}.")


def edit(
    name: NameArgument,
    project: ProjectOption,
    rename: Annotated[str | None, typer.Option(help="Its new name.")] = None,
    rubric: RubricOption = None,
    low: LowOption = None,
    high: HighOption = None,
) -> None:
    """Change a dimension's name, rubric or range.

    Example: interacteval dimension edit coherence --project News --rubric "How well the sentences hold together."
    """
    from app.services.data.projects import save_dimension

    workbench, dimension = open_dimension(project, name)
    new = _changed(replace(dimension, name=rename or dimension.name), rubric, low, high)
    save_dimension(workbench, new)
    echo(f"Saved {new.name}, {new.low:g} to {new.high:g}.")


def _changed(dimension: "Dimension", rubric: str | None, low: float | None, high: float | None) -> "Dimension":
    return replace(
        dimension,
        rubric=dimension.rubric if rubric is None else rubric,
        low=dimension.low if low is None else low,
        high=dimension.high if high is None else high,
    )
