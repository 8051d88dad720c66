"""Trust in topics: how evenly somebody speaks about them, and how far they can be trusted at all."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from app.services.attributes.analysis import TopicAnalysis, TopicGrouping
from pages.components.shell.guide.explained import more_in_guide
from pages.components.shell.topics.topic_charts import SpreadGroup
from pages.components.shell.words import plain

SPREAD = (
    "Standard deviation of the shares over the topics. Low: somebody speaks about all topics alike (the paper's word "
    "is balanced). High: somebody stays with few (myopic)."
)
BY_CHANCE = "The spread of as many attributes when each falls on a topic at random: the fewer, the higher."
GRADES = {
    "chance": "by chance",
    "partly": "in part",
    "steady": "steady",
    "unknown": "not known",
}
AGREEMENT = (
    "Median adjusted Rand index over pairs of fits: 1 is the same groups every time, 0 is what shuffled labels reach."
)
BASELINE = (
    "What the same words, dealt at random, reach in the same way. Fits on resamples share most attributes, so even "
    "where there is nothing to find they agree above 0."
)
CONSENSUS = (
    "Attributes grouped by how often fits put them together. Together: of two in one group, the share of fits that "
    "keep them together. Apart: the same for two of different groups. Far apart is good."
)


def spreads(grouping: TopicGrouping, groups: Mapping[str, SpreadGroup]) -> None:
    count = len(grouping.topics)
    most = (count - 1) ** 0.5 / count
    over = "random starts" if grouping.varied == "seeds" else "resamples"
    rows = [
        {
            "Who": name,
            "Attributes": group.spread.n,
            "Spread": shares.spread,
            "By chance": group.spread.chance,
            "From": shares.spread_interval.low,
            "To": shares.spread_interval.high,
            "Topics never touched": ", ".join(str(topic) for topic in group.spread.empty) or "none",
        }
        for name, group in groups.items()
        if (shares := group.spread.by_top_topic) is not None
    ]
    st.markdown("**How evenly everybody speaks about all topics**", help=SPREAD + more_in_guide("spread"))
    st.dataframe(
        pd.DataFrame(rows),
        placeholder="–",
        hide_index=True,
        key="topic_spreads",
        column_config={
            "Spread": st.column_config.ProgressColumn(format="%.2f", min_value=0.0, max_value=most, help=SPREAD),
            "By chance": st.column_config.NumberColumn(format="%.2f", help=BY_CHANCE),
            "From": st.column_config.NumberColumn(format="%.2f", help=f"Middle 95 % over {over}."),
            "To": st.column_config.NumberColumn(format="%.2f", help=f"Middle 95 % over {over}."),
            "Topics never touched": st.column_config.TextColumn(help="Topics with none of somebody's attributes."),
        },
    )
    st.caption(
        f"Spread is the standard deviation of the shares. 0: the same share in each of the {count} topics; "
        f"{most:.2f}: everything in one. Few attributes spread unevenly by chance alone, so compare sets of "
        "like size, or each with its own spread by chance."
    )


def trust(found: TopicAnalysis, shown: TopicGrouping) -> None:
    st.markdown("**How far to trust these topics**", help=AGREEMENT + more_in_guide("trust"))
    rows = [_row(name, grouping) for name, grouping in (("LDA", found.lda), ("NMF", found.steady))]
    st.dataframe(
        pd.DataFrame(rows),
        placeholder="–",
        hide_index=True,
        key="topic_stability",
        column_config={
            "Agreement": st.column_config.NumberColumn(format="%.2f", help=AGREEMENT),
            "Lowest": st.column_config.NumberColumn(format="%.2f", help="The 2.5th percentile over pairs of fits."),
            "By chance": st.column_config.NumberColumn(format="%.2f", help=BASELINE),
            "Words shared": st.column_config.NumberColumn(
                format="%.2f", help="Of the ten top words of matched topics, the share that two fits have in common."
            ),
            "Repeats": st.column_config.TextColumn(help="How far agreement lies above chance: our grades."),
            "Together": st.column_config.NumberColumn(format="%.0f %%", help=CONSENSUS),
            "Apart": st.column_config.NumberColumn(format="%.0f %%", help=CONSENSUS),
        },
    )
    if shown.consensus.together is not None and shown.consensus.apart is not None:
        st.caption(
            plain(
                f"Consensus over {shown.stability.fits} fits: two attributes of one group come together in "
                f"{shown.consensus.together:.0%} of them, two of different groups in {shown.consensus.apart:.0%}. "
                "Each attribute's group is in the file."
            )
        )


def _row(name: str, grouping: TopicGrouping) -> dict[str, object]:
    stability, consensus = grouping.stability, grouping.consensus
    return {
        "Model": name,
        "Compared": f"{stability.fits} {'random starts' if grouping.varied == 'seeds' else 'resamples'}",
        "Agreement": stability.ari_median,
        "Lowest": stability.ari_low,
        "By chance": stability.baseline,
        "Words shared": stability.word_overlap,
        "Repeats": GRADES[stability.grade],
        "Together": None if consensus.together is None else 100 * consensus.together,
        "Apart": None if consensus.apart is None else 100 * consensus.apart,
    }
