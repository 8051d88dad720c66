"""Charts of attributes: the spread of each contributor over the topics, the likeness of sets; and of checklists: the
number of components."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import altair as alt
import pandas as pd

from app.domain.chart_look import FONT_SIZE, HEAT, INK, LLM, METHODS, NEUTRAL, ON_PAPER, PERSON

Chart = alt.Chart | alt.LayerChart | alt.FacetChart
PEOPLE, LLMS, BOTH = "people", "LLMs", "not known"
CHANCE = "chance, 95 %"
ROW = 30  # pixels: of a contributor
_LABELS = 240  # pixels: for the names of contributors at most
_PAPER_WIDTH = 460
_PANEL = 270  # pixels: two stand beside the sidebar on a small screen


@dataclass(frozen=True, slots=True)
class SpreadRow:
    """One contributor: the spread over topics with the ends over fits, and what as many attributes reach by chance.

    kind: "human", "llm" or "".
    """

    contributor: str
    kind: str
    attributes: int
    spread: float
    low: float
    high: float
    chance: float
    chance_low: float
    chance_high: float


def spread_chart(rows: Sequence[SpreadRow], topics: int, llms: str = LLMS) -> Chart:
    """A dot for each contributor, people first, beside the range that chance gives for a set of that size."""
    sides = {"human": PEOPLE, "llm": llms, "": BOTH}
    data = pd.DataFrame(
        [
            {
                **asdict(row),
                "who": f"{row.contributor} (n = {row.attributes:,})",
                "side": sides[row.kind],
                "chance_words": CHANCE,
            }
            for row in rows
        ]
    )
    order = list(data["who"])
    present = [side for side in sides.values() if side in set(data["side"])]
    look = {PEOPLE: (PERSON, "circle"), llms: (LLM, "triangle-up"), BOTH: (INK, "square")}
    domain = [*present, CHANCE]
    legend = alt.Legend(orient="top", title=None, labelLimit=0, symbolOpacity=1)
    colour = alt.Scale(domain=domain, range=[*(look[side][0] for side in present), NEUTRAL])
    shape = alt.Scale(domain=domain, range=[*(look[side][1] for side in present), "stroke"])
    highest = float(data[["spread", "high", "chance_high"]].to_numpy(dtype=float).max())
    scale = alt.Scale(domain=[0, highest * 1.05], nice=False)
    across = f"Spread over {topics} topics (standard deviation of the shares)"
    base = alt.Chart(data).encode(
        y=alt.Y(
            "who:N",
            sort=order,
            title=None,
            axis=alt.Axis(labelLimit=_LABELS, labelFlush=False, ticks=False, domain=False),
        ),
        tooltip=[
            alt.Tooltip("contributor:N", title="Who"),
            alt.Tooltip("attributes:Q", title="Attributes"),
            alt.Tooltip("spread:Q", title="Spread", format=".3f"),
            alt.Tooltip("low:Q", title="Middle 95 % over fits, from", format=".3f"),
            alt.Tooltip("high:Q", title="to", format=".3f"),
            alt.Tooltip("chance:Q", title="By chance", format=".3f"),
            alt.Tooltip("chance_low:Q", title="95 % of chance, from", format=".3f"),
            alt.Tooltip("chance_high:Q", title="to", format=".3f"),
        ],
    )
    side = alt.Color("side:N", scale=colour, legend=legend)
    band = base.mark_bar(height=ROW // 2, opacity=0.3).encode(
        x=alt.X("chance_low:Q", scale=scale, title=across, axis=alt.Axis(format=".2~f")),
        x2="chance_high:Q",
        color=alt.Color("chance_words:N", scale=colour, legend=legend),
    )
    middle = base.mark_tick(thickness=2, size=ROW // 2, color=NEUTRAL).encode(x=alt.X("chance:Q", scale=scale))
    line = base.mark_rule(strokeWidth=1.5).encode(x=alt.X("low:Q", scale=scale), x2="high:Q", color=side)
    dot = base.mark_point(filled=True, size=110, opacity=1).encode(
        x=alt.X("spread:Q", scale=scale),
        color=side,
        shape=alt.Shape("side:N", scale=shape, legend=None),
    )
    title = alt.TitleParams("Topic spread per contributor", anchor="start", fontSize=FONT_SIZE + 2)
    return alt.layer(band, middle, line, dot).properties(height=alt.Step(ROW), title=title)


@dataclass(frozen=True, slots=True)
class LikenessCell:
    """The likeness of two sets, or within one; value: None where there is no pair."""

    first: str
    second: str
    value: float | None
    pairs: int
    attributes: str


_GRID_WIDTH, _WIDEST, _NARROWEST, _SLANTED, _CELL_HEIGHT = 600, 150, 44, 120, 40  # pixels


def likeness_grid(cells: Sequence[LikenessCell], measure: str) -> Chart:
    """A heat map of sets by sets, as wide as a screen of 1,280 pixels has room beside the navigation."""
    order = list(dict.fromkeys(cell.first for cell in cells))
    data = pd.DataFrame(
        [asdict(cell) | {"label": "none" if cell.value is None else f"{cell.value:.2f}"} for cell in cells]
    ).astype({"value": float})
    width = min(_WIDEST, max(_NARROWEST, _GRID_WIDTH // max(1, len(order))))
    slanted = width < _SLANTED
    axis = alt.Axis(
        labelLimit=180 if slanted else width - 8,
        labelAngle=-45 if slanted else 0,
        labelAlign="left" if slanted else "center",
        labelOverlap=False,
        labelFlush=False,
        orient="top",
        domain=False,
        ticks=False,
    )
    base = alt.Chart(data).encode(
        x=alt.X("second:N", sort=order, title=None, axis=axis),
        y=alt.Y(
            "first:N",
            sort=order,
            title=None,
            axis=alt.Axis(labelLimit=220, labelFlush=False, domain=False, ticks=False),
        ),
        tooltip=[
            alt.Tooltip("first:N", title="Set"),
            alt.Tooltip("second:N", title="and"),
            alt.Tooltip("value:Q", title=measure, format=".3f"),
            alt.Tooltip("pairs:Q", title="Mean over pairs", format=","),
            alt.Tooltip("attributes:N", title="Attributes"),
        ],
    )
    known = [cell.value for cell in cells if cell.value is not None] or [0.0, 1.0]
    lowest, highest = min(known), max(known)
    filled = base.mark_rect(stroke=NEUTRAL, strokeWidth=0.5).encode(
        color=alt.Color(
            "value:Q",
            title=measure,
            scale=alt.Scale(range=list(HEAT), domain=[lowest, max(highest, lowest + 0.01)]),
            legend=None,
        )
    )
    label = base.mark_text(fontSize=13).encode(
        text="label:N",
        color=alt.condition(f"datum.value > {(lowest + highest) / 2}", alt.value("white"), alt.value(INK)),
    )
    return alt.layer(filled, label).properties(
        width=width * len(order),
        height=_CELL_HEIGHT * len(order),
        title=alt.TitleParams(f"Similarity: {measure}", anchor="start", fontSize=FONT_SIZE + 2),
    )


def sweep_chart(points: Sequence[Mapping[str, Any]], measure: str) -> Chart:
    """A line a condition over the number of components, a panel a dimension (Fig. 6 of InteractEval).

    points: dimension, condition, components, and (value, low, high) of each measure under `figures`.
    """
    data = pd.DataFrame(
        [
            {name: point[name] for name in ("dimension", "condition", "components")}
            | dict(zip(("value", "low", "high"), point["figures"][measure], strict=True))
            for point in points
            if point["figures"][measure][0] is not None
        ]
    )
    dimensions = list(dict.fromkeys(data["dimension"]))
    base = alt.Chart(data).encode(
        x=alt.X("components:O", title="Components, at most", axis=alt.Axis(labelAngle=0)),
        color=alt.Color(
            "condition:N", title=None, legend=alt.Legend(orient="top"), sort=None, scale=alt.Scale(range=list(METHODS))
        ),
    )
    y = alt.Y("value:Q", title=f"{measure.title()} with people", scale=alt.Scale(zero=False, nice=True))
    rule = base.mark_rule(opacity=0.5).encode(y=alt.Y("low:Q", title=""), y2="high:Q")
    layers = alt.layer(rule, base.mark_line().encode(y=y), base.mark_point(filled=True, size=60, opacity=1).encode(y=y))
    chart: Chart = layers.properties(width=_PANEL, height=_PANEL * 2 // 3).facet(
        facet=alt.Facet("dimension:N", sort=dimensions, title=None), columns=2
    )
    return chart


def chart_svg(chart: Chart, own_width: bool = False) -> bytes:
    """The chart on white ground, as a file for a paper."""
    stream = io.StringIO()
    (chart if own_width else chart.properties(width=_PAPER_WIDTH)).configure(**ON_PAPER).save(stream, format="svg")
    return stream.getvalue().encode()
