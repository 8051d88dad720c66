"""The figures of weighted scores beside those in which all questions count alike, where a checklist has weights."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from app.services.results.method_grid import result_words
from app.services.results.question_analysis import weighted_agreement
from app.services.results.results import DimensionResult, Figure
from app.services.runtime.workbench import Workbench
from pages.components.shell.runs.run_words import interval


def weighted_scores(workbench: Workbench, results: Sequence[DimensionResult]) -> None:
    found = [(result, meta) for result in results if (meta := weighted_agreement(workbench, result)) is not None]
    if not found:
        return
    rows = [
        {
            "Dimension": result_words(result, results),
            "Questions count": how,
            "Spearman": _shown(figures.figures["spearman"]),
            "Kendall tau-b": _shown(figures.figures["kendall"]),
            "Pearson": _shown(figures.figures["pearson"]),
            "MAE": _shown(figures.mae),
        }
        for result, meta in found
        for how, figures in (("alike", result.meta), ("by their weights", meta))
    ]
    st.dataframe(pd.DataFrame(rows), placeholder="–", hide_index=True, key="weighted_scores")
    st.caption(
        "The same texts and resamples. The score in which all questions count alike is the one that is reported; a "
        "small difference between the two lines is no evidence for the weights."
    )


def _shown(figure: Figure) -> str:
    return interval(figure.value, figure.low, figure.high)
