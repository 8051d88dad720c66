"""Would weights help? Learned ones beside equal ones, on texts they never saw."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from app.errors import WorkbenchError
from app.services.results.question_analysis import weights_of
from app.services.results.results import DimensionResult
from app.services.runtime.workbench import Workbench
from pages.components.shell.guide import more_in_guide
from pages.components.shell.runs.result_choices import one_of
from pages.components.shell.runs.run_words import interval
from pages.components.shell.tables import csv_download
from pages.components.shell.words import plain

WEIGHTS: dict[str, str] = {"equal": "Equal", "learned": "Learned from ratings"}
HELP = (
    "Weights are learned from the ratings on some sources and tested on the others, again and again (nested "
    "cross-validation), so that no text helps to score itself. Texts of a locked split take no part. Scores keep equal "
    "weights: what you find here you can enter on Checklist."
) + more_in_guide("weights")


def question_weights(workbench: Workbench, result: DimensionResult, texts: Sequence[str]) -> None:
    """`texts` of the questions, in the order asked. Learned when asked for: it takes seconds."""
    if one_of("weights", WEIGHTS, "equal", "Would some questions deserve more weight?", HELP) == "equal":
        return
    try:
        with st.spinner("Learning weights on some sources, testing them on the others"):
            found = weights_of(workbench, result)
    except WorkbenchError as error:
        st.markdown(plain(str(error)))
        return
    figure = found.difference
    beside = pd.DataFrame(
        [
            {"Weights": "Equal", "Spearman": interval(figure.b)},
            {"Weights": "Learned", "Spearman": interval(figure.a)},
            {"Weights": "Learned − equal", "Spearman": interval(figure.difference, figure.low, figure.high)},
        ]
    )
    st.dataframe(beside, hide_index=True, placeholder="–", key="weights_beside", width="content")
    st.markdown(plain(found.verdict))
    table = pd.DataFrame(
        [
            {
                "No.": each.question + 1,
                "Question": text,
                "Weight": each.weight,
                "Least": each.low,
                "Most": each.high,
            }
            for text, each in zip(texts, found.weights, strict=True)
        ]
    )
    decimals = st.column_config.NumberColumn(format="%.2f")
    st.dataframe(
        table,
        hide_index=True,
        placeholder="–",
        key="learned_weights",
        column_config={
            "No.": st.column_config.NumberColumn(width=45),
            "Question": st.column_config.TextColumn(width=420),
            "Weight": st.column_config.NumberColumn(format="%.2f", help="From all sources; 1 on average."),
            "Least": decimals,
            "Most": st.column_config.NumberColumn(
                format="%.2f", help="Least and most over the folds: far apart means that the weight is mostly chance."
            ),
        },
    )
    st.caption(
        plain(
            f"{found.n:,} texts of {found.sources:,} sources in {found.folds} folds; {found.without_rating:,} without "
            f"rating or answers left out. Signature: {found.signature}"
        )
    )
    csv_download("Weights (CSV)", table, "weights")
