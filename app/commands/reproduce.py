"""reproduce: a paper's table with one command, published figures compared with ours."""

import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.results.meta_eval import Resamples
from app.commands.scoring.score import print_checks, progress_printer
from app.commands.shared import (
    EffortOption,
    JsonOption,
    RoomOption,
    TierOption,
    TimeoutOption,
    chosen_model_options,
    echo,
    open_workbench,
    print_json,
    runs_end_on_signals,
    say,
    shown_model,
    table,
    warn_of_end,
)
from app.errors import InputError
from app.limits import CONCURRENCY
from app.meta_evaluation.bootstrap import RESAMPLES

if TYPE_CHECKING:
    from app.corpora.recipes.recipe import PaperRecipe
    from app.export.latex import PaperGrid
    from app.services.reproduction.cells import Cell
    from app.services.reproduction.reproduction import Reproduction

LIST = "list"
_WIDE = 4  # columns of figures that a terminal shows beside each other
_SUFFIXES = (".md", ".csv", ".tex")
COLUMNS = (
    "paper",
    "table",
    "row",
    "column",
    "published",
    "ours",
    "low",
    "high",
    "difference",
    "mark",
    "n",
    "groups_used",
    "groups_all",
    "reason",
)


def reproduce(
    paper: Annotated[str, typer.Argument(help="`list`, a paper of that list, or a recipe of your own: FILE.yaml.")],
    name: Annotated[str, typer.Argument(metavar="[TABLE]", help="A table of the paper, such as table-2.")] = "",
    more: Annotated[list[Path] | None, typer.Argument(metavar="[FILE]...", help="More files, as after --data.")] = None,
    data: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="A file the table needs; repeat for more. NAME=FILE names its data set."),
    ] = None,
    judge: Annotated[
        list[str] | None,
        typer.Option(help="provider:name in place of the paper's models; NAME=provider:name in place of one of them."),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(help="Thinks aloud and builds checklists, or is a row of its own, as the table has it."),
    ] = None,
    project: Annotated[str, typer.Option(help="Where to; else a project named after paper and table.")] = "",
    sample: Annotated[
        float | None, typer.Option(min=0.0001, max=1, help="A share of the texts instead of the paper's draw.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Read the files, say what would be asked and what it costs, and stop.")
    ] = False,
    concurrency: Annotated[int, typer.Option(min=1, help="How many texts at a time.")] = CONCURRENCY,
    max_output_tokens: RoomOption = None,
    timeout: TimeoutOption = None,
    effort: EffortOption = "",
    tier: TierOption = "",
    resamples: Resamples = RESAMPLES,
    json_: JsonOption = False,
    output: Annotated[Path | None, typer.Option(help="Write the table to FILE.md, .csv or .tex.")] = None,
) -> None:
    """Reproduce a paper's table: published figure, ours with its interval, and the difference.

    Existing results are reused, so the same command continues after an interruption.

    Example: interacteval reproduce coascore table-2 --data topical_chat.json --judge openai:gpt-6-luna --dry-run
    """
    from app.corpora.recipes.recipe import load_recipe
    from app.services.reproduction.cells import cells_of
    from app.services.reproduction.reproduction import Reproduction, ReproductionOptions

    if output is not None and output.suffix.lower() not in _SUFFIXES:
        raise InputError(f"The table can't be written as “{output.name}”.", f"End the name in {', '.join(_SUFFIXES)}.")
    if paper == LIST:
        _list(json_)
        return
    recipe = load_recipe(paper)
    if not name:
        raise InputError("No table is named.", f"{recipe.paper} has recipes for {', '.join(recipe.tables)}.")
    asking = chosen_model_options(max_output_tokens, timeout, effort, tier)
    files = (*(data or ()), *map(str, more or ()))
    wishes = ReproductionOptions(files, tuple(judge or ()), tuple(model or ()), project, sample, asking)
    made = Reproduction(open_workbench(), recipe, name, wishes)
    made.bring_in(say)
    if dry_run:
        _print_forecast(made, json_)
        return
    for asked in dict.fromkeys(entry.partition("=")[2] or entry for entry in (*wishes.judges, *wishes.models)):
        warn_of_end(asked)
    stop = threading.Event()
    with runs_end_on_signals(stop.set) as interruption:
        made.make(concurrency, progress_printer(), say, stop)
    interruption.exit_if_any()
    cells = cells_of(made, resamples)
    if output is not None:
        _write(output, made, cells)
        say(f"Wrote {output}")
    if json_:
        print_json({"paper": recipe.paper, "table": made.name, "cells": [cell.to_json() for cell in cells]})
    elif output is None:
        _print(grid_of(made, cells))
    for problem in dict.fromkeys(made.problems):
        say(problem)
    names = [each.name for each in made.projects.values() if each is not None]
    if names:
        say(f"In the app: {', '.join(f'“{each}”' for each in names)}.")
    if made.problems:
        raise typer.Exit(3)


def _list(json_: bool) -> None:
    from app.corpora.recipes.recipe import load_recipe, recipe_names

    entries = [
        {
            "paper": recipe.paper,
            "table": name,
            "title": recipe.tables[name].title,
            "needs": _needs(recipe, name),
            "methods": list(dict.fromkeys(row.label for row in recipe.tables[name].rows)),
        }
        for recipe in map(load_recipe, recipe_names())
        for name in recipe.tables
    ]
    if json_:
        print_json(entries)
        return
    for entry in entries:
        echo(f"{entry['paper']} {entry['table']}: {entry['title']}")
        for need in entry["needs"]:
            echo(f"  {need}")
    echo("interacteval reproduce PAPER TABLE --data FILE ... makes one again.")


def _needs(recipe: "PaperRecipe", name: str) -> list[str]:
    """Return which files to fetch from where, and which models to name."""
    wanted = recipe.tables[name]
    files = [f"{each}: {recipe.data[each].title}. {recipe.data[each].fetch}" for each in recipe.data_of(wanted)]
    methods = [recipe.methods[row.method] for row in wanted.rows if row.method]
    models = list(dict.fromkeys(method.model for method in methods if method.model))
    return [*files, *([f"--judge, in place of {', '.join(models)}"] if models else [])]


def _print_forecast(made: "Reproduction", json_: bool) -> None:
    parts = made.forecast()
    costs = [part.to_json()["cost_usd"] for part in parts]
    lacking = list(dict.fromkeys(said for said in made.sources.values() if isinstance(said, str) and said))
    lacking += made.problems
    checks = made.draw_checks() if not made.problems else []
    if json_:
        sums = ("calls", "calls_cached", "input_tokens", "output_tokens_estimate")
        documents = [part.to_json() for part in parts]
        print_json(
            {
                "paper": made.recipe.paper,
                "table": made.name,
                "runs": documents,
                **{each: sum(document[each] for document in documents) for each in sums},
                "cost_usd": None if None in costs else sum(costs),
                "missing": lacking,
                "samples": [check.to_json() for check in checks],
            }
        )
        return
    for part in parts:
        echo(f"{part.project}, {part.what}, {part.judge}: {part.estimate}")
    calls = sum(part.calls for part in parts)
    cost = "an unknown price" if None in costs else f"about ${sum(costs):.2f}"
    echo(f"In all {calls:,} calls; {cost}." if parts else "Nothing is left to score.")
    print_checks(checks)
    for said in lacking:
        echo(f"- {said}")


def grid_of(made: "Reproduction", cells: "Sequence[Cell]") -> "PaperGrid":
    """Return the table in the paper's layout."""
    from app.export.latex import GridFigure, PaperGrid

    columns = tuple(place.heading for place in made.table.places)
    by_row: dict[str, list[GridFigure]] = {}
    for cell in cells:
        by_row.setdefault(cell.row, []).append(GridFigure(cell.published, cell.ours, cell.low, cell.high, cell.mark))
    rows = tuple((label, tuple(figures)) for label, figures in by_row.items())
    caption = f"{made.recipe.title}, {made.name.replace('-', ' ')}: {made.table.title}."
    return PaperGrid(caption, columns, rows, (*made.table.notes, *_notes(made, cells)))


def _notes(made: "Reproduction", cells: "Sequence[Cell]") -> Iterable[str]:
    """Yield notes on how figures were computed, which models stand in, and why some are missing."""
    level = {"per-source": "inside each source, averaged", "dataset": "over all texts"}
    yield f"Agreement {level.get(made.table.level, 'over the means of systems')}; in brackets 95 % bootstrap intervals."
    resting = [cell for cell in cells if cell.ours is not None and cell.groups_used is not None]
    if resting:
        fewest = min(resting, key=lambda cell: cell.groups_used or 0)
        if fewest.groups_used != fewest.groups_all:
            yield (
                f"{fewest.row}, {fewest.column}, rests on {fewest.groups_used:,} of {fewest.groups_all:,} sources, the "
                "fewest here; CSV and JSON give the number for each figure."
            )
    if any(cell.mark for cell in cells):
        yield "† and ‡: better than the columns named for it in the recipe, p < .05, permutation test."
    asked: dict[str, None] = {}
    for row in made.rows:
        method = made.method_of(row)
        if method is not None and method.model and (models := made.substitute_models(row, method)):
            asked[f"{', '.join(map(shown_model, models))} in place of {method.model}"] = None
    if asked:
        yield f"Models: {'; '.join(asked)}."
    reasons: dict[str, list[str]] = {}
    for cell in cells:
        if cell.ours is None and cell.reason:
            reasons.setdefault(cell.reason, []).append(cell.row)
    for reason, rows in reasons.items():
        whose = dict.fromkeys(rows)
        every = len(whose) > 1 and len(whose) == len(made.rows)
        yield f"{'All rows' if every else ', '.join(whose)}: {reason}"


def _print(grid: "PaperGrid") -> None:
    """Print the table, a few columns at a time so that lines stay readable."""
    echo(f"{grid.caption}\n")
    for start in range(0, len(grid.columns), _WIDE):
        places = range(start, min(start + _WIDE, len(grid.columns)))
        echo(table(["", "", *(grid.columns[place] for place in places)], grid.lines(places)))
        echo("")
    for note in grid.notes:
        echo(f"- {note}")


def _write(output: Path, made: "Reproduction", cells: "Sequence[Cell]") -> None:
    from app.export.latex import latex, markdown
    from app.export.spreadsheet import csv_bytes
    from app.services.runtime.output_file import output_file

    about: dict[str, Any] = {"paper": made.recipe.paper, "table": made.name}
    with output_file(output) as path:
        if output.suffix.lower() == ".csv":
            path.write_bytes(csv_bytes(COLUMNS, [about | cell.to_json() for cell in cells]))
        else:
            writing = markdown if output.suffix.lower() == ".md" else latex
            path.write_text(writing(grid_of(made, cells)), encoding="utf-8")
