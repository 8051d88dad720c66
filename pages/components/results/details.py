"""Results, Details: pictures, other runs, raters and files, each computed once it is opened."""

from collections.abc import Callable

import pandas as pd
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
from app.services.results.results import Trials, trials_of
from app.services.results.rubric_xray import RubricXray, rubric_xray
from app.services.results.run_answers import report_evidence
from pages.components.results.drift import judge_drift
from pages.components.results.people import result_people
from pages.components.results.score_charts import result_charts
from pages.components.results.unfolding import unfolding
from pages.components.shell.blinding import all_open, open_answers
from pages.components.shell.guide import more_in_guide
from pages.components.shell.runs.result_choices import ResultScope
from pages.components.shell.runs.run_comparison import COEFFICIENTS, run_comparison
from pages.components.shell.runs.run_words import interval, short_title
from pages.components.shell.words import plain


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


TRIALS_HELP = "Each trial drew texts of its own; how far their figures are apart is what the draw does."


def trials(scope: ResultScope) -> None:
    """Nothing where no two runs differ in their draw alone."""
    groups = trials_of(scope.workbench, scope.project.id, scope.dimension, scope.choices)
    if not groups:
        return
    st.subheader("Trials", anchor=False, help=TRIALS_HELP + more_in_guide("draws"))
    st.markdown("Runs that differ in nothing but the texts that were drawn. Close together: the draw hardly matters.")
    for number, group in enumerate(groups):
        st.markdown(plain(trials_summary(group)))
        st.dataframe(trial_rows(group), placeholder="–", hide_index=True, key=f"trials_{number}")


def trials_summary(group: Trials) -> str:
    newest = group.runs[-1]
    said = [f"{short_title(newest)}, {len(group.results)} trials"]
    for name, label in COEFFICIENTS.items():
        spread = group.spread(name)
        values = group.values(name)
        if spread is None:
            said.append(f"{label}: fewer than two trials have one")
        else:
            said.append(f"{label} {spread[0]:.3f} ± {spread[1]:.3f} ({min(values):.3f} to {max(values):.3f})")
    return "; ".join(said) + ". Mean ± standard deviation over trials (lowest to highest)."


def trial_rows(group: Trials) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "Run": result.run.id,
                "Seed": result.run.params.get("seed"),
                **{
                    label: interval(figure.value, figure.low, figure.high)
                    for name, label in COEFFICIENTS.items()
                    for figure in [result.meta.figures[name]]
                },
                "Texts": f"{result.meta.basis.n_used:,} of {len(result.rows):,}",
                "Sources used": f"{result.groups_used:,} of {result.groups_all:,}",
            }
            for result in group.results
        ]
    )


def against_runs(scope: ResultScope) -> None:
    run_comparison(scope)
    trials(scope)


# What ends the screen for experts who are still answering comes last.
SECTIONS: dict[str, tuple[str, Callable[[ResultScope], None]]] = {
    "pictures": ("Pictures: how scores and ratings lie", result_charts),
    "against": ("Against another run, and trials", against_runs),
    "people": ("People: how well the raters agree, and the judge beside them", result_people),
    "drift": ("Has the judge changed?", judge_drift),
    "download": ("Download", result_downloads),
}
JUDGED = ("people", "drift", "download")


def result_details(scope: ResultScope) -> None:
    for name, (label, show) in SECTIONS.items():
        section = unfolding(name, label)
        if section is None:
            continue
        with section:
            if name in JUDGED:
                open_answers(scope.workbench, scope.dimension)
            show(scope)
