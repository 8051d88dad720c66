"""Results as files: every score, every figure, and a self-contained report."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, quantiles
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pandas as pd

from app.domain.people import Right
from app.domain.project import Project
from app.domain.run import ScoredText
from app.errors import InputError
from app.export.latex import GridBlock, GridCell, interval_shown, latex_grid, latex_tabular
from app.export.results import COLUMNS, html_report, parquet_bytes, score_cells
from app.export.spreadsheet import csv_bytes, write_csv
from app.limited_process import computed_apart
from app.limits import REPORT_SECONDS
from app.meta_evaluation.agreement_verdict import AgreementVerdict, VerdictKind, agreement_verdict, drawn_units
from app.meta_evaluation.evaluation import SourceCoefficient, spearman_by_source
from app.meta_evaluation.score_matrix import COEFFICIENTS
from app.services.results.method_grid import (
    FIGURES,
    Comparisons,
    FigureName,
    GridRow,
    MethodGrid,
    cell,
    defined_figures,
    difference,
    grid_notes,
    method_and_judge,
    method_grid,
)
from app.services.results.raters import RatingScaleScores, ceiling_beside
from app.services.results.result_texts import ReportEvidence
from app.services.results.results import DimensionResult
from app.services.results.rubric_xray import RubricXray
from app.services.results.run_comparison import RunComparison
from app.services.runtime.output_file import output_file, table_csv
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.run_writer import method_label, variant_words
from app.services.think_aloud.samples import evaluation_texts

if TYPE_CHECKING:
    from app.export.charts import ReportChart

__all__ = ["AgreementVerdict", "SourceCoefficient", "VerdictKind"]


BINS = 8
MOST_SOURCES = 2_000


@dataclass(frozen=True, slots=True)
class PairCount:
    """The number of texts rated `human` on average by people and scored `score` by the judge."""

    human: float
    score: float
    texts: int


@dataclass(frozen=True, slots=True)
class Bin:
    """A part of the scale, `low` included, `high` only in the last one; counts of texts by score and by rating."""

    low: float
    high: float
    scores: int
    ratings: int


@dataclass(frozen=True, slots=True)
class CalibrationPoint:
    """Texts with a mean rating of about `human` (their mean): the mean score, and the quartiles of the scores."""

    human: float
    score: float
    lower_quartile: float
    upper_quartile: float
    texts: int


def pair_counts(rows: Iterable[ScoredText]) -> list[PairCount]:
    counts = Counter((round(human, 3), round(score, 3)) for human, score in _pairs(rows))
    return [PairCount(human, score, texts) for (human, score), texts in sorted(counts.items())]


def score_distributions(rows: Iterable[ScoredText], low: float, high: float) -> list[Bin]:
    """Return scores and ratings in BINS equal parts of the scale; values outside count in the outermost parts."""
    pairs = _pairs(rows)
    ratings = Counter(_part(human, low, high, BINS - 1) for human, _ in pairs)
    scores = Counter(_part(score, low, high, BINS - 1) for _, score in pairs)
    width = (high - low) / BINS
    return [Bin(low + k * width, low + (k + 1) * width, scores[k], ratings[k]) for k in range(BINS)]


def calibration(rows: Iterable[ScoredText], low: float, high: float) -> list[CalibrationPoint]:
    """Group the texts by mean rating around BINS + 1 points of the scale; return for each nonempty group how scores
    compare with ratings."""
    groups: dict[int, list[tuple[float, float]]] = {}
    half = (high - low) / BINS / 2
    for human, score in _pairs(rows):
        groups.setdefault(_part(human, low - half, high + half, BINS), []).append((human, score))
    return [_point(groups[key]) for key in sorted(groups)]


def by_source(rows: Sequence[ScoredText]) -> list[SourceCoefficient]:
    """Return the Spearman correlation within each source."""
    return spearman_by_source([row.score for row in rows], [row.human for row in rows], [row.doc_id for row in rows])


def shown_sources(known: Sequence[SourceCoefficient]) -> list[SourceCoefficient]:
    """Return the sources for a chart: all, or if there are more than MOST_SOURCES every second, third ... in the order
    of their coefficients, lowest first."""
    step = -(-len(known) // MOST_SOURCES)
    return list(known) if step <= 1 else sorted(known, key=lambda each: each.spearman or 0.0)[::step]


def _point(pairs: Sequence[tuple[float, float]]) -> CalibrationPoint:
    scores = [score for _, score in pairs]
    lower, _, upper = quantiles(scores, n=4, method="inclusive") if len(scores) > 1 else (scores * 3)
    return CalibrationPoint(fmean(human for human, _ in pairs), fmean(scores), lower, upper, len(pairs))


def _pairs(rows: Iterable[ScoredText]) -> list[tuple[float, float]]:
    return [(row.human, row.score) for row in rows if row.human is not None and row.score is not None]


def _part(value: float, low: float, high: float, last: int) -> int:
    """Return the bin of the value, from 0 to `last`; the bins are equally wide, from low to high."""
    share = (value - low) / (high - low) if high > low else 0.0
    return min(max(int(share * (last + 1) + 1e-9), 0), last)


@use_case(Right.READ)
def verdict_of(workbench: Workbench, result: DimensionResult) -> AgreementVerdict:
    """Return the verdict on a result's agreement, compared with that of a rater; cached until scores or ratings change.

    Not for a held-out split, where ratings are looked at only deliberately.
    """
    assert not result.locked
    ceilings, raters = ceiling_beside(workbench, result)
    found = agreement_verdict(result.meta, ceilings["spearman"], raters)
    if found.kind not in ("too few", "open"):
        return found
    return agreement_verdict(result.meta, ceilings["spearman"], raters, _unscored(workbench, result))


def _unscored(workbench: Workbench, result: DimensionResult) -> int | None:
    """Return how many more units (sources, systems or texts, which the interval draws) are rated and could be scored;
    None if both sources and systems are drawn."""
    unit, _ = drawn_units(result.meta)
    if unit == "sources and systems":
        return None
    with workbench.database.read() as work:
        rated = work.texts.mean_scores(result.dimension.id)
        places, _ = evaluation_texts(work, work.runs.project_of(result.run.id), result.dimension.id)
    scored = {row.text for row in result.compared}
    left = [place for place in places if place.id in rated and place.id not in scored]
    if unit == "texts":
        return len(left)
    if unit == "systems":
        return len({place.system_id for place in left} - {row.system_id for row in result.compared})
    return len({place.doc_id for place in left} - {row.doc_id for row in result.compared})


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
METHODS = (
    "A checklist's score is low + (high - low) * yes / (yes + no). A question that doesn't apply is neither, nor is "
    "one without a readable answer; a text with such questions stays out of the correlations unless they were asked to "
    "include it.",
    "Human ratings are means over raters. Documents whose texts were shown as samples are left out.",
    "Per-source: a coefficient inside each source's group of texts, averaged over groups; dataset: one over all texts; "
    "system: one over the means of systems. A group in which all scores or all ratings are equal has no coefficient; "
    "groups used and all are given. Kendall's coefficient is tau-b.",
    "Questions get a badge only where a whole 95 % interval lies beyond a limit; intervals draw whole sources. The "
    "modes are those of RIFT (2604.01375). No badge is no proof that a question is good.",
    "Intervals are 95 % percentile bootstrap intervals; resamples without a figure are counted. The signature names "
    "level, coefficient, groups, duplicates, resamples, seed, checklist version, judge and prompt: with it and the "
    "same scores each figure can be computed again.",
)
LATEX_NAMES: dict[FigureName, str] = {
    "spearman": r"Spearman $\rho$",
    "kendall": r"Kendall $\tau_b$",
    "pearson": r"Pearson $r$",
    "mae": "Mean absolute error",
}
NO_LLM = "The judge “rules” is a set of fixed text rules, not an LLM."


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


def report_html(
    project: Project,
    results: Sequence[DimensionResult],
    verdicts: Sequence[AgreementVerdict],
    xrays: Sequence[RubricXray | None] = (),
    evidence: Sequence[ReportEvidence | None] = (),
) -> bytes:
    """Return a self-contained page with charts and methods; `verdicts`, one for each result, come first.

    `xrays`: one for each result, on problems of its questions; `evidence`: one for each result, on the judge's quotes.
    None, or an empty sequence, leaves them out.
    """
    from app.export.charts import IntervalRow, interval_plot  # noqa: PLC0415 - takes a second

    figures = [(result, result.meta.figures["spearman"]) for result in results]
    rows = [
        IntervalRow(f"{r.dimension.name}, {method_label(r.run)}, run {r.run.id}", f.value, f.low, f.high, f.n)
        for r, f in figures
        if f.value is not None
    ]
    overview = interval_plot(rows, "Spearman with 95 % intervals") if rows else None
    documents = [
        {
            **result.to_json(),
            "charts": _charts(result),
            "verdict": verdict.about(result.dimension.name),
            "xray": xray and xray.to_json() | {"basis": xray.basis},
            "evidence": quoted and quoted.to_json(),
        }
        for result, verdict, xray, quoted in zip(
            results, verdicts, xrays or [None] * len(results), evidence or [None] * len(results), strict=True
        )
    ]
    return html_report(
        _title(project), _notices(project, results), documents, METHODS, overview, _grids(results)
    ).encode()


def report_made_apart(
    project: Project,
    results: Sequence[DimensionResult],
    verdicts: Sequence[AgreementVerdict],
    xrays: Sequence[RubricXray | None],
    evidence: Sequence[ReportEvidence | None],
) -> bytes:
    """Return `report_html`, made in a process of its own. Raises NotReadyError at the time limit."""
    return computed_apart(REPORT_SECONDS, report_html, project, results, verdicts, xrays, evidence)


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
    notes = [*grid_notes(grid, names, reference), *cautions, *_notices(project, results)]
    comments = [
        f"{row.label}, {name}: {found.meta.signature}" for row in grid.rows for name, found in row.results.items()
    ]
    return latex_grid(_title(project), grid.columns, blocks, notes, comments).encode()


def scores_parquet(results: Iterable[DimensionResult]) -> bytes:
    """Return `scores_csv` as Parquet with types."""
    return parquet_bytes(_all_scores(results))


def _grids(results: Sequence[DimensionResult]) -> list[dict[str, object]]:
    """Return a table of methods by dimensions for each coefficient; [] for a single method and dimension."""
    grid = method_grid(results)
    if len(grid.rows) == len(grid.columns) == 1:
        return []
    return [
        {
            "title": f"{FIGURES[name]} by method and dimension",
            "columns": grid.columns,
            "rows": [(row.label, [cell(row.figure(column, name)) for column in grid.columns]) for row in grid.rows],
            "notes": grid_notes(grid, (name,)),
        }
        for name in defined_figures(grid)
    ]


def _title(project: Project) -> str:
    return f"{project.name}: agreement with people"


def _notices(project: Project, results: Sequence[DimensionResult]) -> list[str]:
    by_rules = any(result.run.judge == "rules" for result in results)
    return [*([project.notice] if project.notice else []), *([NO_LLM] if by_rules else [])]


def _charts(result: DimensionResult) -> "list[ReportChart]":
    from app.export.charts import distributions, scatter  # noqa: PLC0415 - takes a second

    low, high = result.dimension.low, result.dimension.high
    counted = result.compared
    pairs = [(pair.human, pair.score, pair.texts) for pair in pair_counts(counted)]
    if not pairs or any(not low <= score <= high for _, score, _ in pairs):
        return []  # a method with a scale of its own: charts on the dimension's scale would mislead
    bins = [(part.low, part.high, part.scores, part.ratings) for part in score_distributions(counted, low, high)]
    name = result.dimension.name
    return [
        scatter(pairs, low, high, f"{name}: score by mean rating"),
        distributions(bins, f"{name}: how scores and ratings are distributed"),
    ]


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
