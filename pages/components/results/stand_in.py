"""May the judge stand in for one of the people? The alternative annotator test, person by person and over epsilon."""

import altair as alt
import pandas as pd
import streamlit as st

from app.domain.chart_look import JUDGE
from app.services.results.raters import AltTest, alt_test_verdict
from pages.components.shell.guide import more_in_guide
from pages.components.shell.picture import Chart, picture
from pages.components.shell.words import plain

HELP = (
    "The alternative annotator test: each person is left out in turn and compared with the judge. {} Since a person "
    "costs time, the judge may be a little worse: epsilon says how much, .2 for experts, .15 for skilled people, .1 "
    "for a crowd."
) + more_in_guide("alt-test")


def stand_in(found: AltTest, question: str, people: str) -> None:
    """`question`: what decides who is better; `people`: what they are called, in the plural."""
    st.markdown(
        f"**May the judge stand in for one of the {people}?**",
        help=HELP.format(question),
    )
    st.markdown(plain(alt_test_verdict(found)))
    rows = [
        {
            "Left out": person.name,
            "Answers": person.n,
            "Judge at least as good": person.advantage,
            "p": "below .001" if person.p < 0.001 else f"{person.p:.3f}",
            "Judge holds up": "yes" if person.rejected else "no",
        }
        for person in found.annotators
    ]
    for person in found.skipped:
        st.caption(plain(f"{person.name} is left out: {person.n} answers, {person.reason}."))
    if not rows:
        return
    left, right = st.columns([3, 2], gap="large")
    columns = {"Judge at least as good": st.column_config.NumberColumn(format="percent")}
    left.dataframe(pd.DataFrame(rows), hide_index=True, placeholder="–", key="stand_in", column_config=columns)
    with right:
        picture(
            _curve(found), "winning-rate", "stand_in_picture", "Dashed: the winning rate from which the judge passes."
        )


def _curve(found: AltTest) -> Chart:
    data = pd.DataFrame(found.curve, columns=["epsilon", "rate"])
    base = alt.Chart(data).encode(
        x=alt.X("epsilon:Q", title="Epsilon: what the judge is given ahead"),
        y=alt.Y("rate:Q", title="Winning rate", scale=alt.Scale(domain=[0, 1])),
        tooltip=[alt.Tooltip("epsilon:Q", format=".2f"), alt.Tooltip("rate:Q", title="Winning rate", format=".2f")],
    )
    line = base.mark_line(color=JUDGE, point=True)
    bar = alt.Chart(pd.DataFrame({"rate": [0.5]})).mark_rule(strokeDash=[4, 4], color="gray").encode(y="rate:Q")
    return alt.layer(bar, line).properties(height=200)
