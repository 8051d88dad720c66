"""All coefficients of all dimensions, and what each rests on."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from app.services.results.method_grid import dimension_means, method_labels, result_words
from app.services.results.preferences import PreferenceSummary, accuracy_on_pairs, preference_summary
from app.services.results.results import DimensionResult, Figure, Level
from app.services.runtime.workbench import Workbench
from pages.components.shell.guide import more_in_guide
from pages.components.shell.runs.run_words import interval
from pages.components.shell.words import plain

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
    st.dataframe(
        pd.DataFrame([*(_row(result, level, results) for result in results), *_means(results)]),
        placeholder="–",
        hide_index=True,
        key="figures",
        column_config={
            name: st.column_config.TextColumn(help=f"{text} In brackets its 95 % interval.")
            for name, text in FIGURE_HELP.items()
        },
    )
    for result in results:
        for name, reason in _reasons(result):
            st.markdown(f"**{plain(result_words(result, results))}**, {name}: {plain(reason)}")


def basis_captions(results: Sequence[DimensionResult]) -> None:
    """What each figure rests on."""
    lines = (f"**{plain(result_words(r, results))}**: {plain(r.meta.caption)}." for r in results)
    st.caption("  \n".join(lines), help=f"{BASIS_HELP}{more_in_guide('correlation')}")


def _row(result: DimensionResult, level: Level, results: Sequence[DimensionResult]) -> dict[str, object]:
    figures = result.meta.figures
    basis = result.meta.basis
    used = (basis.systems_used, basis.systems_all) if level == "system" else (basis.groups_used, basis.groups_all)
    return {
        "Dimension": result_words(result, results),
        "Spearman": _shown(figures["spearman"]),
        "Kendall tau-b": _shown(figures["kendall"]),
        "Pearson": _shown(figures["pearson"]),
        "MAE": _shown(result.meta.mae),
        USED[level]: f"{used[0]:,} of {used[1]:,}",
        "Texts": f"{basis.n_used:,} of {len(result.rows):,}",
    }


def _means(results: Sequence[DimensionResult]) -> list[dict[str, object]]:
    labels = method_labels(results)

    def words(run: int) -> str:
        return f" · {labels[run]}" if len(set(labels.values())) > 1 else ""

    return [
        {
            "Dimension": f"Mean of {mean.dimensions} dimensions{words(mean.result.run.id)}",
            "Spearman": _shown(mean.figures["spearman"]),
            "Kendall tau-b": _shown(mean.figures["kendall"]),
            "Pearson": _shown(mean.figures["pearson"]),
            "MAE": _shown(mean.figures["mae"]),
        }
        for mean in dimension_means(results)
        if any(figure.value is not None for figure in mean.figures.values())
    ]


def _shown(figure: Figure) -> str:
    return interval(figure.value, figure.low, figure.high)


def _reasons(result: DimensionResult) -> list[tuple[str, str]]:
    """Why figures or their intervals are missing, each sentence once with the figures it is about."""
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
    """Pairwise accuracy of each method, then the strengths of systems on each dimension."""
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
    st.dataframe(pd.DataFrame(rows), placeholder="–", hide_index=True, key="pairwise_accuracy")
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
        st.dataframe(pd.DataFrame(rows), placeholder="–", hide_index=True, key=f"strengths_{summary.dimension}")
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
