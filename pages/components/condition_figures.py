"""Agreement with people by condition: the table and the picture of a study."""

from collections.abc import Sequence

import altair as alt
import pandas as pd
import streamlit as st

from app.services.condition_figures import Coefficient, ConditionFigures, StudyFigures, study_figures
from app.services.condition_study import Family, StudyPlan
from app.services.results import Level
from app.services.workbench import Workbench
from pages.components.csv_download import csv_download
from pages.components.interval_words import interval
from pages.components.kind_colours import BLUES, GREY, ORANGES
from pages.components.picture import Chart, picture
from pages.components.study_words import row_label
from pages.components.words import model_label, plain

COLOURS = {
    Family.SL: ORANGES[0],
    Family.ML: ORANGES[0],
    Family.SH: BLUES[0],
    Family.MH: BLUES[0],
    Family.COMB: "#009E73",
    Family.WITHOUT: GREY,
}
MARGIN = 80  # for the axis, which counts in the height of a picture as wide as its place
ROW_HEIGHT, WIDTH = 30, 290  # two panels with their labels fit beside the sidebar on a small screen


def condition_figures(workbench: Workbench, plan: StudyPlan, level: Level) -> StudyFigures:
    """Shown as far as they are there; returned for what stands below."""
    with st.spinner("Comparing the conditions: 1,000 resamples and 2,000 permutations for each pair"):
        found = study_figures(workbench, plan, level)
    for problem in found.problems:
        st.info(plain(problem), icon=":material/info:")
    if not found.rows:
        return found
    st.subheader("Agreement with people", anchor=False)
    if plan.to_score:
        st.caption(
            f"{len(plan.to_score):,} of {len(plan.cells):,} checklists are not scored yet and have no figure here."
        )
    _picture(found)
    rows = figure_rows(found.rows)
    st.dataframe(rows.drop(columns="Signature"), placeholder="–", hide_index=True, key="condition_figures")
    _missing(found.rows)
    csv_download("Conditions (CSV)", rows.assign(Level=level), "condition_figures")
    return found


def _missing(rows: Sequence[ConditionFigures]) -> None:
    """Why figures or their intervals are missing, each sentence once with the conditions it is about."""
    about: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if reason := row.figures["spearman"].reason:
            about.setdefault((row.dimension.name, reason), []).append(row_label(row))
    for (dimension, reason), labels in about.items():
        of_dimension = sum(row.dimension.name == dimension for row in rows)
        who = "" if len(labels) == of_dimension else f", {plain(', '.join(labels))}"
        st.markdown(f"**{plain(dimension)}**{who}: {plain(reason)}")


def figure_rows(rows: Sequence[ConditionFigures]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "Dimension": row.dimension.name,
                "Condition": row_label(row),
                "Spearman": _shown(row, "spearman"),
                "Kendall tau-b": _shown(row, "kendall"),
                "Pearson": _shown(row, "pearson"),
                "Checklists": len(row.members),
                "Sources used": row.figures["spearman"].signature.groups.split()[0],
                "Texts": row.figures["spearman"].n,
                "Runs": ", ".join(str(member.run) for member in row.members),
                "Signature": str(row.figures["spearman"].signature),
            }
            for row in rows
        ]
    )


def _shown(row: ConditionFigures, coefficient: Coefficient) -> str:
    figure = row.figures[coefficient]
    return interval(figure.value, figure.low, figure.high)


def _picture(found: StudyFigures) -> None:
    rows = [drawn for row in found.rows for drawn in _points(row)]
    if not rows:
        return
    texts = "; ".join(
        f"{row.dimension.name}: {found.shared[row.dimension.id]:,} texts that every condition scored"
        + (f", {left:,} left out" if (left := found.left_out[row.dimension.id]) else "")
        for row in {row.dimension.id: row for row in found.rows}.values()
    )
    caption = (
        "Filled point: the condition; line: its 95 % interval. For single LLMs and single people the point is the "
        f"mean, and hollow points are the single ones. {texts}."
    )
    several = len({row.dimension.id for row in found.rows}) > 1
    picture(figure_chart(pd.DataFrame(rows)), "conditions", "condition_study", caption, own_width=several)


def _points(row: ConditionFigures) -> list[dict[str, object]]:
    """The condition's point, and one for each member where there are several."""
    colour, label = COLOURS[row.family], row_label(row)
    common = {"Dimension": row.dimension.name, "Condition": label, "colour": colour}
    figure = row.figures["spearman"]
    points: list[dict[str, object]] = []
    if len(row.members) > 1:
        points += [
            {**common, "what": "single", "Who": model_label(m.condition.name), "Spearman": m.figures["spearman"].value}
            for m in row.members
            if m.figures["spearman"].value is not None
        ]
    if figure.value is not None:
        spread = {"From": figure.low, "To": figure.high, "Texts": figure.n}
        points.append({**common, "what": "condition", "Who": label, "Spearman": figure.value, **spread})
    return points


def figure_chart(rows: pd.DataFrame) -> Chart:
    """A panel a dimension, as Figs. 8 and 9 of the paper, with intervals."""
    order = list(dict.fromkeys(rows["Condition"]))
    dimensions = list(dict.fromkeys(rows["Dimension"]))
    base = alt.Chart(rows).encode(
        y=alt.Y("Condition:N", sort=order, title=None, axis=alt.Axis(labelLimit=260, labelOverlap=False)),
        color=alt.Color("colour:N", scale=None),
        tooltip=[
            alt.Tooltip("Dimension:N"),
            alt.Tooltip("Who:N", title="Condition"),
            alt.Tooltip("Spearman:Q", format=".3f"),
            alt.Tooltip("From:Q", title="95 % from", format=".3f"),
            alt.Tooltip("To:Q", title="to", format=".3f"),
            alt.Tooltip("Texts:Q", format=","),
        ],
    )
    of_condition, single = alt.datum.what == "condition", alt.datum.what == "single"
    line = (
        base.transform_filter(of_condition)
        .mark_rule(strokeWidth=2)
        .encode(x=alt.X("From:Q", title="Agreement with people (Spearman)", axis=alt.Axis(format=".2~f")), x2="To:Q")
    )
    point = base.transform_filter(of_condition).mark_point(filled=True, size=90, opacity=1).encode(x="Spearman:Q")
    members = base.transform_filter(single).mark_point(filled=False, size=45, opacity=0.9).encode(x="Spearman:Q")
    layers = alt.layer(line, members, point)
    height = ROW_HEIGHT * len(order)
    if len(dimensions) == 1:
        return layers.properties(height=height + MARGIN)
    chart: Chart = layers.properties(width=WIDTH, height=height).facet(
        facet=alt.Facet("Dimension:N", sort=dimensions, title=None), columns=2
    )
    return chart
