"""Every method on one dimension: agreement with people beside what it costs, as table and picture."""

from collections.abc import Sequence

import altair as alt
import pandas as pd
import streamlit as st

from app.services.results.quality_cost import QualityCost, quality_and_cost
from pages.components.shell.csv_download import csv_download
from pages.components.shell.guide.explained import more_in_guide
from pages.components.shell.picture import picture
from pages.components.shell.runs.result_scope import ResultScope
from pages.components.shell.words import model_label, plain

# Okabe and Ito's colours, told apart by all kinds of colour vision; shapes say it again.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442", "#8a93a0")
SHAPES = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross")
ABOUT_COST = "About the cost"
HEIGHT = 360
AGAINST = (
    "Its Spearman less the checklist's on the texts both scored, with the 95 % interval of the difference. Where the "
    "interval includes 0, the two are not told apart."
)
COST = "What scoring 1,000 texts on this dimension costs, from what the run paid."


def quality_cost(scope: ResultScope) -> None:
    st.subheader("Quality against cost", anchor=False, help=AGAINST + more_in_guide("cost"))
    with st.spinner("Comparing each method with the checklist"):
        found = quality_and_cost(scope.workbench, scope.project.id, scope.dimension.id, choices=scope.choices)
    if not found:
        st.markdown("No method has scored this dimension yet.")
        return
    st.caption(
        f"On {plain(scope.dimension.name)}, the run with most texts of each method, judge and checklist version, "
        "whichever runs are chosen above."
    )
    rows = pd.DataFrame([_row(each) for each in found])
    st.dataframe(
        rows.drop(columns=ABOUT_COST),
        placeholder="–",
        hide_index=True,
        key="quality_cost",
        column_config={
            "Less the checklist": st.column_config.TextColumn(help=AGAINST),
            "$ per 1,000 texts": st.column_config.TextColumn(help=COST),
        },
    )
    about = [f"{plain(name(each))}: {plain(each.cost.reason)}." for each in found if each.cost.reason]
    if about:
        st.caption(f"Costs. {' '.join(about)}")
    csv_download("Download the table", rows, "quality-and-cost")
    drawn = [each for each in found if each.figure.value is not None and each.cost.per_1000 is not None]
    if len(drawn) > 1:
        missing = [name(each) for each in found if each not in drawn]
        left_out = f" Not drawn, for want of a cost or a coefficient: {', '.join(missing)}." if missing else ""
        texts = ", ".join(f"{name(each)} {each.figure.n:,}" for each in drawn)
        caption = f"Point: Spearman; line: its 95 % interval. Up and to the left is better. Texts: {texts}.{left_out}"
        picture(_chart(drawn), "quality-against-cost", "quality_cost_picture", caption)


def name(each: QualityCost) -> str:
    version = f" v{each.scores.version}" if each.scores.version else ""
    judge = "" if each.run.judge == "none" else f" · {model_label(each.run.judge)}"
    return f"{each.run.evaluator}{version}{judge}"


def _row(each: QualityCost) -> dict[str, object]:
    cost = "unknown" if each.cost.per_1000 is None else f"{each.cost.per_1000:,.2f}"
    return {
        "Method": name(each),
        "Run": each.run.id,
        "Spearman": _words(each.figure.value, each.figure.low, each.figure.high, ".3f"),
        "Sources used": each.groups,
        "Texts": each.figure.n,
        "Less the checklist": _difference(each),
        "$ per 1,000 texts": cost,
        ABOUT_COST: each.cost.reason,
    }


def _difference(each: QualityCost) -> str:
    if each.against is None:
        return ""
    if each.against.comparison is None:
        return each.against.problem
    figure = each.against.comparison.differences["spearman"].figure
    return figure.reason if figure.difference is None else _words(figure.difference, figure.low, figure.high, "+.3f")


def _words(value: float | None, low: float | None, high: float | None, form: str) -> str:
    if value is None:
        return "none"
    return f"{value:{form}}" if low is None or high is None else f"{value:{form}} [{low:{form}}, {high:{form}}]"


def _chart(drawn: Sequence[QualityCost]) -> alt.LayerChart | alt.FacetChart:
    data = pd.DataFrame(
        [
            {
                "name": name(each),
                "cost": each.cost.per_1000,
                "value": each.figure.value,
                "low": each.figure.low,
                "high": each.figure.high,
            }
            for each in drawn
        ]
    )
    paid = [cost for cost in data["cost"] if cost > 0]
    wide = bool(paid) and max(paid) > 20 * min(paid)
    scale = alt.Scale(type="symlog", constant=min(paid)) if wide else alt.Scale(zero=True, nice=True)
    base = alt.Chart(data).encode(
        x=alt.X("cost:Q", scale=scale, title="US dollars per 1,000 texts", axis=alt.Axis(format="~g", tickCount=8)),
        tooltip=[
            alt.Tooltip("name:N", title="Method"),
            alt.Tooltip("cost:Q", title="$ per 1,000 texts", format=",.2f"),
            alt.Tooltip("value:Q", title="Spearman", format=".3f"),
            alt.Tooltip("low:Q", title="95 % from", format=".3f"),
            alt.Tooltip("high:Q", title="to", format=".3f"),
        ],
    )
    names = data["name"].tolist()
    colours = alt.Scale(domain=names, range=[COLOURS[n % len(COLOURS)] for n in range(len(names))])
    shapes = alt.Scale(domain=names, range=[SHAPES[n % len(SHAPES)] for n in range(len(names))])
    legend = alt.Legend(orient="bottom", columns=2, labelLimit=320)
    base = base.encode(color=alt.Color("name:N", title=None, sort=names, scale=colours, legend=legend))
    y = alt.Scale(zero=False, nice=True)
    rule = base.mark_rule(strokeWidth=2).encode(y=alt.Y("low:Q", scale=y, title="Spearman with people"), y2="high:Q")
    point = base.mark_point(filled=True, size=90, opacity=1).encode(
        y=alt.Y("value:Q", scale=y),
        shape=alt.Shape("name:N", title=None, sort=names, scale=shapes, legend=legend),
    )
    return alt.layer(rule, point).properties(height=HEIGHT)
