"""Files of the results."""

import streamlit as st

from app.services.results.method_grid import method_grid
from app.services.results.result_files import (
    latex_file,
    report_made_apart,
    result_figures_csv,
    scores_csv,
    scores_parquet,
    verdict_of,
)
from app.services.results.rubric_xray import RubricXray, rubric_xray
from app.services.results.run_answers import report_evidence
from pages.components.shell.blinding import all_open
from pages.components.shell.runs.result_choices import ResultScope


def result_downloads(scope: ResultScope) -> None:
    """The files are made when asked for."""
    project, results = scope.project, scope.every_dimension()
    st.markdown("Of the chosen runs, all their dimensions, computed as chosen above.")
    with st.container(horizontal=True):
        st.download_button(
            "Scores (CSV)",
            lambda: scores_csv(results),
            "scores.csv",
            "text/csv",
            key="download_scores",
            on_click="ignore",
            help="One row per text and dimension: score, mean rating, share of questions answered.",
        )
        st.download_button(
            "Scores (Parquet)",
            lambda: scores_parquet(results),
            "scores.parquet",
            "application/vnd.apache.parquet",
            key="download_parquet",
            on_click="ignore",
            help="The same table with typed columns, for pandas, R or DuckDB.",
        )
        st.download_button(
            "Figures (CSV)",
            lambda: result_figures_csv(results),
            "figures.csv",
            "text/csv",
            key="download_figures",
            on_click="ignore",
            help="Every coefficient with its interval and signature.",
        )
        st.download_button(
            "Report (HTML)",
            lambda: _report(scope),
            "report.html",
            "text/html",
            key="download_report",
            on_click="ignore",
            help="One page with all figures, pictures, methods and signatures. It needs nothing else.",
        )
        st.download_button(
            "Table (LaTeX)",
            lambda: latex_file(project, method_grid(results)),
            "results.tex",
            "application/x-tex",
            key="download_latex",
            on_click="ignore",
            help="Methods by dimensions for a paper (booktabs), with intervals and notes.",
        )


def _report(scope: ResultScope) -> bytes:
    """Of dimensions on which an expert is still at it, without what speaks against the questions, and without quotes,
    which stand beside them."""
    results, workbench = scope.every_dimension(), scope.workbench
    verdicts = [verdict_of(workbench, result) for result in results]
    open_ = [all_open(workbench, scope.project, result.dimension) for result in results]
    xrays: list[RubricXray | None] = [
        rubric_xray(workbench, result) if may else None for result, may in zip(results, open_, strict=True)
    ]
    evidence = [report_evidence(workbench, result) if may else None for result, may in zip(results, open_, strict=True)]
    return report_made_apart(scope.project, results, verdicts, xrays, evidence)
