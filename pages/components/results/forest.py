"""Forest plot: a panel a dimension, a dot and its interval for each method, and the human ceiling."""

from collections.abc import Mapping

import altair as alt
import pandas as pd

from app.domain.chart_look import FONT_SIZE, JUDGE, NEUTRAL, PERSON
from app.services.results.method_grid import FIGURES, Ceiling, FigureName, MethodGrid
from pages.components.shell.picture import Chart

AXES: dict[FigureName, str] = {
    "spearman": "Spearman correlation with the mean rating",
    "kendall": "Kendall's tau-b with the mean rating",
    "pearson": "Pearson correlation with the mean rating",
    "mae": "Mean absolute error (points of the rating scale)",
}
METHOD, CEILING = "method, 95 % interval", "human ceiling"
SCREEN_WIDTH, PAPER_WIDTH = 1000, 460  # pixels for labels and panels together
LABELS, LETTER = 240, 7  # pixels: for the labels of methods at most, and for each letter
ROW, MARGIN = 28, 0.04  # pixels; share of the axis left free at its ends


def forest_chart(
    grid: MethodGrid, name: FigureName, ceilings: Mapping[tuple[str, str], Ceiling], on_paper: bool = False
) -> Chart | None:
    """None where no method has the figure. on_paper: two panels a row, so that letters are readable in a column."""
    rows = _rows(grid, name, ceilings)
    if rows.empty:
        return None
    dimensions = [name for name in grid.dimensions if name in set(rows["dimension"])]
    panels = min(len(dimensions), 2 if on_paper else 4)
    methods = [row.label for row in grid.rows]
    labels = min(LABELS, LETTER * max(map(len, methods)) + 20)
    width = max(120, ((PAPER_WIDTH if on_paper else SCREEN_WIDTH) - labels) // panels - 20)
    scale = alt.Scale(domain=_domain(rows), nice=False, zero=False)
    x = alt.X("value:Q", scale=scale, title=None, axis=alt.Axis(format=".2~f", tickCount=max(3, width // 55)))
    y = alt.Y("method:N", sort=methods, title=None, axis=alt.Axis(labelLimit=LABELS))
    shown = alt.Scale(domain=[METHOD, CEILING], range=[JUDGE, PERSON])
    base = alt.Chart().encode(y=y, tooltip=_tooltip(name))
    legend = alt.Legend(orient="bottom", title=None, labelLimit=0, offset=6)
    colour = alt.Color("shown:N", scale=shown, legend=legend)

    def named(what: str) -> alt.Chart:
        """The base with `what` as its name in the legend."""
        found: alt.Chart = base.transform_calculate(shown=f"'{what}'").encode(color=colour)
        return found

    ceiling = named(CEILING).mark_tick(thickness=2.5, size=ROW, opacity=0.9).encode(x=alt.X("ceiling:Q", scale=scale))
    line = named(METHOD).mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", scale=scale), x2="high:Q")
    dot = named(METHOD).mark_point(filled=True, size=70, opacity=1).encode(x=x)
    layers = [ceiling, line, dot] if rows["ceiling"].notna().any() else [line, dot]
    if scale.domain[0] < 0 < scale.domain[1]:
        zero = (
            alt.Chart()
            .mark_rule(strokeDash=[4, 4], color=NEUTRAL, aria=False)
            .encode(x=alt.datum(0, type="quantitative"))
        )
        layers.insert(0, zero)
    header = alt.Header(
        title=AXES[name],
        titleOrient="bottom",
        titleFontSize=FONT_SIZE,
        titleFontWeight="normal",
        labelFontSize=FONT_SIZE + 1,
        labelFontWeight="bold",
        labelPadding=4,
    )
    title = alt.TitleParams(f"{FIGURES[name]} by method and dimension", anchor="start", fontSize=FONT_SIZE + 2)
    chart: Chart = (
        alt.layer(*layers, data=rows)
        .properties(width=width, height=alt.Step(ROW))
        .facet(facet=alt.Facet("dimension:N", sort=dimensions, header=header), columns=panels, spacing=20)
        .properties(title=title)
    )
    return chart


def forest_caption(grid: MethodGrid, name: FigureName, ceilings: Mapping[tuple[str, str], Ceiling]) -> str:
    """What the marks are, and the texts of each panel."""
    counts = []
    for dimension in grid.dimensions:
        found = sorted({f.n for row in grid.rows if (f := row.figure(dimension, name)) and f.value is not None})
        if found:
            counts.append(f"{dimension} {found[0]:,}" + (f" to {found[-1]:,}" if len(found) > 1 else ""))
    human = " Human ceiling: what one rater reaches against the others, on the method's texts." if ceilings else ""
    return f"Dot: {FIGURES[name]}; line: its 95 % interval.{human} n (texts): {', '.join(counts)}."


def _rows(grid: MethodGrid, name: FigureName, ceilings: Mapping[tuple[str, str], Ceiling]) -> pd.DataFrame:
    rows = []
    for row in grid.rows:
        for dimension, result in row.results.items():
            figure = row.figure(dimension, name)
            if figure is None or figure.value is None:
                continue
            ceiling = ceilings.get((row.label, dimension))
            rows.append(
                {
                    "dimension": dimension,
                    "method": row.label,
                    "run": result.run.id,
                    "value": figure.value,
                    "low": figure.low,
                    "high": figure.high,
                    "n": figure.n,
                    "ceiling": None if ceiling is None else ceiling.value,
                }
            )
    numbers = ["value", "low", "high", "ceiling"]
    return pd.DataFrame(rows).astype(dict.fromkeys(numbers, float)) if rows else pd.DataFrame()


def _domain(rows: pd.DataFrame) -> list[float]:
    """From the least to the highest of what is drawn, with a margin."""
    drawn = rows[["value", "low", "high", "ceiling"]]
    low, high = float(drawn.min().min()), float(drawn.max().max())
    margin = MARGIN * (high - low) or 0.05
    return [low - margin, high + margin]


def _tooltip(name: FigureName) -> list[alt.Tooltip]:
    return [
        alt.Tooltip("method:N", title="Method"),
        alt.Tooltip("dimension:N", title="Dimension"),
        alt.Tooltip("value:Q", title=FIGURES[name], format=".3f"),
        alt.Tooltip("low:Q", title="95 % from", format=".3f"),
        alt.Tooltip("high:Q", title="to", format=".3f"),
        alt.Tooltip("ceiling:Q", title="Human ceiling", format=".3f"),
        alt.Tooltip("n:Q", title="Texts", format=","),
        alt.Tooltip("run:N", title="Run"),
    ]
