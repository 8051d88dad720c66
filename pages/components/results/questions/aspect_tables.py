"""Results, Questions: what CoAScore's aspects are worth, where it scored the texts."""

import pandas as pd
import streamlit as st

from app.services.results.contribution import Aspects, aspects_of
from app.services.results.results import DimensionResult
from app.services.runtime.workbench import Workbench
from pages.components.shell.runs.result_choices import LEVELS
from pages.components.shell.runs.run_words import interval


def aspect_tables(workbench: Workbench, result: DimensionResult) -> bool:
    """Whether there are any aspects to show."""
    with st.spinner("Looking at each aspect"):
        found = aspects_of(workbench, result)
    if found is None:
        return False
    st.markdown("This method asks no questions: the judge scores related aspects first.")
    st.dataframe(
        pd.DataFrame([_row(found, number) for number in range(len(found.aspects))]),
        hide_index=True,
        placeholder="–",
        key="aspects",
        column_config={
            "Spearman": st.column_config.TextColumn(
                help="Of the aspect's scores with people's ratings of the dimension. In brackets its 95 % interval."
            ),
            "With the score": st.column_config.NumberColumn(
                format="%.3f", help="Spearman of the aspect's scores with the score that the method gave in the end."
            ),
        },
    )
    st.caption(f"{LEVELS[found.level]}. Agreement with people of each aspect by itself.")
    if found.pairs:
        st.markdown("**Aspects with each other** (Spearman)")
        st.dataframe(_matrix(found), key="aspect_pairs", placeholder="–")
        st.caption("Aspects that always go together say the same twice.")
    return True


def _row(found: Aspects, number: int) -> dict[str, object]:
    aspect = found.aspects[number]
    spearman = aspect.figures["spearman"]
    return {
        "Aspect": aspect.name,
        "Spearman": interval(spearman.value, spearman.low, spearman.high),
        "Kendall tau-b": interval(aspect.figures["kendall"].value),
        "Pearson": interval(aspect.figures["pearson"].value),
        "With the score": aspect.with_score,
        "Texts": aspect.texts,
    }


def _matrix(found: Aspects) -> pd.DataFrame:
    names = [aspect.name for aspect in found.aspects]
    cells = {(pair.a, pair.b): pair.spearman for pair in found.pairs}
    rows = [[cells.get((a, b), cells.get((b, a))) for b in names] for a in names]
    return pd.DataFrame(rows, index=names, columns=names, dtype=float).round(3)
