"""Small pictures for a page that must need nothing else: plain SVG, texts escaped, colours that the colour-blind tell
apart (Okabe and Ito)."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

_BLUE, _ORANGE, _GREY = "#0072b2", "#e69f00", "#9aa3ae"
_ROW = 26
_SIZE, _EDGE = 260, 34  # of a square picture in pixels, and of the room for its axes


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """A row of an interval plot. `low` and `high` are None where there is no interval."""

    label: str
    value: float
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Scale:
    low: float
    high: float

    def x(self, value: float) -> float:
        return round(_EDGE + (self._share(value)) * (_SIZE - _EDGE - 8), 1)

    def y(self, value: float) -> float:
        return round(_SIZE - _EDGE - self._share(value) * (_SIZE - _EDGE - 8), 1)

    def _share(self, value: float) -> float:
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0) if self.high > self.low else 0.0


def interval_plot(rows: Sequence[IntervalRow], title: str) -> Markup:
    """One row each: a dot for the value, a line for its interval, from -1 to 1."""
    left, width, height = 300, 420, _ROW * len(rows) + 40

    def across(value: float) -> float:
        return round(left + (min(max(value, -1.0), 1.0) + 1) / 2 * width, 1)

    parts = [
        _line(across(tick), 0, across(tick), height - 24, _GREY, dashed=tick != 0)
        + _text(across(tick), height - 8, f"{tick:g}", "middle")
        for tick in (-1, -0.5, 0, 0.5, 1)
    ]
    for place, row in enumerate(rows):
        y = _ROW * place + 14
        parts.append(_text(left - 12, y + 4, f"{row.label} (n = {row.n:,})", "end"))
        if row.low is not None and row.high is not None:
            parts.append(_line(across(row.low), y, across(row.high), y, _BLUE, 2))
        parts.append(_dot(across(row.value), y, 4.5, 1.0))
    return _svg(left + width + 20, height, title, parts)


def scatter(points: Sequence[tuple[float, float, int]], low: float, high: float, title: str) -> Markup:
    """(mean rating, score, texts) each as a dot with an area by its texts, and the line of equality."""
    scale, most = Scale(low, high), max((texts for *_, texts in points), default=1)
    parts = _axes(scale, "people", "score")
    parts.append(_line(scale.x(low), scale.y(low), scale.x(high), scale.y(high), _GREY, dashed=True))
    parts += [_dot(scale.x(human), scale.y(score), 2 + 7 * (n / most) ** 0.5, 0.6) for human, score, n in points]
    return _svg(_SIZE, _SIZE, title, parts)


def distributions(bins: Sequence[tuple[float, float, int, int]], title: str) -> Markup:
    """(low, high, scores, ratings) each as two bars beside each other: scores blue, ratings orange."""
    scale = Scale(bins[0][0], bins[-1][1]) if bins else Scale(0, 1)
    most = max((max(scores, ratings) for *_, scores, ratings in bins), default=1)
    counts = Scale(0, max(most, 1))
    parts = _axes(scale, "scores (blue), people (orange)", "texts", counts)
    for low, high, scores, ratings in bins:
        half = (scale.x(high) - scale.x(low)) / 2
        for start, count, colour in ((scale.x(low), scores, _BLUE), (scale.x(low) + half, ratings, _ORANGE)):
            top = counts.y(count)
            parts.append(
                Markup('<rect x="{}" y="{}" width="{}" height="{}" fill="{}"/>').format(
                    round(start + 1, 1), top, round(half - 1, 1), round(counts.y(0) - top, 1), colour
                )
            )
    return _svg(_SIZE, _SIZE, title, parts)


def _axes(scale: Scale, below: str, beside: str, upwards: Scale | None = None) -> list[Markup]:
    up = upwards or scale
    return [
        _line(scale.x(scale.low), up.y(up.low), scale.x(scale.high), up.y(up.low), _GREY),
        _line(scale.x(scale.low), up.y(up.low), scale.x(scale.low), up.y(up.high), _GREY),
        _text(scale.x(scale.low), _SIZE - 18, f"{scale.low:g}", "middle"),
        _text(scale.x(scale.high), _SIZE - 18, f"{scale.high:g}", "middle"),
        _text((scale.x(scale.low) + scale.x(scale.high)) / 2, _SIZE - 4, below, "middle"),
        _text(_EDGE - 6, up.y(up.low) + 4, f"{up.low:g}", "end"),
        _text(_EDGE - 6, up.y(up.high) + 10, f"{up.high:g}", "end"),
        _text(_EDGE + 6, 12, beside, "start"),
    ]


def _svg(width: float, height: float, title: str, parts: Sequence[Markup]) -> Markup:
    return Markup(
        '<svg viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img" aria-label="{2}" '
        'font-family="system-ui, sans-serif" font-size="12" fill="#1c2430"><title>{2}</title>{3}</svg>'
    ).format(width, height, title, Markup("").join(parts))


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1, dashed: bool = False) -> Markup:
    dash = Markup(' stroke-dasharray="3 4"') if dashed else Markup("")
    return Markup('<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="{}" stroke-width="{}"{}/>').format(
        x1, y1, x2, y2, colour, width, dash
    )


def _dot(x: float, y: float, radius: float, opacity: float) -> Markup:
    return Markup('<circle cx="{}" cy="{}" r="{}" fill="{}" fill-opacity="{}"/>').format(
        x, y, round(radius, 1), _BLUE, opacity
    )


def _text(x: float, y: float, said: str, anchor: str) -> Markup:
    return Markup('<text x="{}" y="{}" text-anchor="{}">{}</text>').format(x, y, anchor, escape(said))
