"""The judge where raters agree, and where they don't."""

from collections.abc import Sequence

import altair as alt
import pandas as pd
import streamlit as st

from app.services.results.raters import Stratum
from pages.components.results.interval_chart import COLOURS
from pages.components.shell.guide import more_in_guide
from pages.components.shell.picture import Chart, picture
from pages.components.shell.runs.interval_words import interval
from pages.components.shell.words import plain

HELP = (
    "The texts in three parts by how far their raters are apart (standard deviation of a text's ratings). A judge "
    "that agrees with people only where they agree is no worse than the ratings allow."
)
WORDS = {"low": "Raters at one", "middle": "In between", "high": "Raters far apart"}


def rater_strata(strata: Sequence[Stratum]) -> None:
    if not strata:
        return
    st.markdown("**The judge, by how far the raters disagree**", help=HELP + more_in_guide("correlation"))
    if len(strata) == 1:
        st.markdown("The raters are equally far apart on every text, so there are no parts to tell apart.")
        return
    table = pd.DataFrame([_row(each) for each in strata])
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.dataframe(table, placeholder="–", hide_index=True, key="strata")
        for each in strata:
            reason = each.result.figures["spearman"].reason
            if reason:
                st.caption(plain(f"{WORDS[each.name]}: {reason}"))
    with right:
        drawn = _points(strata)
        if not drawn.empty:
            texts = ", ".join(f"{WORDS[each.name].lower()} {each.n:,}" for each in strata)
            picture(_chart(drawn), "strata", "strata_picture", f"Line: 95 % interval. Texts: {texts}.")


def _row(each: Stratum) -> dict[str, object]:
    figure = each.result.figures["spearman"]
    return {
        "Texts where": WORDS[each.name],
        "Spread of ratings": f"{each.low:.2f} to {each.high:.2f}",
        "Spearman": interval(figure.value, figure.low, figure.high),
        "Texts": f"{each.result.basis.n_used:,} of {each.n:,}",
    }


def _points(strata: Sequence[Stratum]) -> pd.DataFrame:
    figures = [(WORDS[each.name], each.result.figures["spearman"], each.n) for each in strata]
    return pd.DataFrame(
        [
            {"where": where, "value": f.value, "low": f.low, "high": f.high, "texts": n}
            for where, f, n in figures
            if f.value is not None
        ]
    )


def _chart(drawn: pd.DataFrame) -> Chart:
    base = alt.Chart(drawn).encode(
        y=alt.Y("where:N", sort=list(WORDS.values()), title=None),
        tooltip=[
            alt.Tooltip("where:N", title="Texts where"),
            alt.Tooltip("value:Q", title="Spearman", format=".3f"),
            alt.Tooltip("low:Q", title="95 % from", format=".3f"),
            alt.Tooltip("high:Q", title="to", format=".3f"),
            alt.Tooltip("texts:Q", title="Texts", format=","),
        ],
    )
    colour = COLOURS["Spearman"]
    rule = base.mark_rule(color=colour, strokeWidth=2).encode(
        x=alt.X("low:Q", title="Spearman", scale=alt.Scale(nice=True, padding=12)), x2="high:Q"
    )
    point = base.mark_point(filled=True, size=70, opacity=1, color=colour).encode(x="value:Q")
    return alt.layer(rule, point).properties(height=150)
