"""Topics of the attributes: their words, and how each contributor spreads over them."""

import altair as alt
import pandas as pd
import streamlit as st

from app.services.analysis import GroupSpread, TopicAnalysis, TopicGrouping
from pages.components.conditions import condition_label, number
from pages.components.words import model_label, plain

LDA, STEADY = "LDA, the paper's model", "The steadier model"
# Okabe and Ito's colours: told apart by all kinds of colour vision, on light and dark ground.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
ROW_HEIGHT, CHART_MARGIN = 34, 110  # the margin holds the legend and the axis
SPREAD = (
    "Standard deviation of the shares over the topics. Low = balanced: the contributor speaks about all topics alike. "
    "High = myopic: the contributor stays with few topics."
)


def topics(found: TopicAnalysis, dimension_id: int, llms: str) -> None:
    """The verdict first; then the model of the person's choice. `llms`: what to call those that are not people."""
    st.markdown(f"**{plain(found.verdict)}**")
    model = st.segmented_control(
        "Topic model",
        [LDA, STEADY],
        default=LDA,
        required=True,
        key="topic_model",
        help="LDA is what InteractEval uses; its topics depend on the random start. The steadier model (NMF on "
        "the same words) repeats better.",
    )
    grouping = found.lda if model == LDA else found.steady
    if grouping.warning:
        st.warning(plain(grouping.warning), icon=":material/warning:")
    if not grouping.topics:
        return
    groups = _groups(grouping, llms)
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.altair_chart(_chart(grouping, groups), key=f"topic_shares_{dimension_id}")
        n = ", ".join(f"{name} {spread.n}" for name, spread in groups.items())
        st.caption(plain(f"Each attribute counted once, under its strongest topic. Attributes: {n}."))
    with right:
        for topic in grouping.topics:
            st.markdown(f"**Topic {topic.id}** ({number(topic.size, 'attribute')}): {plain(', '.join(topic.words))}")
    _spreads(grouping, groups)
    st.download_button(
        "Download the shares (CSV)",
        _shares(grouping, groups).to_csv(index=False),
        "topic_shares.csv",
        "text/csv",
        key="download_shares",
        on_click="ignore",
    )
    st.caption(plain(" ".join([grouping.model, *grouping.notes])))


def _groups(grouping: TopicGrouping, llms: str) -> dict[str, GroupSpread]:
    """Joint conditions, then contributors; only those with an attribute that has a topic.

    A condition that is but one contributor is left to the contributor.
    """
    alone = list(grouping.spreads.values())
    joint = {
        condition_label(code, llms): s for code, s in grouping.conditions.items() if ":" not in code and s not in alone
    }
    single = {model_label(name): spread for name, spread in grouping.spreads.items()}
    return {name: spread for name, spread in (joint | single).items() if spread.by_top_topic is not None}


def _shares(grouping: TopicGrouping, groups: dict[str, GroupSpread]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "group": name,
                "attributes": spread.n,
                "topic": f"Topic {topic.id}",
                "words": ", ".join(topic.words[:5]),
                "share": share,
                "low": interval.low,
                "high": interval.high,
            }
            for name, spread in groups.items()
            if spread.by_top_topic is not None
            for topic, share, interval in zip(
                grouping.topics, spread.by_top_topic.values, spread.by_top_topic.intervals, strict=True
            )
        ]
    )


def _chart(grouping: TopicGrouping, groups: dict[str, GroupSpread]) -> alt.Chart:
    names = [f"Topic {topic.id}" for topic in grouping.topics]
    over = "Middle 95 % over random starts" if grouping.varied == "seeds" else "Middle 95 % over resamples"
    chart: alt.Chart = (
        alt.Chart(_shares(grouping, groups))
        .mark_bar()
        .encode(
            y=alt.Y("group:N", sort=list(groups), title=None, axis=alt.Axis(labelLimit=220, labelOverlap=False)),
            x=alt.X("share:Q", title="Share of attributes", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1])),
            color=alt.Color(
                "topic:N",
                sort=names,
                title=None,
                scale=alt.Scale(domain=names, range=list(PALETTE[: len(names)])),
                legend=alt.Legend(orient="top"),
            ),
            order=alt.Order("topic:N"),
            tooltip=[
                alt.Tooltip("group:N", title="Who"),
                alt.Tooltip("topic:N", title="Topic"),
                alt.Tooltip("words:N", title="Words"),
                alt.Tooltip("share:Q", title="Share", format=".0%"),
                alt.Tooltip("low:Q", title=f"{over}, from", format=".0%"),
                alt.Tooltip("high:Q", title="to", format=".0%"),
            ],
        )
        .properties(height=CHART_MARGIN + ROW_HEIGHT * len(groups))
    )
    return chart


def _spreads(grouping: TopicGrouping, groups: dict[str, GroupSpread]) -> None:
    count = len(grouping.topics)
    most = (count - 1) ** 0.5 / count
    st.markdown(
        f"The spread (standard deviation of the shares) says how evenly somebody's attributes fall on the {count} "
        "topics: 0 is the same share everywhere "
        f"(balanced), {most:.2f} is everything in one topic (myopic)."
    )
    rows = [
        {
            "Who": name,
            "Attributes": spread.n,
            "Spread": shares.spread,
            "From": shares.spread_interval.low,
            "To": shares.spread_interval.high,
            "Topics never touched": ", ".join(str(topic) for topic in spread.empty) or "none",
        }
        for name, spread in groups.items()
        if (shares := spread.by_top_topic) is not None
    ]
    over = "random starts" if grouping.varied == "seeds" else "resamples"
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        key="topic_spreads",
        column_config={
            "Spread": st.column_config.ProgressColumn(format="%.2f", min_value=0.0, max_value=most, help=SPREAD),
            "From": st.column_config.NumberColumn(format="%.2f", help=f"Middle 95 % over {over}."),
            "To": st.column_config.NumberColumn(format="%.2f", help=f"Middle 95 % over {over}."),
        },
    )
