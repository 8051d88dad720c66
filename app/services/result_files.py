"""Results as files to keep: every score, every figure, and a report that needs nothing else to be read."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from app.domain.project import Project
from app.errors import InputError
from app.export.results import COLUMNS, html_report, parquet_bytes
from app.export.spreadsheet import csv_bytes
from app.services.results import DimensionResult

FIGURE_COLUMNS = (
    "run",
    "evaluator",
    "judge",
    "dimension",
    "level",
    "figure",
    "value",
    "low",
    "high",
    "n",
    "groups_used",
    "groups_all",
    "reason",
    "signature",
)
NO_LLM = "The judge “rules” is a set of fixed text rules, not an LLM."


def scores_csv(results: Iterable[DimensionResult]) -> bytes:
    """One line a text, dimension and run; UTF-8 with a mark that spreadsheets understand."""
    return csv_bytes(COLUMNS, _all_scores(results))


def figures_csv(results: Iterable[DimensionResult]) -> bytes:
    """One line a figure, with its interval, what it rests on and its signature."""
    return csv_bytes(FIGURE_COLUMNS, (row for result in results for row in _figures(result)))


def report_html(project: Project, results: Sequence[DimensionResult]) -> bytes:
    notices = [project.notice] if project.notice else []
    if any(result.run.judge == "rules" for result in results):
        notices.append(NO_LLM)
    title = f"{project.name}: agreement with people"
    return html_report(title, notices, [result.to_json() for result in results]).encode()


def write_results(path: Path, project: Project, results: Sequence[DimensionResult]) -> None:
    """Scores as CSV or Parquet, or the report as HTML, by the file's ending. Raises InputError."""
    match path.suffix.lower():
        case ".csv":  # for scripts: without the mark that would become a part of the first column's name
            content = csv_bytes(COLUMNS, _all_scores(results), for_spreadsheets=False)
        case ".parquet":
            content = parquet_bytes(_all_scores(results))
        case ".html":
            content = report_html(project, results)
        case other:
            raise InputError(
                f"Results can't be written as “{other or path.name}”.", "End the name in .csv, .parquet or .html."
            )
    try:
        path.write_bytes(content)
    except OSError as error:
        raise InputError(f"{path} can't be written: {error.strerror}.", "Choose another place.") from error


def _all_scores(results: Iterable[DimensionResult]) -> Iterable[dict[str, Any]]:
    return (row for result in results for row in _scores(result))


def _scores(result: DimensionResult) -> Iterable[dict[str, Any]]:
    for row in result.rows:
        yield {
            **_origin(result),
            "doc_id": row.doc_id,
            "system_id": row.system_id,
            "score": row.score,
            "coverage": row.coverage,
            "human": row.human,
            "raters": row.raters,
            "item_id": row.item_id,
        }


def _figures(result: DimensionResult) -> Iterable[dict[str, Any]]:
    for name, figure in [*result.meta.figures.items(), ("mae", result.meta.mae)]:
        yield {
            **_origin(result),
            "level": result.meta.design.level,
            "figure": name,
            "value": figure.value,
            "low": figure.low,
            "high": figure.high,
            "n": figure.n,
            "groups_used": result.groups_used,
            "groups_all": result.groups_all,
            "reason": figure.reason,
            "signature": str(figure.signature),
        }


def _origin(result: DimensionResult) -> dict[str, Any]:
    return {
        "run": result.run.id,
        "evaluator": result.run.evaluator,
        "judge": result.run.judge,
        "dimension": result.dimension.name,
    }
