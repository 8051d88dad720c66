"""Results, Details: charts, all figures, other runs, raters and files; a section is drawn once it is opened."""

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.services.results.method_grid import dimension_means, method_grid, method_labels, result_words
from app.services.results.preferences import PreferenceSummary, accuracy_on_pairs, preference_summary
from app.services.results.report import report_made_apart
from app.services.results.result_files import latex_file, result_figures_csv, scores_csv, scores_parquet, verdicts_of
from app.services.results.result_texts import report_evidence
from app.services.results.results import DimensionResult, Level, Trials, trials_of
from app.services.results.rubric_xray import RubricXray, rubric_xray
from app.services.runtime.workbench import Workbench
from pages.components.results.drift import judge_drift
from pages.components.results.people import result_people
from pages.components.results.score_charts import result_charts
from pages.components.shell.blinding import all_open, open_answers
from pages.components.shell.current import hold, keep
from pages.components.shell.labels import more_in_guide, plain
from pages.components.shell.runs.result_choices import ResultScope
from pages.components.shell.runs.run_comparison import COEFFICIENTS, run_comparison
from pages.components.shell.runs.run_words import figure_cells, interval, short_title
from pages.components.shell.tables import file_download, show_table

OPEN = "open"  # in the address


def unfolding(key: str, label: str) -> DeltaGenerator | None:
    """Return the section to draw in; None while it is closed, so that nothing is computed for it."""
    state = f"unfolded_{key}"
    hold(state, key in _in_address())
    section = st.expander(label, key=state, on_change="rerun")
    _save_in_address(key, bool(section.open))
    return section if section.open else None


def _in_address() -> list[str]:
    return [name for name in st.query_params.get(OPEN, "").split(",") if name]


def _save_in_address(key: str, is_open: bool) -> None:
    names = _in_address()
    if is_open == (key in names):
        return
    kept = [*names, key] if is_open else [name for name in names if name != key]
    keep(OPEN, ",".join(kept), "")


SIGNATURE_HELP = (
    "One line that lets others compute the same figures: level | coefficients | groups used/all | duplicates | "
    "resamples | seed | checklist version | judge | prompt."
)

FIGURE_HELP = {
    "Spearman": "Do judge and people rank the texts alike? 1 is the same order, 0 is no relation, -1 is the reverse.",
    "Kendall tau-b": "Like Spearman, counted over pairs of texts that both put in the same order; ties are corrected "
    "for.",
    "Pearson": "Do score and rating rise together in a straight line? From -1 to 1.",
    "MAE": "Mean absolute error: by how many points of the scale the score misses the mean rating on average. Lower "
    "is better.",
}
BASIS_HELP = "How alike judge and people order the texts, and the texts and groups that this rests on."
USED: dict[Level, str] = {"per-source": "Sources used", "dataset": "Sources", "system": "Systems used"}


def signatures(results: Sequence[DimensionResult]) -> None:
    for result in results:
        # No st.code: for it the browser would load half a second of syntax highlighting.
        st.caption(plain(result_words(result, results)), help=SIGNATURE_HELP)
        st.text(str(result.meta.signature))


def coefficient_table(results: Sequence[DimensionResult], level: Level) -> None:
    show_table(
        [*(_row(result, level, results) for result in results), *_means(results)],
        "figures",
        {
            name: st.column_config.TextColumn(help=f"{text} In brackets its 95 % interval.")
            for name, text in FIGURE_HELP.items()
        },
    )
    for result in results:
        for name, reason in _reasons(result):
            st.markdown(f"**{plain(result_words(result, results))}**, {name}: {plain(reason)}")


def basis_captions(results: Sequence[DimensionResult]) -> None:
    """Draw what each figure rests on."""
    lines = (f"**{plain(result_words(r, results))}**: {plain(r.meta.caption)}." for r in results)
    st.caption("  \n".join(lines), help=f"{BASIS_HELP}{more_in_guide('correlation')}")


def _row(result: DimensionResult, level: Level, results: Sequence[DimensionResult]) -> dict[str, object]:
    basis = result.meta.basis
    used = (basis.systems_used, basis.systems_all) if level == "system" else (basis.groups_used, basis.groups_all)
    return {
        "Dimension": result_words(result, results),
        **figure_cells(result.meta.figures, result.meta.mae),
        USED[level]: f"{used[0]:,} of {used[1]:,}",
        "Texts": f"{basis.n_used:,} of {len(result.rows):,}",
    }


def _means(results: Sequence[DimensionResult]) -> list[dict[str, object]]:
    labels = method_labels(results)

    def words(run: int) -> str:
        return f" · {labels[run]}" if len(set(labels.values())) > 1 else ""

    return [
        {"Dimension": f"Mean of {mean.dimensions} dimensions{words(mean.result.run.id)}", **figure_cells(mean.figures)}
        for mean in dimension_means(results)
        if any(figure.value is not None for figure in mean.figures.values())
    ]


def _reasons(result: DimensionResult) -> list[tuple[str, str]]:
    """Return why figures or their intervals are missing, each sentence once with its figures."""
    names: dict[str, list[str]] = {}
    for name, figure in [*result.meta.figures.items(), ("MAE", result.meta.mae)]:
        if figure.reason:
            names.setdefault(figure.reason, []).append(name.capitalize() if name != "MAE" else name)
    return [(", ".join(about), reason) for reason, about in names.items()]


PAIRS_HELP = (
    "The share of pairs in which the text that a person found better has the higher score; half would be chance. Pairs "
    "on which people tied are left out, pairs on which the scores tie count half. The interval draws whole sources."
)
STRENGTH_HELP = (
    "Bradley-Terry: a system that is 1 stronger than another wins against it with probability .73, one that is 2 "
    "stronger with .88. Their mean is 0, a tie is half a win for each."
)


def preference_tables(workbench: Workbench, results: Sequence[DimensionResult]) -> None:
    """Draw the pairwise accuracy of each method, then the strengths of systems on each dimension."""
    rows, reasons = [], {}
    for result in results:
        found = accuracy_on_pairs(workbench, result)
        if found is None:
            continue
        rows.append(
            {
                "Dimension": result_words(result, results),
                "Pairwise accuracy": interval(found.value, found.low, found.high),
                "Pairs": found.n,
                "Sources": found.sources,
                "Scores tie": found.score_ties,
                "People tied": found.people_ties,
                "Without score": found.without_score,
            }
        )
        if found.reason:
            reasons[result_words(result, results)] = found.reason
    st.markdown("**Pairwise accuracy**", help=PAIRS_HELP + more_in_guide("preferences"))
    show_table(rows, "pairwise_accuracy")
    for words, reason in reasons.items():
        st.caption(plain(f"{words}: {reason}"))
    for dimension in {result.dimension.id: result.dimension for result in results}.values():
        if summary := preference_summary(workbench, dimension):
            _system_strengths(summary)


def _system_strengths(summary: PreferenceSummary) -> None:
    found = summary.systems
    st.markdown(
        f"**Strengths of systems on {plain(summary.dimension)}**", help=STRENGTH_HELP + more_in_guide("preferences")
    )
    if found.systems:
        rows = [
            {
                "System": each.system,
                "Strength": interval(each.strength, each.low, each.high),
                "Comparisons": each.comparisons,
                "Wins": each.wins,
            }
            for each in found.systems
        ]
        show_table(rows, f"strengths_{summary.dimension}")
    raters = f"{len(summary.raters)} {'person' if len(summary.raters) == 1 else 'people'}"
    said = [f"{summary.pairs:,} comparisons by {raters}, {summary.ties:,} of them ties.", found.reason]
    if found.left_out:
        rare = ", ".join(f"{name} ({count})" for name, count in found.left_out)
        said.append(f"Too few comparisons for a strength: {rare}.")
    if summary.reasons:
        said.append(
            f"Pairs whose reason is an attribute: {summary.reasons:,}. A checklist built from it has seen them."
        )
    st.caption(plain(" ".join(filter(None, said))))


def result_downloads(scope: ResultScope) -> None:
    """Draw the downloads; the files are made on request."""
    project, results = scope.project, scope.every_dimension()
    st.markdown("Of the chosen runs, all their dimensions, computed as chosen above.")
    with st.container(horizontal=True):
        file_download(
            "Scores (CSV)",
            lambda: scores_csv(results),
            "scores.csv",
            "download_scores",
            help="One row per text and dimension: score, mean rating, share of questions answered.",
        )
        file_download(
            "Scores (Parquet)",
            lambda: scores_parquet(results),
            "scores.parquet",
            "download_parquet",
            help="The same table with typed columns, for pandas, R or DuckDB.",
        )
        file_download(
            "Figures (CSV)",
            lambda: result_figures_csv(results),
            "figures.csv",
            "download_figures",
            help="Every coefficient with its interval and signature.",
        )
        file_download(
            "Report (HTML)",
            lambda: _report(scope),
            "report.html",
            "download_report",
            help="One page with all figures, pictures, methods and signatures. It needs nothing else.",
        )
        file_download(
            "Table (LaTeX)",
            lambda: latex_file(project, method_grid(results)),
            "results.tex",
            "download_latex",
            help="Methods by dimensions for a paper (booktabs), with intervals and notes.",
        )


def _report(scope: ResultScope) -> bytes:
    """Return the report. For dimensions on which an expert still works, it leaves out evidence against questions, and
    quotes."""
    results, workbench = scope.every_dimension(), scope.workbench
    verdicts = verdicts_of(workbench, results)
    open_ = [all_open(workbench, scope.project, result.dimension) for result in results]
    xrays: list[RubricXray | None] = [
        rubric_xray(workbench, result) if may else None for result, may in zip(results, open_, strict=True)
    ]
    evidence = [report_evidence(workbench, result) if may else None for result, may in zip(results, open_, strict=True)]
    return report_made_apart(scope.project, results, verdicts, xrays, evidence)


TRIALS_HELP = "Each trial drew texts of its own; how far their figures are apart is what the draw does."


def trials(scope: ResultScope) -> None:
    """Draw the trials; nothing where no two runs differ in their draw alone."""
    groups = trials_of(scope.workbench, scope.project.id, scope.dimension, scope.choices)
    if not groups:
        return
    st.subheader("Trials", anchor=False, help=TRIALS_HELP + more_in_guide("draws"))
    st.markdown("Runs that differ in nothing but the texts that were drawn. Close together: the draw hardly matters.")
    for number, group in enumerate(groups):
        st.markdown(plain(trials_summary(group)))
        show_table(trial_rows(group), f"trials_{number}")


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
