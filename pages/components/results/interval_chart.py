"""Coefficients with their 95 % intervals, dimension by dimension."""

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from app.services.results.results import DimensionResult
from pages.components.shell.runs.result_choices import result_label

# Okabe and Ito's colours: told apart by all kinds of colour vision, on light and dark ground. Shapes say it again.
COLOURS = {"Spearman": "#0072B2", "Kendall tau-b": "#E69F00", "Pearson": "#009E73"}
SHAPES = {"Spearman": "circle", "Kendall tau-b": "square", "Pearson": "diamond"}
NAMES = {"spearman": "Spearman", "kendall": "Kendall tau-b", "pearson": "Pearson"}
AXIS = "Agreement with people: 0 is none, 1 is the same order"
ROW_HEIGHT, MARGIN = 54, 90  # the margin holds legend and axis


def interval_chart(results: Sequence[DimensionResult], several: bool) -> alt.LayerChart | alt.FacetChart | None:
    """None where no coefficient is defined."""
    rows = [
        {
            "what": result_label(result, several),
            "coefficient": NAMES[name],
            "value": figure.value,
            "low": figure.low,
            "high": figure.high,
            "n": figure.n,
        }
        for result in results
        for name, figure in result.meta.figures.items()
        if figure.value is not None
    ]
    if not rows:
        return None
    data = pd.DataFrame(rows)
    lowest = min(0.0, float(np.nanmin(data[["low", "value"]].to_numpy(dtype=float))))
    order = [result_label(result, several) for result in results]
    names = list(COLOURS)
    base = alt.Chart(data).encode(
        y=alt.Y("what:N", sort=order, title=None, axis=alt.Axis(labelLimit=260)),
        yOffset=alt.YOffset("coefficient:N", sort=names),
        color=alt.Color(
            "coefficient:N",
            sort=names,
            title=None,
            scale=alt.Scale(domain=names, range=list(COLOURS.values())),
            legend=alt.Legend(orient="top"),
        ),
        tooltip=[
            alt.Tooltip("what:N", title="Dimension"),
            alt.Tooltip("coefficient:N", title="Coefficient"),
            alt.Tooltip("value:Q", title="Value", format=".3f"),
            alt.Tooltip("low:Q", title="95 % from", format=".3f"),
            alt.Tooltip("high:Q", title="to", format=".3f"),
            alt.Tooltip("n:Q", title="Texts", format=","),
        ],
    )
    scale = alt.Scale(domain=[lowest, 1.0], nice=True)
    rule = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", scale=scale, title=AXIS, axis=alt.Axis(tickCount=10, format=".1f")), x2="high:Q"
    )
    point = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=alt.X("value:Q", scale=scale),
        shape=alt.Shape(
            "coefficient:N", sort=names, title=None, scale=alt.Scale(domain=names, range=list(SHAPES.values()))
        ),
    )
    zero = alt.Chart(pd.DataFrame({"x": [0.0]})).mark_rule(strokeDash=[4, 4], color="#8a93a0").encode(x="x:Q")
    return alt.layer(zero, rule, point).properties(height=MARGIN + ROW_HEIGHT * len(order))
