"""Lineage: from contributors to questions and back."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from app.domain.attribute import ContributorKind
from app.domain.chart_colours import INK, LIGHT_INK, NEUTRAL
from app.domain.checklist import Question
from app.domain.model_call import model_label
from app.domain.project import Dimension
from app.services.checklists.lineage import LEFT_OUT, Branch, Flow, LineageView, Unserved
from pages.components.shell.checklists.publishing import ORIGINS, STAGE_NAMES
from pages.components.shell.contributor_choice import said_by
from pages.components.shell.labels import example_lines, number, plain
from pages.components.shell.tables import Chart, colour_scale, picture, show_table

COLUMNS = (0.0, 1.0, 2.0)
BAR, GAP, STEPS = 0.03, 0.03, 24
HEIGHT = 460
NAME_LENGTH = 52


@dataclass(frozen=True, slots=True)
class _Node:
    """A box of the lineage picture. `size`: the number of its attributes."""

    name: str
    label: str
    size: int
    column: int
    low: float
    high: float

    @property
    def full(self) -> str:
        return f"{self.label} ({self.size})"

    @property
    def short(self) -> str:
        """Return a label; a long question is cut, but not its number of attributes."""
        cut = self.label if len(self.label) <= NAME_LENGTH else f"{self.label[: NAME_LENGTH - 1].rstrip()}…"
        return f"{cut} ({self.size})"


def shown_picture(view: LineageView, dimension: Dimension) -> None:
    """Draw the picture on the screen's background; downloads have a white one."""
    if not view.to_components and not view.to_questions:
        st.markdown("No attribute is on record for this checklist.")
        return
    caption = (
        f"Ribbons are as wide as the attributes they stand for, n = {sum(r.given for r in view.reaches.values())}. "
        "One attribute can be behind several questions."
    )
    on_paper = lineage_picture(view)
    shown = lineage_picture(view, dark=True) if st.context.theme.type == "dark" else on_paper
    title, name = "From attributes to questions", f"lineage-{dimension.name}"
    picture(shown, title, name, "lineage_picture", caption, on_paper=on_paper, wide=True)


def lineage_picture(view: LineageView, dark: bool = False) -> Chart:
    """Return the picture. All columns have the same height, so ribbons of one column can be compared with each other.

    dark: for a dark background; text in a chart doesn't follow the theme by itself.
    """
    kinds: dict[str, ContributorKind | None] = {a.contributor: a.kind for a in view.attributes.values()}
    shown = {name: kinds[name] for name in view.reaches if name in kinds}
    nodes = [node for column in _columns(view) for node in column]
    ribbons = _ribbons(view.to_components, nodes, 0) + _ribbons(view.to_questions, nodes, 1)
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[-0.05, 2.95]))
    y = alt.Y("low:Q", axis=None, scale=alt.Scale(domain=[0, 1]))
    legend = alt.Legend(title=None, orient="top", labelExpr=_legend(list(shown)))
    area = (
        alt.Chart(pd.DataFrame(ribbons, columns=["ribbon", "group", "x", "low", "high", "What"]))
        .mark_area(opacity=0.45)
        .encode(
            x,
            y,
            alt.Y2("high:Q"),
            alt.Color("group:N", scale=colour_scale(shown), legend=legend),
            alt.Detail("ribbon:N"),
            alt.Tooltip("What:N"),
        )
    )
    bars = pd.DataFrame(
        [
            {"x": COLUMNS[n.column] - BAR, "x2": COLUMNS[n.column] + BAR, "low": n.low, "high": n.high, "What": n.full}
            for n in nodes
        ]
    )
    rects = (
        alt.Chart(bars).mark_rect(color=NEUTRAL).encode(x, alt.X2("x2:Q"), y, alt.Y2("high:Q"), alt.Tooltip("What:N"))
    )
    names = pd.DataFrame(
        [
            {"x": COLUMNS[n.column] + 2 * BAR, "low": (n.low + n.high) / 2, "name": n.short, "What": n.full}
            for n in nodes
        ]
    )
    texts = (
        alt.Chart(names)
        .mark_text(align="left", baseline="middle", fontSize=11, color=LIGHT_INK if dark else INK)
        .encode(x, y, alt.Text("name:N"), alt.Tooltip("What:N"))
    )
    chart: Chart = alt.layer(area, rects, texts).properties(height=HEIGHT)
    return chart


def _columns(view: LineageView) -> list[list[_Node]]:
    given, placed, arriving, leaving = (defaultdict[str, int](int) for _ in range(4))
    for flow in view.to_components:
        given[flow.source] += flow.attributes
        placed[flow.target] += flow.attributes
    for flow in view.to_questions:
        leaving[flow.source] += flow.attributes
        arriving[flow.target] += flow.attributes
    components = [branch.component.name for branch in view.lineage.branches]
    middle = {name: max(placed[name], leaving[name]) for name in [*components, LEFT_OUT]}
    numbers = view.numbers
    questions = {str(q.id): f"{numbers[q.id]} {q.text}" for q in view.checklist.asked}
    return [
        _stacked(0, {name: given[name] for name in view.reaches}, {name: model_label(name) for name in view.reaches}),
        _stacked(1, middle, {name: name.capitalize() if name == LEFT_OUT else name for name in middle}),
        _stacked(2, {id_: arriving[id_] for id_ in questions}, questions),
    ]


def _stacked(column: int, sizes: dict[str, int], labels: dict[str, str]) -> list[_Node]:
    """Return nodes from the top down, with gaps, without those that have no attribute."""
    there = {name: size for name, size in sizes.items() if size}
    gap = min(GAP, 0.3 / max(len(there), 1))
    unit = (1 - gap * max(len(there) - 1, 0)) / max(sum(there.values()), 1)
    nodes, top = [], 1.0
    for name, size in there.items():
        nodes.append(_Node(name, labels[name], size, column, top - size * unit, top))
        top -= size * unit + gap
    return nodes


def _ribbons(flows: Sequence[Flow], nodes: Sequence[_Node], column: int) -> list[tuple[object, ...]]:
    """Return points of smooth bands from the right edge of one column's bars to the left edge of the next one's."""
    left = {n.name: n for n in nodes if n.column == column}
    right = {n.name: n for n in nodes if n.column == column + 1}
    there = [flow for flow in flows if flow.source in left and flow.target in right]
    order = {name: n for n, name in enumerate([*left, *right])}
    total_left, total_right = (defaultdict[str, int](int) for _ in range(2))
    for flow in there:
        total_left[flow.source] += flow.attributes
        total_right[flow.target] += flow.attributes
    used_left, used_right = (defaultdict[str, float](float) for _ in range(2))
    at = np.linspace(0.0, 1.0, STEPS)
    bend = at**2 * (3 - 2 * at)
    points: list[tuple[object, ...]] = []
    for position, flow in enumerate(sorted(there, key=lambda f: (order[f.source], order[f.target], f.group))):
        a, b = left[flow.source], right[flow.target]
        width_a = (a.high - a.low) * flow.attributes / total_left[flow.source]
        width_b = (b.high - b.low) * flow.attributes / total_right[flow.target]
        top_a, top_b = a.high - used_left[flow.source], b.high - used_right[flow.target]
        used_left[flow.source] += width_a
        used_right[flow.target] += width_b
        high = top_a + (top_b - top_a) * bend
        low = (top_a - width_a) + (top_b - width_b - top_a + width_a) * bend
        xs = COLUMNS[column] + BAR + (COLUMNS[column + 1] - COLUMNS[column] - 2 * BAR) * at
        what = f"{flow.attributes} of {model_label(flow.group)}: {a.full} → {b.full}"
        points += [(f"{column}-{position}", flow.group, *values, what) for values in zip(xs, low, high, strict=True)]
    return points


def _legend(names: Sequence[str]) -> str:
    labelled = {name: model_label(name) for name in names if model_label(name) != name}
    expression = "datum.label"
    for name, label in labelled.items():
        expression = f"datum.label === {_quoted(name)} ? {_quoted(label)} : ({expression})"
    return expression


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def forward(view: LineageView) -> None:
    """Draw component -> key question -> question -> attributes -> contributors."""
    for branch in view.lineage.branches:
        name = branch.component.name or "Without a component"
        label = f"{plain(name)} · {number(len(branch.questions), 'question')}"
        with st.expander(label, key=f"branch_{branch.component.position}_{len(name)}"):
            _branch(view, branch)


def _branch(view: LineageView, branch: Branch) -> None:
    if branch.key_question:
        st.markdown(f"Key question: {plain(branch.key_question)}")
    numbers = view.numbers
    for question in branch.questions:
        decided = view.decisions.get(question.id)
        rests = f" :gray[worded from {number(decided, 'decision')}]" if decided else ""
        st.markdown(f"**{numbers[question.id]} {plain(question.text)}**{_origin(question)}{rests}")
        behind = [view.attributes[id_] for id_ in question.attributes if id_ in view.attributes]
        if behind:
            st.markdown(
                "\n".join(f"- {plain(a.text)} :gray[{said_by(a)}]{_also(view, a.id, question)}" for a in behind)
            )
        else:
            st.caption("No attribute is behind it.")
        example_lines(question)


def _origin(question: Question) -> str:
    said = ORIGINS[question.origin]
    return f" :gray[{said}]" if said else ""


def _also(view: LineageView, attribute: int, question: Question) -> str:
    others = [view.numbers[id_] for id_ in view.lineage.serving.get(attribute, ()) if id_ != question.id]
    return f" :gray[also behind {', '.join(map(str, others))}]" if others else ""


def back(view: LineageView) -> None:
    """Draw contributor -> attributes -> components and questions."""
    names = list(view.reaches)
    if not names:
        st.markdown("No attribute is on record for this checklist.")
        return
    chosen = st.segmented_control(
        "Contributor", names, format_func=model_label, default=names[0], required=True, key="lineage_contributor"
    )
    name = chosen or names[0]
    reach = view.reaches[name]
    st.markdown(
        f"{number(reach.given, 'attribute')}, {reach.reached} behind {number(reach.questions, 'question')}, "
        f"{reach.dropped} left out on the way."
    )
    under = {id_: b.component.name for b in view.lineage.branches for id_ in b.component.attributes}
    dropped = {d.attribute for d in view.checklist.dropped}
    own = [
        a
        for a in view.attributes.values()
        if a.contributor == name and a.id in {*under, *dropped, *view.lineage.serving}
    ]
    rows = [
        {
            "Attribute": a.text,
            "Component": under.get(a.id, "left out"),
            "Questions": ", ".join(str(view.numbers[id_]) for id_ in view.lineage.serving.get(a.id, ())) or "none",
        }
        for a in own
    ]
    show_table(rows, f"lineage_of_{name}")


def unserved(view: LineageView) -> None:
    """Draw attributes behind no question, with the stage and the reason."""
    left = [one for one in view.lineage.unserved if one.attribute in view.attributes]
    if not left:
        st.markdown("Every attribute is behind a question.")
        return
    rows = [
        {
            "Attribute": view.attributes[one.attribute].text,
            "Said by": model_label(view.attributes[one.attribute].contributor),
            "Where it ended": _ended(one),
            "Reason": one.reason,
        }
        for one in left
    ]
    show_table(rows, "lineage_unserved")


def _ended(one: Unserved) -> str:
    if one.stage:
        return f"left out: {STAGE_NAMES.get(one.stage, one.stage)}"
    return f"under {one.component}, behind no question" if one.component else "not in this checklist: it came later"
