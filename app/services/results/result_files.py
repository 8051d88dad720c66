"""Results as files to keep: every score, every figure, and a report that needs nothing else to be read."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.domain.project import Project
from app.errors import InputError
from app.export.latex import latex_table
from app.export.results import COLUMNS, html_report, parquet_bytes
from app.export.spreadsheet import csv_bytes, write_csv
from app.services.results.dimension_means import dimension_means
from app.services.results.result_pictures import pair_counts, score_distributions
from app.services.results.results import DimensionResult
from app.services.results.rubric.rubric_xray import RubricXray
from app.services.results.run_answers.evidence import ReportEvidence
from app.services.results.verdicts import AgreementVerdict
from app.services.runtime.output_file import output_file

if TYPE_CHECKING:
    from app.export.report_charts import ReportChart

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
NO_LLM = "The judge “rules” is a set of fixed text rules, not an LLM."


def scores_csv(results: Iterable[DimensionResult]) -> bytes:
    """One line a text, dimension and run; UTF-8 with a mark that spreadsheets understand."""
    return csv_bytes(COLUMNS, _all_scores(results))


def result_figures_csv(results: Iterable[DimensionResult]) -> bytes:
    """One line a figure, with its interval, what it rests on and its signature."""
    return csv_bytes(FIGURE_COLUMNS, (row for result in results for row in _figures(result)))


def report_html(
    project: Project,
    results: Sequence[DimensionResult],
    verdicts: Sequence[AgreementVerdict],
    xrays: Sequence[RubricXray | None] = (),
    evidence: Sequence[ReportEvidence | None] = (),
) -> bytes:
    """One page with charts and methods that needs nothing else; `verdicts`, one a result, stand first.

    `xrays`, one a result, say what speaks against its questions; None, or none at all, leave that out. `evidence` the
    same of what the judge quotes.
    """
    from app.export.report_charts import IntervalRow, interval_plot  # noqa: PLC0415 - takes a second

    figures = [(result, result.meta.figures["spearman"]) for result in results]
    rows = [IntervalRow(_label(r), f.value, f.low, f.high, f.n) for r, f in figures if f.value is not None]
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
        _title(project), _notices(project, results), documents, METHODS, overview, _means(results)
    ).encode()


def latex_file(project: Project, results: Sequence[DimensionResult]) -> bytes:
    """A booktabs table, one row a run and dimension."""
    documents = [result.to_json() for result in results]
    return latex_table(_title(project), _notices(project, results), documents, _means(results)).encode()


def scores_parquet(results: Iterable[DimensionResult]) -> bytes:
    """As scores_csv, with types."""
    return parquet_bytes(_all_scores(results))


def _means(results: Sequence[DimensionResult]) -> list[dict[str, object]]:
    return [mean.to_json() for mean in dimension_means(results)]


def _title(project: Project) -> str:
    return f"{project.name}: agreement with people"


def _notices(project: Project, results: Sequence[DimensionResult]) -> list[str]:
    by_rules = any(result.run.judge == "rules" for result in results)
    return [*([project.notice] if project.notice else []), *([NO_LLM] if by_rules else [])]


def _label(result: DimensionResult) -> str:
    condition = f", condition {result.run.study}" if result.run.study else ""
    condition += f", compared: {result.run.asking_way.words}" if result.run.asking_way else ""
    return f"{result.dimension.name}, {result.run.evaluator}{condition}, run {result.run.id}"


def _charts(result: DimensionResult) -> "list[ReportChart]":
    from app.export.report_charts import distributions, scatter  # noqa: PLC0415 - takes a second

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
    """Scores as CSV or Parquet, the report as HTML or a table for LaTeX, by the file's ending. Raises InputError.

    `xrays` and `evidence` are computed for the report alone.
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
            content = latex_file(project, results)
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
