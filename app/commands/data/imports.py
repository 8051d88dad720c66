"""import and template."""

from pathlib import Path
from typing import Annotated

import typer

from app.commands.shared import JsonOption, ProjectOption, counted, echo, open_workbench, print_json, say, table
from app.corpora.corpus import ColumnUse
from app.errors import InputError

FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        help="auto, csv, jsonl, json, parquet, xlsx, or the name of a published data set or of a tool's log, such as "
        "summeval or langfuse; a wrong name shows them all.",
    ),
]
_SHOWN = 20


def import_(
    file: Annotated[Path, typer.Argument(help="The file with texts and ratings.")],
    project: ProjectOption,
    format_: FormatOption = "auto",
    map_: Annotated[
        list[str] | None,
        typer.Option("--map", help="text=COL, source=COL, doc_id=COL, system_id=COL ...; the rest is guessed."),
    ] = None,
    rating: Annotated[
        list[str] | None,
        typer.Option("--rating", help="DIM=COL; several columns for one DIM are several raters. `none`: no ratings."),
    ] = None,
    scale: Annotated[
        list[str] | None,
        typer.Option("--scale", help="DIM=LOW..HIGH, such as c=1..5; else the scale that almost all ratings fit."),
    ] = None,
    sheet: Annotated[str, typer.Option(help="Of an Excel workbook, else its first.")] = "",
    writer: Annotated[
        str, typer.Option(help="What those who wrote the texts are called: system, agent, student; for a new project.")
    ] = "",
    references: Annotated[
        str, typer.Option(help="Of new texts, instead of the file's: source, or system=NAME for that system's texts.")
    ] = "",
    part: Annotated[
        str, typer.Option(help="Of conversations: the last reply (last), each reply (each), or all of it (whole).")
    ] = "",
    definitions: Annotated[
        str, typer.Option(help="Define new dimensions as in a paper: gptscore, interacteval or g-eval.")
    ] = "",
    json_: JsonOption = False,
) -> None:
    """Import texts and ratings into a project, which is created if it is new.

    Columns that aren't named are guessed by names and values; --map source= says that there is no source. If a rating
    is named, no others are guessed.

    Example: interacteval import essays.csv --project Essays --map text=essay --rating Cohesion=rater1 --scale
    Cohesion=1..6
    """
    from app.corpora.mapping import ColumnMapping
    from app.services.data.imports import import_file
    from app.services.data.projects import get_project, overview
    from app.services.data.uploads import without_ratings_words
    from app.services.data.workflow_steps import next_step

    mapping = ColumnMapping.parse(map_ or [], rating or [], scale or []) if map_ or rating or scale else None
    workbench = open_workbench()
    report = import_file(
        workbench,
        file,
        project,
        format_,
        mapping,
        sheet,
        writer=writer,
        references=references,
        part=part,
        definitions=definitions,
    )
    if json_:
        print_json(report.to_json())
        return
    echo(
        f"{report.project} ({report.format}): {counted(report.texts, 'text')} of "
        f"{counted(report.sources, 'source')} and {counted(report.systems, 'system')}, "
        f"{counted(report.ratings, 'rating')}; "
        f"new: {report.added_texts} texts, {report.added_ratings} ratings"
    )
    if report.columns:
        echo(f"columns: {', '.join(_said(use) for use in report.columns)}")
    rows = [[name, d.ratings, d.raters, d.low, d.high] for name, d in report.dimensions.items()]
    if rows:
        echo(table(["dimension", "ratings", "raters", "low", "high"], rows))
    if report.ungrouped:
        say(
            "No two texts share a source, so agreement can't be taken per source, only over the dataset. If texts "
            "belong together, map the column that names their source: --map doc_id=COLUMN"
        )
    if report.few_sources:
        say(
            f"{counted(report.texts, 'text')} of {counted(report.sources, 'source')}: only the samples, which people "
            "read while thinking aloud, are left out of scoring. Leaving out all texts of their sources would lose too "
            "many."
        )
    target = get_project(workbench, report.project)
    if not report.ratings:
        for line in without_ratings_words(target.task):
            say(line)
    for note in report.notes:
        say(note)
    for skipped in report.skipped[:_SHOWN]:
        say(f"left out, row {skipped.row}: {skipped.reason}")
    if len(report.skipped) > _SHOWN:
        say(f"... and {len(report.skipped) - _SHOWN} more; --json lists all")
    todo = next_step(overview(workbench, target.id))
    say(f"Next: {todo.verb}. {todo.why}")


def template(
    file: Annotated[Path, typer.Argument(help="Where to write it; its name ends in .xlsx or .csv.")],
    project: Annotated[str, typer.Option(help="With the dimensions of this project.")] = "",
    preset: Annotated[str, typer.Option(help="With those of a kind of texts, such as `learner essays`.")] = "",
) -> None:
    """Write a table to fill in and import, with the right columns and an example row.

    Example: interacteval template essays.xlsx --preset "learner essays"
    """
    from app.services.data.imports import preset_template, project_template
    from app.services.data.projects import get_project
    from app.services.runtime.output_file import output_file

    if project and preset:
        raise InputError("A project and a preset are both named.", "Name one of them.")
    ending = file.suffix.lower().removeprefix(".")
    workbench = open_workbench()
    of_project = project_template(workbench, get_project(workbench, project), ending) if project else b""
    with output_file(file) as written:
        written.write_bytes(of_project or preset_template(preset, ending))
    echo(f"written: {file}")


def _said(use: "ColumnUse") -> str:
    taken_for = f"a rating of {use.dimension}" if use.role == "rating" else use.role
    return f"{use.column} as {taken_for}{' (guessed)' if use.guessed else ''}"
