"""Results as files: every score and every figure; and the verdict on a result."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd

from app.domain.project import Project, TextPlace
from app.domain.roles_and_rights import Right
from app.errors import InputError
from app.export.latex import GridBlock, GridCell, interval_shown, latex_grid, latex_tabular
from app.export.results import COLUMNS, parquet_bytes, score_cells
from app.export.spreadsheet import csv_bytes, write_csv
from app.meta_evaluation.agreement_verdict import AgreementVerdict, VerdictKind, agreement_verdict, drawn_units
from app.meta_evaluation.score_matrix import COEFFICIENTS
from app.services.results.method_grid import (
    Comparisons,
    FigureName,
    GridRow,
    MethodGrid,
    defined_figures,
    difference,
    grid_notes,
    method_and_judge,
    method_grid,
)
from app.services.results.raters import RatingScaleScores, ceiling_beside
from app.services.results.report import report_html, report_notices, report_title
from app.services.results.result_texts import ReportEvidence
from app.services.results.results import DimensionResult
from app.services.results.rubric_xray import RubricXray
from app.services.results.run_comparison import RunComparison
from app.services.runtime.output_file import output_file, table_csv
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.run_labels import variant_words
from app.services.think_aloud.samples import evaluation_texts

__all__ = ["AgreementVerdict", "VerdictKind"]


@use_case(Right.READ)
def verdicts_of(workbench: Workbench, results: Sequence[DimensionResult]) -> list[AgreementVerdict]:
    """Return the verdict on each result's agreement, compared with that of a rater, whose agreement is cached until
    scores or ratings change.

    Not for a held-out split, where ratings are looked at only deliberately.
    """
    rated = cache(partial(_rated_texts, workbench))
    return [_verdict(workbench, result, rated) for result in results]


def _verdict(
    workbench: Workbench, result: DimensionResult, rated: Callable[[int], list[TextPlace]]
) -> AgreementVerdict:
    """Return the verdict. If more units are needed (sources, systems or texts, which the interval draws), it says how
    many are rated and not scored yet; not where both sources and systems are drawn. rated: dimension -> its rated texts
    to score."""
    assert not result.locked
    ceilings, raters = ceiling_beside(workbench, result)
    found = agreement_verdict(result.meta, ceilings["spearman"], raters)
    unit, _ = drawn_units(result.meta)
    if found.kind not in ("too few", "open") or unit == "sources and systems":
        return found
    scored = {row.text for row in result.compared}
    left = [text for text in rated(result.dimension.id) if text.id not in scored]
    if unit == "texts":
        unscored = len(left)
    elif unit == "systems":
        unscored = len({text.system_id for text in left} - {row.system_id for row in result.compared})
    else:
        unscored = len({text.doc_id for text in left} - {row.doc_id for row in result.compared})
    return agreement_verdict(result.meta, ceilings["spearman"], raters, unscored)


def _rated_texts(workbench: Workbench, dimension_id: int) -> list[TextPlace]:
    """Return the dimension's texts to score that people rated."""
    with workbench.database.read() as work:
        rated = work.texts.mean_scores(dimension_id)
        places, _ = evaluation_texts(work, work.projects.project_of(dimension_id).id, dimension_id)
    return [place for place in places if place.id in rated]


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
LATEX_NAMES: dict[FigureName, str] = {
    "spearman": r"Spearman $\rho$",
    "kendall": r"Kendall $\tau_b$",
    "pearson": r"Pearson $r$",
    "mae": "Mean absolute error",
}


MAPPED = "mapped_score"


def mapped_csv(scales: Iterable[tuple[DimensionResult, RatingScaleScores]]) -> bytes:
    """Return a CSV of raw scores and scores on people's scale, a row for each text and result."""
    rows = (
        score | {MAPPED: scale.scores.get(row.text)}
        for result, scale in scales
        for row, score in zip(result.rows, _scores(result), strict=True)
    )
    return csv_bytes((*COLUMNS, MAPPED), rows)


def scores_csv(results: Iterable[DimensionResult]) -> bytes:
    """Return a row for each text, dimension and run; UTF-8 with a byte order mark for spreadsheets."""
    return csv_bytes(COLUMNS, _all_scores(results))


def result_figures_csv(results: Iterable[DimensionResult]) -> bytes:
    """Return a CSV with a row for each figure, with its interval, its basis and its signature."""
    return csv_bytes(FIGURE_COLUMNS, (row for result in results for row in _figures(result)))


def latex_file(
    project: Project,
    grid: MethodGrid,
    names: Sequence[FigureName] = (),
    reference: str = "",
    compared: Comparisons = MappingProxyType({}),
) -> bytes:
    """Return the table of methods and dimensions in LaTeX (booktabs), with a block of rows for each coefficient.

    names: the coefficients, by default all defined ones. reference, compared: the reference method and the differences
    to it, which are marked; by default none.
    """
    names = names or defined_figures(grid) or ["spearman"]

    def cells(row: GridRow, name: FigureName) -> list[GridCell]:
        found = []
        for column in grid.columns:
            figure, apart = row.figure(column, name), difference(compared, row.label, column, name)
            ends = (figure.value, figure.low, figure.high) if figure else (None, None, None)
            found.append(GridCell(*ends, *((apart.value, apart.mark) if apart else ())))
        return found

    several = len(names) > 1
    blocks = [
        GridBlock(LATEX_NAMES[name] if several else "", [(row.label, cells(row, name)) for row in grid.rows])
        for name in names
    ]
    results = [result for row in grid.rows for result in row.results.values()]
    cautions = dict.fromkeys(caution for result in results for caution in result.meta.cautions)
    notes = [*grid_notes(grid, names, reference), *cautions, *report_notices(project, results)]
    comments = [
        f"{row.label}, {name}: {found.meta.signature}" for row in grid.rows for name, found in row.results.items()
    ]
    return latex_grid(report_title(project), grid.columns, blocks, notes, comments).encode()


def scores_parquet(results: Iterable[DimensionResult]) -> bytes:
    """Return `scores_csv` as Parquet with types."""
    return parquet_bytes(_all_scores(results))


def write_results(
    path: Path,
    project: Project,
    results: Sequence[DimensionResult],
    verdicts: Sequence[AgreementVerdict],
    xrays: Callable[[], Sequence[RubricXray | None]] = tuple,
    evidence: Callable[[], Sequence[ReportEvidence | None]] = tuple,
) -> None:
    """Write scores as CSV or Parquet, the report as HTML or a table for LaTeX, by the file's ending. Raises InputError.

    `xrays` and `evidence` are computed only for the report.
    """
    match path.suffix.lower():
        case ".csv":  # for scripts: without the mark that would become a part of the first column's name
            with output_file(path) as target, target.open("wb") as stream:
                write_csv(stream, COLUMNS, _all_scores(results), for_spreadsheets=False)
            return
        case ".parquet":
            content = scores_parquet(results)
        case ".html":
            content = report_html(project, results, verdicts, xrays(), evidence())
        case ".tex":
            content = latex_file(project, method_grid(results))
        case other:
            raise InputError(
                f"Results can't be written as “{other or path.name}”.", "End the name in .csv, .parquet, .html or .tex."
            )
    with output_file(path) as file:
        file.write_bytes(content)


def _all_scores(results: Iterable[DimensionResult]) -> Iterable[dict[str, Any]]:
    return (row for result in results for row in _scores(result))


def _scores(result: DimensionResult) -> Iterable[dict[str, Any]]:
    for row in result.rows:
        yield _origin(result) | score_cells(row)


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
        "variant": variant_words(result.run),
        "judge": result.run.judge,
        "dimension": result.dimension.name,
    }


_COMPARED = ("Run", "Coefficient", "Value", "Baseline", "Difference", "p", "p (Holm)", "Texts")


def write_comparisons(path: Path, found: Sequence[RunComparison]) -> None:
    """Write a row for each other run and coefficient, as CSV or LaTeX. Raises InputError for another ending."""
    compared = [
        (f"{method_and_judge(each.other.run)}, run {each.other.run.id}", name, each.comparison.differences[name], each)
        for each in found
        if each.comparison is not None
        for name in COEFFICIENTS
    ]
    match path.suffix.lower():
        case ".csv":
            rows = [
                {
                    "run": label,
                    "coefficient": name,
                    "value": tested.figure.a,
                    "baseline": tested.figure.b,
                    "difference": tested.figure.difference,
                    "low": tested.figure.low,
                    "high": tested.figure.high,
                    "p": tested.permutation.p,
                    "p_holm": tested.p_holm,
                    "texts": each.shared,
                }
                for label, name, tested, each in compared
            ]
            content = table_csv(pd.DataFrame(rows))
        case ".tex":
            cells = [
                [
                    label,
                    name.title(),
                    interval_shown(tested.figure.a, None, None),
                    interval_shown(tested.figure.b, None, None),
                    interval_shown(tested.figure.difference, tested.figure.low, tested.figure.high),
                    interval_shown(tested.permutation.p, None, None),
                    interval_shown(tested.p_holm, None, None),
                    str(each.shared),
                ]
                for label, name, tested, each in compared
            ]
            baseline = f"{method_and_judge(found[0].baseline.run)}, run {found[0].baseline.run.id}" if found else ""
            caption = f"Agreement with people compared with {baseline}, on shared texts."
            content = latex_tabular(caption, _COMPARED, cells, ["p: permutation test."]).encode()
        case other:
            raise InputError(
                f"A comparison can't be written as “{other or path.name}”.", "End the name in .csv or .tex."
            )
    with output_file(path) as file:
        file.write_bytes(content)
