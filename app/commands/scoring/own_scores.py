"""scores."""

from pathlib import Path
from typing import Annotated

import typer

from app.commands.shared import (
    DimensionOption,
    JsonOption,
    ProjectOption,
    counted,
    echo,
    open_project,
    print_json,
    say,
    table,
)

_SHOWN = 20


def import_(
    file: Annotated[Path, typer.Argument(help="CSV, TSV, JSON, JSON Lines or Parquet, one row per text.")],
    project: ProjectOption,
    dimension: DimensionOption,
    column: Annotated[str, typer.Option(help="The column with the scores; nested fields as a.b.")],
    name: Annotated[str, typer.Option(help="What to call it in tables; the column without it.")] = "",
    doc_id: Annotated[str, typer.Option(help="The column that names the source.")] = "",
    system_id: Annotated[str, typer.Option(help="The column that names who wrote the text.")] = "",
    item_id: Annotated[str, typer.Option(help="The column that tells texts apart that share both.")] = "",
    json_: JsonOption = False,
) -> None:
    """Import a metric's scores as a run; rows are matched to texts by doc_id, system_id and item_id.

    Example: interacteval scores import rouge.csv --project News --dimension relevance --column rouge_l
    """
    from app.corpora.own_score_tables import ScoreColumns
    from app.services.data.projects import dimensions_named
    from app.services.scoring.own_scores import import_scores

    workbench, target = open_project(project)
    columns = ScoreColumns(column, doc_id, system_id, item_id)
    report = import_scores(workbench, target.id, dimensions_named(workbench, project, dimension), file, columns, name)
    if json_:
        print_json(report.to_json())
        return
    echo(f"Run {report.run} ({report.evaluator}) from {counted(report.rows, 'row')}")
    rows = [
        [name, scored, len(report.without_score[name]), report.samples[name]] for name, scored in report.scored.items()
    ]
    echo(table(["dimension", "texts scored", "texts without a score", "rows of samples"], rows))
    if report.locked:
        say(f"{counted(report.locked, 'row')} of the held-out split left out")
    if report.duplicates:
        say(f"{counted(report.duplicates, 'row')} repeated a score and counted once")
    for skipped in report.left_out[:_SHOWN]:
        say(f"left out, row {skipped.row}: {skipped.reason}")
    if len(report.left_out) > _SHOWN:
        say(f"... and {len(report.left_out) - _SHOWN} more; --json lists all")
