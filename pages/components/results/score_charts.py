"""Scores beside ratings: every text, both distributions, and calibration."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import altair as alt
import pandas as pd
import streamlit as st

from app.domain.chart_colours import JUDGE, NEUTRAL, PERSON
from app.domain.project import Dimension
from app.domain.run import ScoredText
from app.services.results.chart_counts import (
    SourceCoefficient,
    by_source,
    calibration,
    pair_counts,
    score_distributions,
    shown_sources,
)
from app.services.results.results import DimensionResult
from pages.components.shell.labels import more_in_guide, plain
from pages.components.shell.runs.result_choices import ResultScope
from pages.components.shell.tables import Chart, picture

HELP = (
    "What the mean of the per-source level is made of. Marks far to the left: sources where the judge orders the texts "
    "otherwise than people. The tall line is the mean."
)


def source_strip(found: Sequence[SourceCoefficient]) -> None:
    known = [each for each in found if each.spearman is not None]
    if len(known) < 2:
        return
    shown = shown_sources(known)
    rows = pd.DataFrame([{"source": each.source, "spearman": each.spearman, "texts": each.n} for each in shown])
    scale = alt.Scale(domain=[min(0.0, float(rows["spearman"].min())), 1.0], padding=8, nice=False)
    marks = (
        alt.Chart(rows)
        .mark_tick(color=JUDGE, thickness=2, size=26, opacity=0.75)
        .encode(
            x=alt.X("spearman:Q", title="Spearman inside the source", scale=scale),
            tooltip=[
                alt.Tooltip("source:N", title="Source"),
                alt.Tooltip("spearman:Q", title="Spearman", format=".3f"),
                alt.Tooltip("texts:Q", title="Texts", format=","),
            ],
        )
    )
    whole = pd.DataFrame({"mean": [float(pd.Series([each.spearman for each in known]).mean())]})
    mean = alt.Chart(whole).mark_tick(color=NEUTRAL, thickness=3, size=56)
    chart = alt.layer(marks, mean.encode(x=alt.X("mean:Q"))).properties(height=130)
    without = len(found) - len(known)
    of_them = "" if len(shown) == len(known) else f" {len(shown):,} of them are drawn, evenly by their coefficient."
    said = f"n = {len(known):,} sources.{of_them}" + (
        f" {without:,} others have no coefficient: constant scores or ratings, or a single text." if without else ""
    )
    about = HELP + more_in_guide("levels")
    picture(chart, "Spearman of each source", "sources", "source_strip", said, about=about)


HEIGHT = 320
RATING, SCORE = "Mean human rating", "Judge's score"


@dataclass(frozen=True, slots=True)
class _Drawing:
    key: str
    title: str
    chart: Chart
    caption: str

    def show(self) -> None:
        picture(self.chart, self.title, self.key, self.key, self.caption)


def of_texts(result: DimensionResult) -> Hashable:
    """Return a cache key that ignores level and intervals: the same texts with the same scores and ratings."""
    return result.reading, result.soft, result.choices.include_partial, result.choices.systems


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs={DimensionResult: of_texts})
def _drawings(result: DimensionResult) -> list[_Drawing]:
    rows, dimension = result.compared, result.dimension
    n = f"n = {len(rows):,} texts."
    scatter, title = _scatter(rows, dimension, result.on_scale), "Score and rating of each text"
    if not result.on_scale:
        own = "Larger circle: more texts. Scores are on a scale of their own: only the order counts."
        return [_Drawing("scatter", title, scatter, f"{n} {own}")]
    return [
        _Drawing(
            "scatter",
            title,
            scatter,
            f"{n} The larger a circle, the more texts; on the dashed line judge and people agree.",
        ),
        _Drawing(
            "calibration",
            "Calibration: the mean score for each rating",
            _calibration(rows, dimension),
            f"{n} Line: the middle half of the scores. A good judge rises along the dashed line.",
        ),
        _Drawing(
            "distributions",
            "How scores and ratings are spread over the scale",
            _spread(rows, dimension),
            f"{n} A judge that uses another part of the scale than people shows here.",
        ),
    ]


def score_charts(result: DimensionResult) -> None:
    """Draw charts of the texts that have both a score and a rating."""
    if not result.compared:
        st.markdown("No text has both a score and a human rating here, so there is nothing to draw.")
        return
    first, *others = _drawings(result)
    if not others:
        first.show()
        return
    left, right = st.columns(2, gap="large")
    with left:
        first.show()
    with right:
        others[0].show()
    others[1].show()


def _axes(dimension: Dimension, rows: Sequence[ScoredText]) -> tuple[alt.Scale, pd.DataFrame]:
    """Return the scale for both axes, wide enough for ratings outside the dimension's range, and its diagonal."""
    values = [v for row in rows for v in (row.human, row.score) if v is not None]
    low, high = min(dimension.low, *values), max(dimension.high, *values)
    margin = (high - low) / 25
    scale = alt.Scale(domain=[low - margin, high + margin], nice=False, zero=False)
    return scale, pd.DataFrame({"human": [low, high], "score": [low, high]})


def _diagonal(data: pd.DataFrame, scale: alt.Scale) -> alt.Chart:
    chart: alt.Chart = (
        alt.Chart(data)
        .mark_line(strokeDash=[4, 4], color=NEUTRAL, strokeWidth=1)
        .encode(x=alt.X("human:Q", scale=scale, title=RATING), y=alt.Y("score:Q", scale=scale, title=SCORE))
    )
    return chart


def _scatter(rows: Sequence[ScoredText], dimension: Dimension, on_scale: bool) -> Chart:
    scale, diagonal = _axes(dimension, rows)
    counts = pd.DataFrame([{"human": p.human, "score": p.score, "texts": p.texts} for p in pair_counts(rows)])
    points = (
        alt.Chart(counts)
        .mark_circle(color=JUDGE, opacity=0.8)
        .encode(
            x=alt.X("human:Q", scale=scale, title=RATING),
            y=alt.Y("score:Q", scale=scale if on_scale else alt.Scale(zero=False), title=SCORE),
            size=alt.Size("texts:Q", title="Texts", scale=alt.Scale(range=[14, 420]), legend=None),
            tooltip=[
                alt.Tooltip("human:Q", title=RATING, format=".2f"),
                alt.Tooltip("score:Q", title=SCORE, format=".2f"),
                alt.Tooltip("texts:Q", title="Texts", format=","),
            ],
        )
    )
    layers = (_diagonal(diagonal, scale), points) if on_scale else (points,)
    return alt.layer(*layers).properties(height=HEIGHT)


def _spread(rows: Sequence[ScoredText], dimension: Dimension) -> alt.Chart:
    parts = score_distributions(rows, dimension.low, dimension.high)
    names = [f"{part.low:.3g} to {part.high:.3g}" for part in parts]
    data = pd.DataFrame(
        [
            {"part": name, "who": who, "texts": count, "share": count / len(rows)}
            for name, part in zip(names, parts, strict=True)
            for who, count in ((SCORE, part.scores), (RATING, part.ratings))
        ]
    )
    chart: alt.Chart = (
        alt.Chart(data)
        .mark_bar()
        .encode(
            x=alt.X("part:N", sort=names, title="Part of the scale", axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("who:N", sort=[SCORE, RATING]),
            y=alt.Y("share:Q", title="Share of the texts", axis=alt.Axis(format="%")),
            color=alt.Color(
                "who:N",
                sort=[SCORE, RATING],
                title=None,
                scale=alt.Scale(domain=[SCORE, RATING], range=[JUDGE, PERSON]),
                legend=alt.Legend(orient="top"),
            ),
            tooltip=[
                alt.Tooltip("who:N", title="Who"),
                alt.Tooltip("part:N", title="Part of the scale"),
                alt.Tooltip("texts:Q", title="Texts", format=","),
                alt.Tooltip("share:Q", title="Share", format=".0%"),
            ],
        )
        .properties(height=HEIGHT)
    )
    return chart


def _calibration(rows: Sequence[ScoredText], dimension: Dimension) -> Chart:
    scale, diagonal = _axes(dimension, rows)
    data = pd.DataFrame(
        [
            {"human": p.human, "score": p.score, "from": p.lower_quartile, "to": p.upper_quartile, "texts": p.texts}
            for p in calibration(rows, dimension.low, dimension.high)
        ]
    )
    base = alt.Chart(data).encode(
        x=alt.X("human:Q", scale=scale, title=RATING),
        tooltip=[
            alt.Tooltip("human:Q", title=RATING, format=".2f"),
            alt.Tooltip("score:Q", title="Mean score", format=".2f"),
            alt.Tooltip("from:Q", title="Middle half from", format=".2f"),
            alt.Tooltip("to:Q", title="to", format=".2f"),
            alt.Tooltip("texts:Q", title="Texts", format=","),
        ],
    )
    rule = base.mark_rule(color=JUDGE, strokeWidth=2).encode(y=alt.Y("from:Q", scale=scale, title=SCORE), y2="to:Q")
    point = base.mark_circle(color=JUDGE, opacity=1).encode(
        y=alt.Y("score:Q", scale=scale, title=SCORE),
        size=alt.Size("texts:Q", scale=alt.Scale(range=[30, 300]), legend=None),
    )
    return alt.layer(_diagonal(diagonal, scale), rule, point).properties(height=HEIGHT)


def result_charts(scope: ResultScope) -> None:
    st.subheader(plain(scope.dimension.name), anchor=False)
    result = scope.one("pictures")
    if result is not None:
        score_charts(result)
        source_strip(by_source(result.compared))
