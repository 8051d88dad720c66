"""Trials of one way of scoring: how far the result depends on which texts were drawn."""

import pandas as pd
import streamlit as st

from app.services.results.results import Trials, trials_of
from pages.components.shell.guide import more_in_guide
from pages.components.shell.runs.result_choices import ResultScope
from pages.components.shell.runs.run_comparison import COEFFICIENTS
from pages.components.shell.runs.run_words import interval, short_title
from pages.components.shell.words import plain

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
