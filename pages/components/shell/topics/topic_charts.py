"""Pictures of topics: who speaks about which, and how coherent they are with more or fewer of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import altair as alt
import pandas as pd

from app.domain.attribute import ContributorKind
from app.services.attributes.analysis import CoherenceAt, GroupSpread, TopicGrouping
from pages.components.shell.kind_colours import GREY, colour_scale
from pages.components.shell.picture import Chart

BAR, GAP, MARGIN = 17, 14, 70  # the margin holds legend and axis
LABEL_WORDS = 3


@dataclass(frozen=True, slots=True)
class SpreadGroup:
    """A contributor or condition; `kind` is None for people and LLMs together."""

    spread: GroupSpread
    kind: ContributorKind | None


def share_rows(grouping: TopicGrouping, groups: Mapping[str, SpreadGroup]) -> pd.DataFrame:
    """One row a group and topic; shares from 0 to 1."""
    return pd.DataFrame(
        [
            {
                "group": name,
                "attributes": group.spread.n,
                "topic": f"{topic.id} · {', '.join(topic.words[:LABEL_WORDS])}",
                "words": ", ".join(topic.words),
                "share": share,
                "low": interval.low,
                "high": interval.high,
                "empty in": empty,
                "mixture share": mixture,
            }
            for name, group in groups.items()
            if (top := group.spread.by_top_topic) is not None and (mixed := group.spread.by_mixture) is not None
            for topic, share, interval, empty, mixture in zip(
                grouping.topics, top.values, top.intervals, group.spread.empty_share, mixed.values, strict=True
            )
        ]
    )


def shares_chart(grouping: TopicGrouping, groups: Mapping[str, SpreadGroup]) -> Chart:
    data = share_rows(grouping, groups)
    order = list(groups)
    over = "random starts" if grouping.varied == "seeds" else "resamples"
    highest = min(1.0, float(data[["share", "high"]].to_numpy(dtype=float).max()) + 0.05)
    base = alt.Chart(data).encode(
        y=alt.Y(
            "topic:N", sort=None, title=None, axis=alt.Axis(labelLimit=330, labelFlush=False, ticks=False, domain=False)
        ),
        yOffset=alt.YOffset("group:N", sort=order),
        tooltip=[
            alt.Tooltip("group:N", title="Who"),
            alt.Tooltip("words:N", title="Topic"),
            alt.Tooltip("share:Q", title="Share", format=".0%"),
            alt.Tooltip("low:Q", title=f"Middle 95 % over {over}, from", format=".0%"),
            alt.Tooltip("high:Q", title="to", format=".0%"),
            alt.Tooltip("mixture share:Q", title="Share, each attribute divided over topics", format=".0%"),
            alt.Tooltip("empty in:Q", title=f"Empty in this part of the {over}", format=".0%"),
            alt.Tooltip("attributes:Q", title="Attributes"),
        ],
    )
    bar = base.mark_bar().encode(
        x=alt.X(
            "share:Q", title="Share of attributes", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, highest])
        ),
        color=alt.Color(
            "group:N",
            sort=order,
            title=None,
            scale=colour_scale({name: group.kind for name, group in groups.items()}),
            legend=alt.Legend(orient="top", labelLimit=260),
        ),
    )
    line = base.mark_rule(strokeWidth=1.5, color=GREY).encode(
        x="low:Q", x2="high:Q", yOffset=alt.YOffset("group:N", sort=order, bandPosition=0.5)
    )
    height = MARGIN + len(grouping.topics) * (BAR * len(order) + GAP)
    return alt.layer(bar, line).properties(height=height)


def coherence_chart(found: Sequence[CoherenceAt], chosen: int) -> Chart:
    """`chosen`: the number of topics shown above, marked by a line."""
    rows = [
        {"topics": at.n_topics, "model": model, "npmi": value.npmi, "umass": value.umass}
        for at in found
        for model, value in (("LDA", at.lda), ("NMF", at.steady))
        if value.npmi is not None
    ]
    base = alt.Chart(pd.DataFrame(rows, columns=["topics", "model", "npmi", "umass"])).encode(
        x=alt.X("topics:Q", title="Topics", axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(zero=False)),
        y=alt.Y("npmi:Q", title="Coherence (NPMI)", scale=alt.Scale(zero=False)),
        color=alt.Color(
            "model:N",
            title=None,
            scale=alt.Scale(domain=["LDA", "NMF"], range=["#CC79A7", "#009E73"]),
            legend=alt.Legend(orient="top"),
        ),
        tooltip=[
            alt.Tooltip("model:N", title="Model"),
            alt.Tooltip("topics:Q", title="Topics"),
            alt.Tooltip("npmi:Q", title="NPMI", format=".3f"),
            alt.Tooltip("umass:Q", title="UMass (near 0 is better)", format=".2f"),
        ],
    )
    mark = alt.Chart(pd.DataFrame({"topics": [chosen]})).mark_rule(strokeDash=[4, 4], color=GREY).encode(x="topics:Q")
    return alt.layer(mark, base.mark_line(), base.mark_point(filled=True, size=60)).properties(height=230)
