"""One mark for each source: how the texts of that source are ordered by judge and people."""

from collections.abc import Sequence

import altair as alt
import pandas as pd
import streamlit as st

from app.domain.chart_look import JUDGE, NEUTRAL
from app.services.results.result_files import SourceCoefficient, shown_sources
from pages.components.shell.guide import more_in_guide
from pages.components.shell.picture import picture

HELP = (
    "What the mean of the per-source level is made of. Marks far to the left: sources where the judge orders the texts "
    "otherwise than people. The tall line is the mean."
)


def source_strip(found: Sequence[SourceCoefficient]) -> None:
    known = [each for each in found if each.spearman is not None]
    if len(known) < 2:
        return
    st.markdown("**Each source**", help=HELP + more_in_guide("levels"))
    shown = shown_sources(known)
    rows = pd.DataFrame([{"source": each.source, "spearman": each.spearman, "texts": each.n} for each in shown])
    scale = alt.Scale(domain=[min(0.0, float(rows["spearman"].min())), 1.0], padding=8, nice=False)
    marks = (
        alt.Chart(rows)
        .mark_tick(color=JUDGE, thickness=2, size=26, opacity=0.75)
        .encode(
            x=alt.X("spearman:Q", title="Spearman inside the source", scale=scale),
            tooltip=[
                alt.Tooltip("source:N", title="Source"),
                alt.Tooltip("spearman:Q", title="Spearman", format=".3f"),
                alt.Tooltip("texts:Q", title="Texts", format=","),
            ],
        )
    )
    whole = pd.DataFrame({"mean": [float(pd.Series([each.spearman for each in known]).mean())]})
    mean = alt.Chart(whole).mark_tick(color=NEUTRAL, thickness=3, size=56)
    chart = alt.layer(marks, mean.encode(x=alt.X("mean:Q"))).properties(height=130)
    without = len(found) - len(known)
    of_them = "" if len(shown) == len(known) else f" {len(shown):,} of them are drawn, evenly by their coefficient."
    said = f"n = {len(known):,} sources.{of_them}" + (
        f" {without:,} others have no coefficient: constant scores or ratings, or a single text." if without else ""
    )
    picture(chart, "sources", "source_strip", said)
