"""A sample beside the whole: does it stand for all texts?"""

import altair as alt
import pandas as pd
import streamlit as st

from app.domain.project import Project
from app.services.sampling import SampleCheck, check_sample
from app.services.scoring import RunOptions
from app.services.workbench import Workbench
from pages.components.kind_colours import GREY
from pages.components.words import plain

BLUE, WIDTH, HEIGHT = "#0072B2", 300, 150


def sample_check(workbench: Workbench, project: Project, options: RunOptions) -> None:
    """Nothing where all texts are scored, or none is rated. The plan has been made before, so it can be made."""
    if options.sample == 1 and options.draw is None:
        return
    checks = check_sample(workbench, project.id, options)
    if not checks:
        return
    with st.expander("How the sample compares with all texts", key="sample_check", expanded=True):
        for check in checks:
            st.markdown(plain(sentence(check)))
        st.altair_chart(sample_chart(checks), key="sample_chart", width="content")
        st.caption(
            "Bars: all texts; line: the sample; by mean human rating. The gap is the largest between the cumulative "
            "shares: 0 where both are distributed alike, 1 at most. Its p is too large, not too small, since the "
            "sample is part of the whole: look at the gap."
        )


def sentence(check: SampleCheck) -> str:
    ks = check.ks
    return (
        f"{check.dimension.name}: {ks.n_sample:,} of {ks.n_all:,} rated texts; largest gap {ks.statistic:.3f} "
        f"(Kolmogorov-Smirnov, p = {ks.p_value:.2f})."
    )


def sample_chart(checks: list[SampleCheck]) -> alt.FacetChart:
    """Bars: all texts; line: the sample. One panel a dimension."""
    rows = pd.DataFrame(
        [
            {
                "Dimension": check.dimension.name,
                "Rating": (part.low + part.high) / 2,
                "from": part.low,
                "to": part.high,
                "All texts": part.whole,
                "none": 0.0,
                "Sample": part.sample,
            }
            for check in checks
            for part in check.parts
        ]
    )
    base = alt.Chart(rows).encode(
        tooltip=[
            alt.Tooltip("from:Q", title="Rated from", format=".2f"),
            alt.Tooltip("to:Q", format=".2f"),
            alt.Tooltip("All texts:Q", format=".1%"),
            alt.Tooltip("Sample:Q", format=".1%"),
        ]
    )
    title = "Share of the texts"
    bars = base.mark_bar(color=GREY, opacity=0.55).encode(
        x=alt.X("from:Q", title="Mean human rating", scale=alt.Scale(zero=False, nice=False)),
        x2="to:Q",
        y2="none:Q",
        y=alt.Y("All texts:Q", title=title, axis=alt.Axis(format="%")),
    )
    line = base.mark_line(color=BLUE, point=True).encode(x="Rating:Q", y="Sample:Q")
    return (
        alt.layer(bars, line)
        .properties(width=WIDTH, height=HEIGHT)
        .facet(facet=alt.Facet("Dimension:N", sort=[check.dimension.name for check in checks], title=None), columns=2)
    )
