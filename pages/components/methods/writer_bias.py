"""Bias of the judge to texts by LLMs: who is a person, and mean scores by whom people preferred."""

import altair as alt
import pandas as pd
import streamlit as st

from app.domain.people.actor import Right
from app.errors import NotReadyError, WorkbenchError
from app.services.results.writer_bias import Mean, WriterBias, bias_of, mark_people, writers
from app.services.runtime.use_case import may
from pages.components.shell.csv_download import csv_download
from pages.components.shell.guide.explained import more_in_guide
from pages.components.shell.picture import picture
from pages.components.shell.runs.result_scope import ResultScope
from pages.components.shell.words import plain, show_error

PREFERRED = {"person": "People preferred the person's", "alike": "Rated alike", "llm": "People preferred the LLM's"}
WRITERS = {"person": "by a person", "llm": "by an LLM"}
COLOURS = {"by a person": "#E69F00", "by an LLM": "#0072B2"}
ABOUT = (
    "A judge that is an LLM may like texts that LLMs wrote (G-Eval, Fig. 2). Texts of the same source are compared in "
    "pairs, one by a person and one by an LLM: a fair judge scores the person's higher where people rated it higher."
)


def writer_bias(scope: ResultScope) -> None:
    st.subheader("Texts by people and texts by LLMs", anchor=False)
    st.caption(ABOUT, help=more_in_guide("writers"))
    systems, people = writers(scope.workbench, scope.project.id)
    if len(systems) < 2:
        st.markdown("The texts of this project don't name two systems or more, so nobody knows who wrote what.")
        return
    if may(scope.workbench, Right.FACILITATE, project_id=scope.project.id):
        _marking(scope, systems, people)
    elif not people:
        st.markdown("Nobody has said yet which systems are people.")
    result = scope.one("writers")
    if result is None or not people:
        return
    try:
        study = bias_of(scope.workbench, result.run.id, scope.dimension.id, result.choices)
    except NotReadyError as error:
        st.markdown(plain(str(error)))
        return
    _show(study, result.run.id)


def _marking(scope: ResultScope, systems: list[str], people: tuple[str, ...]) -> None:
    with st.form("writers", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.multiselect(
            "Systems that are people",
            systems,
            default=people,
            format_func=plain,
            key=f"people_{scope.project.id}",
            help="As they are named in the data. All others count as LLMs.",
        )
        saved = st.form_submit_button("Save", key="save_people")
    if saved:
        try:
            mark_people(scope.workbench, scope.project.id, chosen)
        except WorkbenchError as error:
            show_error(error)
        else:
            st.rerun()


def _show(study: WriterBias, run: int) -> None:
    rows = pd.DataFrame(
        [
            {
                "Pairs": PREFERRED[group.preference],
                "Number": group.pairs,
                "Sources": group.sources,
                "Mean score by a person": _words(group.person),
                "Mean score by an LLM": _words(group.llm),
                "Person less LLM": _words(group.difference),
            }
            for group in study.groups
        ]
    )
    st.dataframe(rows, placeholder="–", hide_index=True, key="writer_bias")
    csv_download("Download the table", rows, "texts-by-people-and-llms")
    counts = ", ".join(f"“{PREFERRED[g.preference]}” {g.pairs:,}" for g in study.groups)
    alone = f" {study.unpaired:,} texts have no counterpart of the same source." if study.unpaired else ""
    caption = (
        f"Run {run}. Point: mean score; line: 95 % bootstrap interval over sources ({study.resamples:,} resamples, "
        f"seed {study.seed}). Pairs: {counts}.{alone}"
    )
    picture(_chart(study), "texts-by-people-and-llms", "writer_bias_picture", caption)


def _words(mean: Mean | None) -> str:
    if mean is None:
        return "no pair"
    if mean.low is None or mean.high is None:
        return f"{mean.value:.2f}"
    return f"{mean.value:.2f} [{mean.low:.2f}, {mean.high:.2f}]"


def _chart(study: WriterBias) -> alt.LayerChart | alt.FacetChart:
    data = pd.DataFrame(
        [
            {"pairs": PREFERRED[g.preference], "writer": words, "mean": mean.value, "low": mean.low, "high": mean.high}
            for g in study.groups
            for side, words in WRITERS.items()
            if (mean := getattr(g, side)) is not None
        ]
    )
    base = alt.Chart(data).encode(
        x=alt.X("pairs:N", sort=list(PREFERRED.values()), title=None, axis=alt.Axis(labelAngle=0, labelLimit=240)),
        xOffset=alt.XOffset("writer:N", sort=list(COLOURS), scale=alt.Scale(paddingInner=0.6, paddingOuter=1)),
        color=alt.Color(
            "writer:N",
            title=None,
            scale=alt.Scale(domain=list(COLOURS), range=list(COLOURS.values())),
            legend=alt.Legend(orient="top"),
        ),
    )
    y = alt.Scale(zero=False, nice=True)
    rule = base.mark_rule(strokeWidth=2).encode(y=alt.Y("low:Q", scale=y, title="Mean score"), y2="high:Q")
    point = base.mark_point(filled=True, size=80, opacity=1).encode(
        y=alt.Y("mean:Q", scale=y),
        shape=alt.Shape("writer:N", title=None, scale=alt.Scale(domain=list(COLOURS), range=["square", "circle"])),
    )
    return alt.layer(rule, point).properties(height=320)
