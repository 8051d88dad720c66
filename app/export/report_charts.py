"""Charts of the HTML report: Vega-Lite drawn to SVG on this machine. Each is an image of its
own, so that nothing in it can reach the page."""

import base64
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import altair as alt
import vl_convert

from app.domain.chart_look import JUDGE, NEUTRAL, ON_PAPER, PERSON

_SIDE, _WIDTH, _ROW = 220, 420, 26  # pixels: of a square plot, of an interval plot, of a row in it
_LABELS, _APART = 280, 12  # pixels: for the labels of rows at least, and between them and the plot
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
    """`svg`: a document of its own. `title`: plain text that stands for it where it isn't seen."""

    title: str
    svg: str

    @property
    def source(self) -> str:
        """The address of an image that holds the whole chart."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg.encode()).decode()


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """A row of an interval plot. `low` and `high` are None where there is no interval."""

    label: str
    value: float
    low: float | None
    high: float | None
    n: int


def interval_plot(rows: Sequence[IntervalRow], title: str) -> ReportChart:
    """One row each: a dot for the value, a line for its interval, from -1 to 1."""
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
    room = max(_LABELS, *map(_room, labels))
    beside = alt.Axis(domain=False, labelPadding=_APART, minExtent=room + _APART)
    y = alt.Y("label:N", scale=alt.Scale(domain=labels), axis=beside, title=None)
    whole = "isValid(datum.low) && isValid(datum.high)"
    base = alt.Chart(alt.NamedData("rows"))
    lines = base.transform_filter(whole).mark_rule(color=JUDGE, strokeWidth=2)
    dots = base.mark_circle(color=JUDGE, opacity=1, size=64)
    layers = lines.encode(x=alt.X("low:Q"), x2="high:Q", y=y), dots.encode(x=across, y=y)
    return _drawn(alt.layer(*layers).properties(width=_WIDTH, height=alt.Step(_ROW)), title, rows=labelled)


def scatter(points: Sequence[tuple[float, float, int]], low: float, high: float, title: str) -> ReportChart:
    """(mean rating, score, texts) each as a dot with an area by its texts, and the line of equality."""
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
    """(low, high, scores, ratings) each as two bars beside each other: scores blue, ratings orange."""
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
    """Its title stands level above the axis."""
    above = {"titleAngle": 0, "titleAlign": "left", "titleBaseline": "bottom", "titleX": 0, "titleY": -10}
    return alt.Y(field, scale=_scale(low, high), axis=_ends(low, high, **above), title=title)


def _scale(low: float, high: float) -> alt.Scale:
    return alt.Scale(domain=[low, high], clamp=True, nice=False, zero=False)


def _ends(low: float, high: float, **more: Any) -> alt.Axis:
    return alt.Axis(values=[low, high], format=_NUMBER, grid=False, **more)


def _room(label: str) -> int:
    """Pixels that a label takes in a wide font: how wide a reader's is, isn't known here."""
    return sum(13 if unicodedata.east_asian_width(sign) in "FW" else 9 if sign.isupper() else 7 for sign in label)


def _square(chart: _Chart) -> _Chart:
    return chart.properties(width=_SIDE, height=_SIDE)


def _drawn(chart: _Chart, title: str, **datasets: Sequence[Mapping[str, Any]]) -> ReportChart:
    """`datasets` by their names in the chart; Altair, which would copy and check every row, doesn't see them."""
    look = {"config": _LOOK, "usermeta": {}}  # in place of a theme that the process may have set for all charts
    spec = chart.to_dict() | {"datasets": datasets} | look
    version = alt.SCHEMA_VERSION.rpartition(".")[0]
    return ReportChart(title, vl_convert.vegalite_to_svg(spec, vl_version=version, allowed_base_urls=[]))
