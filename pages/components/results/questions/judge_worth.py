"""What the judge's figures are worth beside experts': shares of yes corrected by them, and whether it may stand in."""

import altair as alt
import pandas as pd
import streamlit as st

from app.services.results.corrected_shares import (
    AltTest,
    CorrectedShare,
    CorrectedShares,
    EstimatedFigure,
    alt_test_verdict,
    corrected_shares,
    estimate_cautions,
    estimate_verdict,
)
from app.services.results.results import DimensionResult
from app.services.runtime.workbench import Workbench
from pages.components.results.interval_chart import COLOURS
from pages.components.shell.csv_download import csv_download
from pages.components.shell.picture import Chart, picture
from pages.components.shell.words import number, plain

WORTH_HELP = (
    "What a judge says of all texts is a number about the judge. The experts' answers to some of them show how far it "
    "is off, and correct it (PPI++). What most experts say is taken as the truth; texts on which they are split don't "
    "count. In brackets: 95 % interval."
)
STAND_IN_HELP = (
    "The alternative annotator test: each expert is left out in turn and compared with the judge. On each question "
    "about each text, who agrees more with the others? Since an expert costs time, the judge may be a little worse: "
    "epsilon says how much, .2 for experts, .15 for skilled people, .1 for a crowd."
)
ROW_HEIGHT = 64  # room for a question in three lines
COLUMNS = {
    "Question": st.column_config.TextColumn(width=230),
    "Judge alone": st.column_config.TextColumn(width=105),
    "Experts alone": st.column_config.TextColumn(width=105),
    "Corrected": st.column_config.TextColumn(width=105),
    "Judge off by": st.column_config.NumberColumn(
        format="%+.0f", width=85, help="Percentage points: above 0 the judge says yes too often."
    ),
    "Experts' texts": st.column_config.TextColumn(
        width=90, help="On how many of the judge's texts most experts say the same: what the correction rests on."
    ),
    "Finds yes": st.column_config.TextColumn(
        width=105, help="Sensitivity: of the texts on which experts say yes, the share on which the judge does."
    ),
    "Finds no": st.column_config.TextColumn(
        width=105, help="Specificity: of the texts on which experts say no, the share on which the judge does."
    ),
    "Why": st.column_config.TextColumn(width=200),
}


def judge_worth(workbench: Workbench, result: DimensionResult) -> None:
    with st.spinner("Correcting the judge's shares"):
        found = corrected_shares(workbench, result)
    if found is None:
        return
    _shares(found)
    if found.stand_in:
        _stand_in(found.stand_in)


def _shares(found: CorrectedShares) -> None:
    st.markdown("**What the judge's figures are worth**", help=WORTH_HELP)
    if found.score is None:
        st.markdown(plain(f"No mean score can be corrected: {found.reason}"))
    else:
        st.markdown(plain(f"Mean score over all texts. {estimate_verdict(found.score)}"))
        st.caption(plain(" ".join(estimate_cautions(found.score))))
    table = pd.DataFrame([_row(share) for share in found.questions])
    shown = table if table["Why"].any() else table.drop(columns="Why")
    st.dataframe(
        shown,
        hide_index=True,
        placeholder="–",
        height="content",
        row_height=ROW_HEIGHT,
        key="judge_worth",
        column_config=COLUMNS,
    )
    csv_download("Corrected shares (CSV)", table, "corrected_shares")


def _row(share: CorrectedShare) -> dict[str, object]:
    found = share.estimate
    if found is None:
        return {"Question": share.question.text, "Why": share.reason}
    return {
        "Question": share.question.text,
        "Judge alone": _figure(found.judge_only),
        "Experts alone": _figure(found.human_only),
        "Corrected": _figure(found.corrected),
        "Judge off by": None if found.bias is None else 100 * found.bias,
        "Experts' texts": f"{found.n_human:,} of {found.n:,}",
        "Finds yes": _figure(found.sensitivity),
        "Finds no": _figure(found.specificity),
        "Why": "" if found.enough else f"Only {number(found.n_human, 'text')} with both answers: rough.",
    }


def _figure(figure: EstimatedFigure | None) -> str | None:
    """55 % [34, 76]"""
    if figure is None or figure.value is None:
        return None
    ends = "" if figure.low is None or figure.high is None else f" [{100 * figure.low:.0f}, {100 * figure.high:.0f}]"
    return f"{100 * figure.value:.0f} %{ends}"


def _stand_in(found: AltTest) -> None:
    st.markdown("**May the judge stand in for one of the experts?**", help=STAND_IN_HELP)
    st.markdown(plain(alt_test_verdict(found)))
    rows = [
        {
            "Expert left out": person.name,
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
        picture(_curve(found), "stand_in", "stand_in_picture", "Dashed: the winning rate from which the judge passes.")


def _curve(found: AltTest) -> Chart:
    data = pd.DataFrame(found.curve, columns=["epsilon", "rate"])
    base = alt.Chart(data).encode(
        x=alt.X("epsilon:Q", title="Epsilon: what the judge is given ahead"),
        y=alt.Y("rate:Q", title="Winning rate", scale=alt.Scale(domain=[0, 1])),
        tooltip=[alt.Tooltip("epsilon:Q", format=".2f"), alt.Tooltip("rate:Q", title="Winning rate", format=".2f")],
    )
    line = base.mark_line(color=COLOURS["Spearman"], point=True)
    bar = alt.Chart(pd.DataFrame({"rate": [0.5]})).mark_rule(strokeDash=[4, 4], color="gray").encode(y="rate:Q")
    return alt.layer(bar, line).properties(height=200)
