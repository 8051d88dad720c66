"""Compare, performance: agreement with people by condition and by diversity; what each contributor adds."""

from collections.abc import Sequence
from math import ceil

import altair as alt
import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from app.domain.chart_colours import NEUTRAL
from app.domain.model_call import model_label
from app.domain.project import Dimension, Project
from app.services.attributes.comparison_files import FIELDS
from app.services.attributes.embedding_choice import Embedding
from app.services.conditions.condition_effect import FEWEST_CONDITIONS, ConditionDraw, ConditionEffect, condition_draws
from app.services.conditions.condition_effect import effect_of_conditions as effect_of
from app.services.results.contribution import (
    Contribution,
    WithoutContributor,
    checklist_contribution,
    runs_with_checklist,
    without_each,
)
from app.services.results.results import Level
from app.services.runtime.workbench import Workbench
from pages.components.compare.similarity import MEASURES, SEEN, Names
from pages.components.shell.current import one_between
from pages.components.shell.labels import ShownErrors, more_in_guide, number, plain
from pages.components.shell.navigation.screens import link
from pages.components.shell.runs.run_words import title
from pages.components.shell.tables import Chart, colour_scale, csv_download, picture, shape_scale, show_table

ROW, MARGIN = 34, 60
_OF_INTEREST = {"": 0, "comb": 1}  # a project's own runs, then a study's with everybody; the other conditions follow
APPROXIMATION = (
    "An approximation: the questions that rest on this contributor's attributes alone are dropped, and the scores are "
    "taken over the other questions from the answers of this run. The checklist is not built anew without them, so "
    "what the others' attributes would have become then is not known."
)
EFFECT = "Spearman with all questions minus Spearman without theirs. Above 0: their questions help." + more_in_guide(
    "contribution"
)


def contribution(workbench: Workbench, project: Project, dimension: Dimension, names: Names, level: Level) -> None:
    runs = runs_with_checklist(workbench, project.id, dimension.id)
    if not runs:
        st.markdown(
            "No text of this dimension was scored with a checklist yet, so nobody's part in it can be measured. Build "
            "a checklist and score some texts first."
        )
        return
    ordered = sorted(runs, key=lambda each: _OF_INTEREST.get(each[0].study, len(_OF_INTEREST)))
    by_id = {run.id: (run, checklist) for run, checklist in ordered}
    chosen = st.selectbox(
        "Run",
        list(by_id),
        format_func=lambda run: f"{title(by_id[run][0])} · version {by_id[run][1].version}",
        key="contribution_run",
    )
    run, checklist = by_id[chosen]
    found = checklist_contribution(workbench, project.id, dimension.id, checklist)
    if not found.by_contributor:
        st.markdown("The questions of this checklist come from no attributes, so they are nobody's.")
        return
    _reach(found, names)
    with st.spinner("Leaving each contributor out in turn"):
        effects = without_each(workbench, run, dimension, checklist, found, level)
    _effects(effects, names)


def _reach(found: Contribution, names: Names) -> None:
    rows = reach_rows(found, names)
    show_table(
        rows,
        "reach",
        {
            "Attributes": st.column_config.NumberColumn(help="Those the checklist was built from."),
            "Reached a question": st.column_config.NumberColumn(
                help="Attributes that at least one question of the checklist rests on."
            ),
            "Dropped": st.column_config.NumberColumn(
                help="Left out while the checklist was built; the reasons are under “How it was made”."
            ),
            "Share of questions": st.column_config.ProgressColumn(
                format="%.0f %%",
                min_value=0.0,
                max_value=100.0,
                help="Questions that rest on at least one of their attributes. Questions of several count for each.",
            ),
            "Theirs alone": st.column_config.NumberColumn(help="Questions that rest on nobody else's attributes."),
        },
    )
    extra = f"; {found.without_lineage} of them rest on no attribute" if found.without_lineage else ""
    st.caption(plain(f"The checklist asks {number(found.asked, 'question')}{extra}."))
    csv_download("Contribution (CSV)", rows, "contribution")


def reach_rows(found: Contribution, names: Names) -> pd.DataFrame:
    labelled = [(f"All {names.kind(kind)}", reach) for kind, reach in found.joint.items()]
    labelled += [(names.contributor(name), reach) for name, reach in found.by_contributor.items()]
    return pd.DataFrame(
        [
            {
                "Who": who,
                "Attributes": reach.given,
                "Reached a question": reach.reached,
                "Dropped": reach.dropped,
                "Share of questions": 100 * reach.questions / found.asked if found.asked else 0.0,
                "Theirs alone": len(reach.alone),
            }
            for who, reach in labelled
        ]
    )


def _effects(effects: list[WithoutContributor], names: Names) -> None:
    st.markdown("**What the agreement with people loses without somebody**", help=EFFECT)
    st.caption(plain(APPROXIMATION))
    rows = effect_rows(effects, names)
    drawn = rows.dropna(subset=["Effect"])
    if not drawn.empty:
        picture(
            _contribution_chart(drawn, effects, names),
            "Gain in Spearman by contributor",
            "left_out",
            "left_out_picture",
            "Point: the effect; line: its paired 95 % interval. Where it crosses 0, no effect can be made out.",
        )
    show_table(
        rows,
        "left_out",
        {
            name: st.column_config.NumberColumn(format="%+.3f" if name == "Effect" else "%.3f", help=text)
            for name, text in {
                "With all": "Spearman with all questions, over the texts used for both.",
                "Without": "Spearman without the questions that are theirs alone.",
                "Effect": EFFECT,
                "From": "The lower end of the paired 95 % interval. An interval that holds 0 shows no effect.",
                "To": "The upper end of the paired 95 % interval.",
            }.items()
        },
    )
    csv_download("Effects (CSV)", rows, "left_out")


def _label(effect: WithoutContributor, names: Names) -> str:
    return f"All {names.kind(effect.name)}" if effect.kind else names.contributor(effect.name)


def effect_rows(effects: list[WithoutContributor], names: Names) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "Left out": _label(effect, names),
                "Questions": effect.questions,
                "With all": effect.figure.a if effect.figure else None,
                "Without": effect.figure.b if effect.figure else None,
                "Effect": effect.figure.difference if effect.figure else None,
                "From": effect.figure.low if effect.figure else None,
                "To": effect.figure.high if effect.figure else None,
                "Texts": effect.figure.n if effect.figure else None,
                "Why there is no figure": effect.reason,
            }
            for effect in effects
        ]
    ).astype({"Effect": float, "With all": float, "Without": float, "From": float, "To": float})


def _contribution_chart(drawn: pd.DataFrame, effects: list[WithoutContributor], names: Names) -> Chart:
    kinds = {
        _label(e, names): next(iter(k for k in names.kinds.values() if k == e.name), None) for e in effects if e.kind
    }
    kinds |= {_label(e, names): names.kinds.get(e.name) for e in effects if not e.kind}
    order = [_label(effect, names) for effect in effects]
    base = alt.Chart(drawn).encode(
        y=alt.Y("Left out:N", sort=order, title=None, axis=alt.Axis(labelLimit=240, labelFlush=False)),
        color=alt.Color("Left out:N", sort=order, scale=colour_scale(kinds), legend=None),
        tooltip=[
            alt.Tooltip("Left out:N"),
            alt.Tooltip("Questions:Q", title="Questions dropped"),
            alt.Tooltip("Effect:Q", format="+.3f"),
            alt.Tooltip("From:Q", title="95 % from", format="+.3f"),
            alt.Tooltip("To:Q", title="to", format="+.3f"),
            alt.Tooltip("Texts:Q", format=","),
        ],
    )
    zero = alt.Chart(pd.DataFrame({"x": [0.0]})).mark_rule(strokeDash=[4, 4], color=NEUTRAL).encode(x="x:Q")
    line = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("From:Q", title="Gain in Spearman from their questions"), x2="To:Q"
    )
    point = base.mark_point(filled=True, size=90, opacity=1).encode(x="Effect:Q")
    chart: Chart = alt.layer(zero, line, point).properties(height=MARGIN + ROW * len(drawn))
    return chart


HEIGHT = 340
LEGEND, LEGEND_ROW, LEGEND_COLUMNS = 40, 26, 2  # pixels; on a screen the legend is inside the chart's height


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
        conditions = len(there.draws) + len(there.refused)
        have = (
            "Texts were scored with a checklist from one condition only." if conditions else "Nothing to compare yet."
        )
        st.markdown(
            f"{have} To see whether more varied attributes make a better checklist, build and publish one each from "
            "everybody, from all people and from all LLMs, and score the same texts with each."
        )
        with st.container(horizontal=True):
            link("how_it_was_made", "Build a checklist")
            link("scores", "Score texts")
    if not there.draws:
        return
    draw = _chosen(there.draws)
    with ShownErrors():
        with st.spinner("Comparing the conditions"):
            found = effect_of(workbench, project.id, dimension.id, draw, level, embedding)
        rows = condition_rows(found, names)
        if len(found.points) > 1:
            _picture(rows, found, names)
        for remark in found.remarks(names.condition):
            st.markdown(plain(remark))
        show_table(rows, "condition_results", _columns())
        st.caption(SAME_TEXTS)
        csv_download("Conditions (CSV)", rows.assign(level=level, embedding=embedding.name), "conditions")


def _chosen(draws: Sequence[ConditionDraw]) -> ConditionDraw:
    """Draw the choice among studies' draws, trials and judges, if there are several; return it, initially the
    newest."""
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


def _picture(rows: pd.DataFrame, found: ConditionEffect, names: Names) -> None:
    about = "How alike the attributes are that the checklist was built from; the lower, the more varied."
    measure = one_between("effect_measure", SEEN, "ROUGE-L", "Likeness of the set", about)
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
    chart = _chart(drawn, found, measure, names)
    picture(
        chart.properties(height=HEIGHT + LEGEND + LEGEND_ROW * ceil(count / LEGEND_COLUMNS)),
        "Agreement and likeness by condition",
        "conditions",
        "condition_picture",
        " ".join(said),
        on_paper=chart,
        wide=True,
    )


def _chart(drawn: pd.DataFrame, found: ConditionEffect, measure: str, names: Names) -> Chart:
    kinds = {
        f"{names.condition(point.condition)} (n = {point.spearman.n:,})": names.condition_kind(point.condition)
        for point in found.points
    }
    order = list(kinds)
    legend = alt.Legend(orient="bottom", columns=LEGEND_COLUMNS, title=None, labelLimit=0)
    label = drawn["Condition"] + drawn["Counted"].map(" (n = {:,})".format)
    base = alt.Chart(drawn.assign(label=label)).encode(
        x=alt.X(
            f"{measure}:Q",
            title=f"Likeness within the set ({measure})",
            axis=alt.Axis(tickCount=8),
            scale=alt.Scale(zero=False, padding=20),
        ),
        color=alt.Color("label:N", sort=order, scale=colour_scale(kinds), legend=legend),
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
        shape=alt.Shape("label:N", sort=order, scale=shape_scale(kinds, order), legend=legend),
    )
    chart: Chart = alt.layer(line, point).properties(height=HEIGHT)
    return chart


def _columns() -> dict[str, ColumnConfig | str | None]:
    spearman = "Do judge and people rank the texts alike? 1 is the same order, 0 no relation, -1 the reverse."
    return {
        **{name: st.column_config.NumberColumn(format="%.3f", help=text) for name, text in MEASURES.items()},
        "Attributes": st.column_config.NumberColumn(help="Those the checklist was built from."),
        "Spearman": st.column_config.NumberColumn(format="%.3f", help=spearman),
        "From": st.column_config.NumberColumn(format="%.3f"),
        "To": st.column_config.NumberColumn(format="%.3f"),
        "Texts": st.column_config.NumberColumn(
            format="localized", help="Scored under every condition: the same texts."
        ),
        "Counted": st.column_config.NumberColumn(
            format="localized",
            help="Texts of sources that have a coefficient: one whose scores or ratings are all equal has none.",
        ),
    }
