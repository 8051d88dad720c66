"""Methods: each method's agreement, cost and bias."""

from collections.abc import Sequence

import altair as alt
import pandas as pd
import streamlit as st

from app.domain.chart_colours import LLM, METHODS, PERSON
from app.domain.model_call import model_label
from app.domain.roles_and_rights import Right
from app.errors import NotReadyError
from app.services.results.quality_cost import QualityCost, quality_and_cost
from app.services.results.writer_bias import Mean, WriterBias, bias_of, mark_people, writers
from app.services.runtime.workbench import may
from app.services.scoring.run_labels import method_label
from pages.components.shell.current import was_pressed
from pages.components.shell.frame import nothing_yet
from pages.components.shell.labels import ShownErrors, more_in_guide, plain
from pages.components.shell.runs.result_choices import ResultScope
from pages.components.shell.tables import csv_download, picture, show_table

SHAPES = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross")
ABOUT_COST = "About the cost"
HEIGHT = 360
AGAINST = (
    "Its Spearman minus the checklist's on the texts both scored, with the 95 % interval of the difference. Where the "
    "interval includes 0, the two are not significantly different."
)
COST = "What scoring 1,000 texts on this dimension costs, from what the run paid."


def quality_cost(scope: ResultScope) -> None:
    st.subheader("Quality against cost", anchor=False, help=AGAINST + more_in_guide("cost"))
    with st.spinner("Comparing each method with the checklist"):
        found = quality_and_cost(scope.workbench, scope.project.id, scope.dimension.id, choices=scope.choices)
    if not found:
        nothing_yet("methods", "No method has scored this dimension yet.")
        return
    st.caption(
        f"On {plain(scope.dimension.name)}, the run with most texts of each method, judge and checklist version, "
        "whichever runs are chosen above."
    )
    rows = pd.DataFrame([_row(each) for each in found])
    show_table(
        rows.drop(columns=ABOUT_COST),
        "quality_cost",
        {
            "Difference to checklist": st.column_config.TextColumn(help=AGAINST),
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
        picture(
            _cost_chart(drawn), "Spearman by cost", "quality-against-cost", "quality_cost_picture", caption, wide=True
        )


def name(each: QualityCost) -> str:
    version = f" v{each.scores.version}" if each.scores.version else ""
    judge = "" if each.run.judge == "none" else f" · {model_label(each.run.judge)}"
    return f"{method_label(each.run)}{version}{judge}"


def _row(each: QualityCost) -> dict[str, object]:
    cost = "unknown" if each.cost.per_1000 is None else f"{each.cost.per_1000:,.2f}"
    return {
        "Method": name(each),
        "Run": each.run.id,
        "Spearman": _gain(each.figure.value, each.figure.low, each.figure.high, ".3f"),
        "Sources used": each.groups,
        "Texts": each.figure.n,
        "Difference to checklist": _difference(each),
        "$ per 1,000 texts": cost,
        ABOUT_COST: each.cost.reason,
    }


def _difference(each: QualityCost) -> str:
    if each.against is None:
        return ""
    if each.against.comparison is None:
        return each.against.problem
    figure = each.against.comparison.differences["spearman"].figure
    return figure.reason if figure.difference is None else _gain(figure.difference, figure.low, figure.high, "+.3f")


def _gain(value: float | None, low: float | None, high: float | None, form: str) -> str:
    if value is None:
        return "none"
    return f"{value:{form}}" if low is None or high is None else f"{value:{form}} [{low:{form}}, {high:{form}}]"


def _cost_chart(drawn: Sequence[QualityCost]) -> alt.LayerChart | alt.FacetChart:
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
    colours = alt.Scale(domain=names, range=[METHODS[n % len(METHODS)] for n in range(len(names))])
    shapes = alt.Scale(domain=names, range=[SHAPES[n % len(SHAPES)] for n in range(len(names))])
    legend = alt.Legend(orient="bottom", columns=2, labelLimit=320)
    base = base.encode(color=alt.Color("name:N", title=None, sort=names, scale=colours, legend=legend))
    y = alt.Scale(zero=False, nice=True)
    rule = base.mark_rule(strokeWidth=2).encode(y=alt.Y("low:Q", scale=y, title="Spearman with people"), y2="high:Q")
    point = base.mark_point(filled=True, size=90, opacity=1).encode(
        y=alt.Y("value:Q", scale=y), shape=alt.Shape("name:N", title=None, sort=names, scale=shapes, legend=legend)
    )
    return alt.layer(rule, point).properties(height=HEIGHT)


PREFERRED = {"person": "People preferred the person's", "alike": "Found alike", "llm": "People preferred the LLM's"}
WRITERS = {"person": "by a person", "llm": "by an LLM"}
BY_WRITER = {"by a person": PERSON, "by an LLM": LLM}
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
    result = scope.one("writers") if people else None
    if result is None:
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
        saved = was_pressed("Save", "save_people", form=True)
    if saved:
        with ShownErrors():
            mark_people(scope.workbench, scope.project.id, chosen)
            st.rerun()


def _show(study: WriterBias, run: int) -> None:
    rows = pd.DataFrame(
        [
            {
                "Pairs": PREFERRED[group.preference],
                "Number": group.pairs,
                "Sources": group.sources,
                "Mean score by a person": _bias_words(group.person),
                "Mean score by an LLM": _bias_words(group.llm),
                "Person − LLM": _bias_words(group.difference),
            }
            for group in study.groups
        ]
    )
    show_table(rows, "writer_bias")
    csv_download("Download the table", rows, "texts-by-people-and-llms")
    counts = ", ".join(f"“{PREFERRED[g.preference]}” {g.pairs:,}" for g in study.groups)
    lacking = "texts have no counterpart of the same source" if study.by == "ratings" else "pairs lack a score"
    alone = f" {study.unpaired:,} {lacking}." if study.unpaired else ""
    caption = (
        f"Run {run}, by people's {study.by}. Point: mean score; line: 95 % bootstrap interval over sources "
        f"({study.resamples:,} resamples, seed {study.seed}). Pairs: {counts}.{alone}"
    )
    title = "Scores of texts by people and by LLMs"
    picture(_bias_chart(study), title, "texts-by-people-and-llms", "writer_bias_picture", caption)


def _bias_words(mean: Mean | None) -> str:
    if mean is None:
        return "no pair"
    if mean.low is None or mean.high is None:
        return f"{mean.value:.2f}"
    return f"{mean.value:.2f} [{mean.low:.2f}, {mean.high:.2f}]"


def _bias_chart(study: WriterBias) -> alt.LayerChart | alt.FacetChart:
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
        xOffset=alt.XOffset("writer:N", sort=list(BY_WRITER), scale=alt.Scale(paddingInner=0.6, paddingOuter=1)),
        color=alt.Color(
            "writer:N",
            title=None,
            scale=alt.Scale(domain=list(BY_WRITER), range=list(BY_WRITER.values())),
            legend=alt.Legend(orient="top"),
        ),
    )
    y = alt.Scale(zero=False, nice=True)
    rule = base.mark_rule(strokeWidth=2).encode(y=alt.Y("low:Q", scale=y, title="Mean score"), y2="high:Q")
    point = base.mark_point(filled=True, size=80, opacity=1).encode(
        y=alt.Y("mean:Q", scale=y),
        shape=alt.Shape("writer:N", title=None, scale=alt.Scale(domain=list(BY_WRITER), range=["square", "circle"])),
    )
    return alt.layer(rule, point).properties(height=320)
