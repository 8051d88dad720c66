"""Diversity and performance: the agreement with people of checklists from more and from less varied attributes."""

from collections.abc import Sequence

import altair as alt
import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from app.domain.project import Dimension, Project
from app.errors import WorkbenchError
from app.services.attributes.analysis import Embedding
from app.services.attributes.analysis_files import FIELDS
from app.services.conditions.condition_effect import FEWEST_CONDITIONS, ConditionDraw, ConditionEffect, condition_draws
from app.services.conditions.condition_effect import effect_of_conditions as effect_of
from app.services.results.results import Level
from app.services.runtime.workbench import Workbench
from pages.components.compare.similarity import MEASURES, SEEN, Names
from pages.components.shell.navigation.screens import link
from pages.components.shell.picture import Chart, colour_scale, picture, shape_scale
from pages.components.shell.tables import csv_download
from pages.components.shell.words import model_label, plain, show_error

HEIGHT = 340


SAME_TEXTS = (
    "Only conditions scored by one judge on the very same texts are compared, and likeness is measured as under How "
    "alike. Everybody but one is no condition here: such sets overlap almost wholly."
)


def condition_effect(
    workbench: Workbench, project: Project, dimension: Dimension, names: Names, level: Level, embedding: Embedding
) -> None:
    there = condition_draws(workbench, project.id, dimension.id)
    for refusal in there.refused:
        st.info(plain(refusal.sentence(names.condition)), icon=":material/info:")
    if not any(len(draw.runs) > 1 for draw in there.draws):
        _what_to_do(len(there.draws) + len(there.refused))
    if not there.draws:
        return
    draw = _chosen(there.draws)
    try:
        with st.spinner("Comparing the conditions"):
            found = effect_of(workbench, project.id, dimension.id, draw, level, embedding)
    except WorkbenchError as error:
        show_error(error)
        return
    rows = condition_rows(found, names)
    if len(found.points) > 1:
        _picture(rows, found, names)
    for remark in found.remarks(names.condition):
        st.markdown(plain(remark))
    st.dataframe(rows, placeholder="–", hide_index=True, key="condition_results", column_config=_columns())
    st.caption(SAME_TEXTS)
    csv_download("Conditions (CSV)", rows.assign(level=level, embedding=embedding.name), "conditions")


def _chosen(draws: Sequence[ConditionDraw]) -> ConditionDraw:
    """The newest, unless a person chooses: a study's trials, or other judges."""
    if len(draws) == 1:
        return draws[0]
    labels = [
        f"{model_label(draw.judge)} · {draw.words} · {len(draw.runs)} conditions, newest run {draw.newest.id}"
        for draw in draws
    ]
    number = st.selectbox("Judge and texts", range(len(draws)), format_func=labels.__getitem__, key="effect_draw")
    return draws[number or 0]


def condition_rows(found: ConditionEffect, names: Names) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "Condition": names.condition(point.condition),
                "Attributes": point.attributes,
                "ROUGE-L": point.similarity.rouge_l,
                "Jaccard": point.similarity.jaccard,
                "Cosine": point.similarity.cosine,
                "Spearman": point.spearman.value,
                "From": point.spearman.low,
                "To": point.spearman.high,
                "Texts": found.shared,
                "Counted": point.spearman.n,
                "Judge": model_label(found.draw.judge),
                "Run": point.run,
                "Checklist": point.version,
            }
            for point in found.points
        ]
    )


def _what_to_do(conditions: int) -> None:
    have = "Texts were scored with a checklist from one condition only." if conditions else "Nothing to compare yet."
    st.markdown(
        f"{have} To see whether more varied attributes make a better checklist, build and publish one each from "
        "everybody, from all people and from all LLMs, and score the same texts with each."
    )
    with st.container(horizontal=True):
        link("how_it_was_made", "Build a checklist")
        link("scores", "Score texts")


def _picture(rows: pd.DataFrame, found: ConditionEffect, names: Names) -> None:
    measure = st.segmented_control(
        "Likeness of the set",
        list(MEASURES),
        format_func=SEEN.__getitem__,
        default="ROUGE-L",
        required=True,
        key="effect_measure",
        help="How alike the attributes are that the checklist was built from; the lower, the more varied.",
    )
    assert measure is not None  # required
    drawn = rows.dropna(subset=[measure, "Spearman"])
    if drawn.empty:
        st.markdown("No condition has both a likeness and a correlation, so there is nothing to draw.")
        return
    value, count = found.correlation(FIELDS[measure]), len(found.points)
    judge = model_label(found.draw.judge)
    said = [
        "Further left: more varied attributes. Higher: closer to people. Line: the 95 % interval.",
        f"{judge}, the same {found.shared:,} texts for all: over {count} conditions likeness and agreement correlate "
        f"{value:.2f}."
        if value is not None
        else f"{judge}: {count} conditions; a correlation over conditions needs at least {FEWEST_CONDITIONS} that "
        "differ.",
        "So few points show a tendency at most.",
    ]
    picture(_chart(drawn, found, measure, names), "conditions", "condition_picture", " ".join(said), wide=True)


def _chart(drawn: pd.DataFrame, found: ConditionEffect, measure: str, names: Names) -> Chart:
    kinds = {names.condition(point.condition): names.condition_kind(point.condition) for point in found.points}
    order = list(kinds)
    base = alt.Chart(drawn).encode(
        x=alt.X(f"{measure}:Q", title=f"Likeness within the set ({measure})", scale=alt.Scale(zero=False, padding=20)),
        color=alt.Color("Condition:N", sort=order, title=None, scale=colour_scale(kinds), legend=None),
        tooltip=[
            alt.Tooltip("Condition:N"),
            alt.Tooltip(f"{measure}:Q", format=".3f"),
            alt.Tooltip("Spearman:Q", format=".3f"),
            alt.Tooltip("From:Q", title="95 % from", format=".3f"),
            alt.Tooltip("To:Q", title="to", format=".3f"),
            alt.Tooltip("Counted:Q", title="Texts that count", format=","),
            alt.Tooltip("Attributes:Q"),
            alt.Tooltip("Judge:N"),
        ],
    )
    line = base.mark_rule(strokeWidth=1.5).encode(y="From:Q", y2="To:Q")
    point = base.mark_point(filled=True, size=130, opacity=1).encode(
        y=alt.Y("Spearman:Q", title="Agreement with people (Spearman)", scale=alt.Scale(zero=False)),
        shape=alt.Shape("Condition:N", sort=order, title=None, scale=shape_scale(kinds, order), legend=None),
    )
    label = base.mark_text(align="left", dx=11, dy=-8, fontSize=12).encode(y="Spearman:Q", text="label:N")
    chart: Chart = (
        alt.layer(line, point, label)
        .transform_calculate(label="datum.Condition + ' (n = ' + datum.Counted + ')'")
        .properties(height=HEIGHT)
    )
    return chart


def _columns() -> dict[str, ColumnConfig | str | None]:
    spearman = "Do judge and people rank the texts alike? 1 is the same order, 0 no relation, -1 the reverse."
    return {
        **{name: st.column_config.NumberColumn(format="%.3f", help=text) for name, text in MEASURES.items()},
        "Attributes": st.column_config.NumberColumn(help="Those the checklist was built from."),
        "Spearman": st.column_config.NumberColumn(format="%.3f", help=spearman),
        "From": st.column_config.NumberColumn(format="%.3f", help="The lower end of the 95 % interval."),
        "To": st.column_config.NumberColumn(format="%.3f", help="The upper end of the 95 % interval."),
        "Texts": st.column_config.NumberColumn(
            format="localized", help="Scored under every condition: the same texts."
        ),
        "Counted": st.column_config.NumberColumn(
            format="localized", help="Those in sources that have a coefficient: not all scores or ratings alike."
        ),
    }
