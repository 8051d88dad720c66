"""Check of a draw: its mean ratings beside those of all texts."""

from collections.abc import Sequence

import altair as alt
import pandas as pd
import streamlit as st

from app.services.scoring.draws import DrawCheck
from pages.components.shell.kind_colours import GREY
from pages.components.shell.words import plain

BLUE, WIDTH, HEIGHT = "#0072B2", 300, 150


def draw_check(checks: Sequence[DrawCheck]) -> None:
    """Of one draw, or of those of several trials; nothing where all texts are scored, or none is rated."""
    if not checks:
        return
    several = len({check.seed for check in checks}) > 1
    with st.expander("How the draw compares with all texts", key="draw_check", expanded=True):
        for check in checks:
            st.markdown(plain(draw_sentence(check, several)))
        for caution, about in _cautions(checks, several).items():
            st.warning(f"{plain(about)}: {plain(caution)}", icon=":material/warning:")
        st.altair_chart(draw_chart(checks), key="draw_chart", width="content")
        st.caption(
            "Bars: all texts; line: the draw; by mean human rating. The gap is the largest between the cumulative "
            "shares: 0 where both are distributed alike, 1 at most. Its p is too large, not too small, since the "
            "draw is part of the whole: look at the gap."
        )


def draw_sentence(check: DrawCheck, several: bool = False) -> str:
    """several: there are other draws beside it."""
    ks = check.ks
    return (
        f"{_name(check, several)}: {ks.n_drawn:,} of {ks.n_all:,} rated texts; largest gap {ks.statistic:.3f} "
        f"(Kolmogorov-Smirnov, p = {ks.p_value:.2f})."
    )


def _name(check: DrawCheck, several: bool) -> str:
    return f"{check.dimension.name}, seed {check.seed}" if several else check.dimension.name


def _cautions(checks: Sequence[DrawCheck], several: bool) -> dict[str, str]:
    """Each sentence once, with the draws that it is about."""
    about: dict[str, list[str]] = {}
    for check in checks:
        for caution in check.cautions:
            about.setdefault(caution, []).append(_name(check, several))
    return {caution: "; ".join(names) for caution, names in about.items()}


def draw_chart(checks: Sequence[DrawCheck]) -> alt.FacetChart:
    """Bars: all texts; line: one for each draw. One panel a dimension."""
    first = checks[0].seed
    rows = pd.DataFrame(
        [
            {
                "Dimension": check.dimension.name,
                "Seed": str(check.seed),
                "first": check.seed == first,
                "Rating": (part.low + part.high) / 2,
                "from": part.low,
                "to": part.high,
                "All texts": part.whole,
                "none": 0.0,
                "Draw": part.drawn,
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
            alt.Tooltip("Draw:Q", format=".1%"),
            alt.Tooltip("Seed:N"),
        ]
    )
    title = "Share of the texts"
    bars = (
        base.transform_filter("datum.first")
        .mark_bar(color=GREY, opacity=0.55)
        .encode(
            x=alt.X("from:Q", title="Mean human rating", scale=alt.Scale(zero=False, nice=False)),
            x2="to:Q",
            y2="none:Q",
            y=alt.Y("All texts:Q", title=title, axis=alt.Axis(format="%")),
        )
    )
    line = base.mark_line(color=BLUE, point=True).encode(x="Rating:Q", y="Draw:Q", detail="Seed:N")
    return (
        alt.layer(bars, line)
        .properties(width=WIDTH, height=HEIGHT)
        .facet(
            facet=alt.Facet(
                "Dimension:N", sort=list(dict.fromkeys(check.dimension.name for check in checks)), title=None
            ),
            columns=2,
        )
    )
