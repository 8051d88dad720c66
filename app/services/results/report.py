"""The report of results: a self-contained page with verdicts, figures, charts and methods."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.domain.project import Project
from app.export.results import html_report
from app.limited_process import computed_apart
from app.limits import REPORT_SECONDS
from app.meta_evaluation.agreement_verdict import AgreementVerdict
from app.services.results.chart_counts import pair_counts, score_distributions
from app.services.results.method_grid import FIGURES, cell, defined_figures, grid_notes, method_grid
from app.services.results.result_texts import ReportEvidence
from app.services.results.results import DimensionResult
from app.services.results.rubric_xray import RubricXray
from app.services.scoring.run_labels import method_label

if TYPE_CHECKING:
    from app.export.charts import ReportChart


_METHODS = (
    "A checklist's score is low + (high - low) * yes / (yes + no). A question that doesn't apply is neither, nor is "
    "one without a readable answer; a text with such questions stays out of the correlations unless they were asked to "
    "include it.",
    "Human ratings are means over raters. {left_out}",
    "Per-source: a coefficient inside each source's group of texts, averaged over groups; dataset: one over all texts; "
    "system: one over the means of systems. A group in which all scores or all ratings are equal has no coefficient; "
    "groups used and all are given. Kendall's coefficient is tau-b.",
    "Questions get a badge only where a whole 95 % interval lies beyond a limit; intervals draw whole sources. The "
    "modes are those of RIFT (2604.01375). No badge is no proof that a question is good.",
    "Intervals are 95 % percentile bootstrap intervals; resamples without a figure are counted. The signature names "
    "level, coefficient, groups, duplicates, resamples, seed, checklist version, judge and prompt: with it and the "
    "same scores each figure can be computed again.",
)


def _methods(results: Sequence[DimensionResult]) -> list[str]:
    """Return the paragraphs on methods for these results."""
    return [paragraph.replace("{left_out}", _left_out(results)).strip() for paragraph in _METHODS]


def _left_out(results: Sequence[DimensionResult]) -> str:
    """Return what these results leave out because experts read samples of it; "" for nothing."""
    documents = any(result.excluded_docs for result in results)
    if not any(result.excluded_texts for result in results):
        return "Documents whose texts were shown as samples are left out." if documents else ""
    others = "in some results with all texts of their documents" if documents else "but not the rest of their documents"
    return f"Texts that were shown as samples are left out, {others}."


NO_LLM = "The judge “rules” is a set of fixed text rules, not an LLM."


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
        report_title(project), report_notices(project, results), documents, _methods(results), overview, _grids(results)
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


def report_title(project: Project) -> str:
    return f"{project.name}: agreement with people"


def report_notices(project: Project, results: Sequence[DimensionResult]) -> list[str]:
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
