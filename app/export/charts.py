"""Charts of attributes, and of results for the HTML report and for papers."""

import base64
import io
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import altair as alt
import pandas as pd
import vl_convert

from app.domain.chart_colours import HEAT, INK, JUDGE, LLM, METHODS, NEUTRAL, ON_PAPER, PERSON

_SIDE, _WIDTH, _ROW = 220, 420, 26  # pixels: of a square plot, of an interval plot, of a row in it
_INTERVAL_LABELS, _APART = 280, 12  # pixels: for the labels of rows at least, and between them and the plot
_AREAS = (16, 324)  # of a dot for no text and for the most texts: squares of their diameters, 4 and 18 pixels
_DASHES = (3, 4)
_NUMBER = ".6~g"  # with the digits said: by itself Vega takes as few as tell the ticks apart, 1e+1 for 14
_LOOK: Mapping[str, Any] = {
    **ON_PAPER,
    "aria": False,  # an image is described by its text alone
    "axis": {**ON_PAPER["axis"], "gridColor": NEUTRAL, "labelFlush": False, "labelLimit": 0, "ticks": False},
}
_Chart = alt.Chart | alt.LayerChart | alt.FacetChart  # what Altair says that layers become


@dataclass(frozen=True, slots=True)
class ReportChart:
    """A chart. `svg`: an SVG document. `title`: its text alternative."""

    title: str
    svg: str

    @property
    def source(self) -> str:
        """Return a data URL of the whole chart."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg.encode()).decode()


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """A row of an interval plot. `low` and `high` are None without an interval."""

    label: str
    value: float
    low: float | None
    high: float | None
    n: int


def interval_plot(rows: Sequence[IntervalRow], title: str) -> ReportChart:
    """Return a plot with a dot for each row's value and a line for its interval, from -1 to 1."""
    labels = [f"{row.label} (n = {row.n:,})" for row in rows]
    labelled = [asdict(row) | {"label": label} for row, label in zip(rows, labels, strict=True)]
    ticks = alt.Axis(
        values=[-1, -0.5, 0, 0.5, 1],
        format=_NUMBER,
        domain=False,
        gridDash=alt.condition("datum.value == 0", alt.value([]), alt.value(_DASHES)),
    )
    scale = alt.Scale(domain=[-1, 1], clamp=True)
    across = alt.X("value:Q", scale=scale, axis=ticks, title=None)
    room = max(_INTERVAL_LABELS, *map(_room, labels))
    beside = alt.Axis(domain=False, labelPadding=_APART, minExtent=room + _APART)
    y = alt.Y("label:N", scale=alt.Scale(domain=labels), axis=beside, title=None)
    whole = "isValid(datum.low) && isValid(datum.high)"
    base = alt.Chart(alt.NamedData("rows"))
    lines = base.transform_filter(whole).mark_rule(color=JUDGE, strokeWidth=2)
    dots = base.mark_circle(color=JUDGE, opacity=1, size=64)
    layers = lines.encode(x=alt.X("low:Q"), x2="high:Q", y=y), dots.encode(x=across, y=y)
    return _drawn(alt.layer(*layers).properties(width=_WIDTH, height=alt.Step(_ROW)), title, rows=labelled)


def scatter(points: Sequence[tuple[float, float, int]], low: float, high: float, title: str) -> ReportChart:
    """Return a plot of (mean rating, score, texts): dots with an area by number of texts, and the line of equality."""
    dotted = [{"human": human, "score": score, "texts": texts} for human, score, texts in points]
    ends = [{"human": end, "score": end} for end in (low, high)]
    x, y = _across("human:Q", low, high, "people"), _upwards("score:Q", low, high, "score")
    most = max((texts for *_, texts in points), default=1)
    area = alt.Size("texts:Q", scale=alt.Scale(domain=[0, most], range=_AREAS), legend=None)
    equality = alt.Chart(alt.NamedData("ends")).mark_line(color=NEUTRAL, strokeDash=_DASHES, strokeWidth=1)
    dots = alt.Chart(alt.NamedData("points")).mark_circle(color=JUDGE, opacity=0.6)
    chart = alt.layer(equality.encode(x=x, y=y), dots.encode(x=x, y=y, size=area))
    return _drawn(_square(chart), title, points=dotted, ends=ends)


def distributions(bins: Sequence[tuple[float, float, int, int]], title: str) -> ReportChart:
    """Return a plot of (low, high, scores, ratings): two bars a bin, scores blue and ratings orange."""
    bars = [
        bar
        for low, high, scores, ratings in bins
        for bar in (
            {"from": low, "to": (low + high) / 2, "texts": scores, "colour": JUDGE},
            {"from": (low + high) / 2, "to": high, "texts": ratings, "colour": PERSON},
        )
    ]
    low, high = (bins[0][0], bins[-1][1]) if bins else (0, 1)
    most = max((max(scores, ratings) for *_, scores, ratings in bins), default=0)
    chart = (
        alt.Chart(alt.NamedData("bars"))
        .mark_bar()
        .encode(
            x=_across("from:Q", low, high, "scores (blue), people (orange)").bin("binned"),
            x2="to:Q",
            y=_upwards("texts:Q", 0, max(most, 1), "texts"),
            color=alt.Color("colour:N", scale=None),
        )
    )
    return _drawn(_square(chart), title, bars=bars)


def _across(field: str, low: float, high: float, title: str) -> alt.X:
    return alt.X(field, scale=_scale(low, high), axis=_ends(low, high), title=title)


def _upwards(field: str, low: float, high: float, title: str) -> alt.Y:
    """Return a y axis whose title is horizontal, above the axis."""
    above = {"titleAngle": 0, "titleAlign": "left", "titleBaseline": "bottom", "titleX": 0, "titleY": -10}
    return alt.Y(field, scale=_scale(low, high), axis=_ends(low, high, **above), title=title)


def _scale(low: float, high: float) -> alt.Scale:
    return alt.Scale(domain=[low, high], clamp=True, nice=False, zero=False)


def _ends(low: float, high: float, **more: Any) -> alt.Axis:
    return alt.Axis(values=[low, high], format=_NUMBER, grid=False, **more)


def _room(label: str) -> int:
    """Return the pixels that a label takes in a wide font; the reader's font isn't known."""
    return sum(13 if unicodedata.east_asian_width(sign) in "FW" else 9 if sign.isupper() else 7 for sign in label)


def _square(chart: _Chart) -> _Chart:
    return chart.properties(width=_SIDE, height=_SIDE)


def _drawn(chart: _Chart, title: str, **datasets: Sequence[Mapping[str, Any]]) -> ReportChart:
    """Render the chart. Its `datasets`, by name, bypass Altair, which would copy and check every row."""
    look = {"config": _LOOK, "usermeta": {}}  # in place of a theme that the process may have set for all charts
    spec = chart.to_dict() | {"datasets": datasets} | look
    version = alt.SCHEMA_VERSION.rpartition(".")[0]
    return ReportChart(title, vl_convert.vegalite_to_svg(spec, vl_version=version, allowed_base_urls=[]))


Chart = alt.Chart | alt.LayerChart | alt.FacetChart
PEOPLE, LLMS, BOTH = "people", "LLMs", "not known"
CHANCE = "chance, 95 %"
ROW = 30  # pixels: of a contributor
_LABELS = 240  # pixels: for the names of contributors at most
_PAPER_WIDTH = 460
_PANEL = 270  # pixels: two stand beside the sidebar on a small screen


@dataclass(frozen=True, slots=True)
class SpreadRow:
    """One contributor: the spread over topics with its ends over fits, and the spread of as many attributes by chance.

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
    """Return a chart with a dot for each contributor, people first, beside the range by chance."""
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
        x=alt.X("chance_low:Q", scale=scale, title=across, axis=alt.Axis(format=".2~f", tickCount=8)),
        x2="chance_high:Q",
        color=alt.Color("chance_words:N", scale=colour, legend=legend),
    )
    middle = base.mark_tick(thickness=2, size=ROW // 2, color=NEUTRAL).encode(x=alt.X("chance:Q", scale=scale))
    line = base.mark_rule(strokeWidth=1.5).encode(x=alt.X("low:Q", scale=scale), x2="high:Q", color=side)
    dot = base.mark_point(filled=True, size=110, opacity=1).encode(
        x=alt.X("spread:Q", scale=scale), color=side, shape=alt.Shape("side:N", scale=shape, legend=None)
    )
    return alt.layer(band, middle, line, dot).properties(height=alt.Step(ROW))


@dataclass(frozen=True, slots=True)
class LikenessCell:
    """The similarity of two sets, or within one; value: None without a pair."""

    first: str
    second: str
    value: float | None
    pairs: int
    attributes: str


_GRID_WIDTH, _WIDEST, _NARROWEST, _SLANTED, _CELL_HEIGHT = 600, 150, 44, 120, 40  # pixels


def likeness_grid(cells: Sequence[LikenessCell], measure: str) -> Chart:
    """Return a heat map of sets by sets, as wide as a 1,280 pixel screen has room for beside the navigation."""
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
    return alt.layer(filled, label).properties(width=width * len(order), height=_CELL_HEIGHT * len(order))


def sweep_chart(points: Sequence[Mapping[str, Any]], measure: str) -> Chart:
    """Return a chart over the number of components: a line a condition, a panel a dimension (Fig. 6 of InteractEval).

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


def chart_svg(chart: Chart, title: str, own_width: bool = False) -> bytes:
    """Return the chart under its title on a white background, as an SVG file for a paper."""
    stream = io.StringIO()
    titled = chart.properties(title=title)
    (titled if own_width else titled.properties(width=_PAPER_WIDTH)).configure(**ON_PAPER).save(stream, format="svg")
    return stream.getvalue().encode()
