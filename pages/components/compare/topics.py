"""Topics of the attributes: the verdict on them first, then who speaks about what."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from app.domain.attribute import Attribute, ContributorKind
from app.errors import WorkbenchError
from app.services.attributes.analysis import TopicGrouping, pool_of, topic_coherence, topics_in
from pages.components.compare.similarity import Names
from pages.components.shell.picture import picture
from pages.components.shell.tables import csv_download
from pages.components.shell.topics import SpreadGroup, coherence_chart, share_rows, shares_chart, spreads, trust
from pages.components.shell.words import number, plain

COUNT, SEEDS, MOST_SEEDS = 5, 20, 200
SHOWN_WORDS = 8


def topics(attributes: Sequence[Attribute], names: Names, dimension_id: int, of_task: tuple[str, ...]) -> None:
    count, seeds = _how_many()
    try:
        with st.spinner(f"Fitting topics to {number(len(attributes), 'attribute')} from several random starts"):
            found = topics_in(attributes, count, seeds, of_task)
    except WorkbenchError as error:
        st.markdown(plain(str(error)))
        return
    st.markdown(f"**{plain(found.verdict)}**")
    grouping = found.leading
    if grouping.warning and grouping.warning not in found.verdict:
        st.warning(plain(grouping.warning), icon=":material/warning:")
    if not grouping.topics:
        return
    groups = _groups(grouping, names)
    _picture(grouping, groups, dimension_id)
    spreads(grouping, groups)
    _words(grouping, names)
    trust(found, grouping)
    _downloads(attributes, grouping, groups)
    _coherence(attributes, count, of_task)
    st.caption(plain(" ".join([grouping.model + ".", *grouping.notes])))


def _how_many() -> tuple[int, int]:
    left, right, _ = st.columns([2, 1, 2], gap="large")
    count = left.slider(
        "Topics", 2, 12, COUNT, key="topic_count", help="How many groups to look for; the paper uses 5."
    )
    seeds = right.number_input(
        "Random starts",
        2,
        MOST_SEEDS,
        SEEDS,
        key="topic_seeds",
        help="How often LDA is fitted anew. Intervals and agreement are over these.",
    )
    return int(count), int(seeds)


def _groups(grouping: TopicGrouping, names: Names) -> dict[str, SpreadGroup]:
    """Conditions of several, then contributors; only those with an attribute that has a topic.

    A condition that is but one contributor is left to the contributor.
    """
    single = {names.contributor(n): SpreadGroup(s, names.kinds[n]) for n, s in grouping.spreads.items()}
    alone = list(grouping.spreads.values())
    joint = {
        names.condition(code): SpreadGroup(spread, names.condition_kind(code))
        for code, spread in grouping.conditions.items()
        if ":" not in code and spread not in alone
    }
    return {name: group for name, group in (joint | single).items() if group.spread.by_top_topic is not None}


def _picture(grouping: TopicGrouping, groups: dict[str, SpreadGroup], dimension_id: int) -> None:
    shown = st.multiselect(
        "Who to show",
        list(groups),
        default=_sides(groups),
        key=f"topic_groups_{dimension_id}_{len(groups)}",
        help="People are blue, LLMs orange, both together grey.",
    )
    if not shown:
        st.markdown("Choose at least one.")
        return
    chosen = {name: groups[name] for name in groups if name in shown}
    n = ", ".join(f"{name} {group.spread.n}" for name, group in chosen.items())
    over = "random starts" if grouping.varied == "seeds" else "resamples"
    picture(
        shares_chart(grouping, chosen),
        "topic_shares",
        f"topic_shares_{dimension_id}",
        "Bar: share of somebody's attributes under the topic, each counted once under its strongest topic. Line: the "
        f"middle 95 % over {over}; where lines overlap, the picture could as well be the other way round. "
        f"Attributes: {n}.",
        wide=True,
    )


def _sides(groups: dict[str, SpreadGroup]) -> list[str]:
    """People against LLMs where both are there: the first group of each kind is the joint one."""
    first: dict[ContributorKind, str] = {}
    for name, group in groups.items():
        if group.kind is not None:
            first.setdefault(group.kind, name)
    return list(first.values()) or list(groups)


def _words(grouping: TopicGrouping, names: Names) -> None:
    st.markdown("**What each topic is about**")
    left, right = st.columns(2, gap="large")
    for topic in grouping.topics:
        with (left, right)[(topic.id - 1) % 2]:
            sides = ", ".join(f"{names.kind(kind)} {size}" for kind, size in topic.by_kind.items())
            title = f"{topic.id}: {', '.join(topic.words[:SHOWN_WORDS])} · {number(topic.size, 'attribute')}"
            with st.expander(plain(title), key=f"topic_{topic.id}"):
                st.caption(plain(f"{sides}. The attributes that belong to it most:"))
                for said in topic.representatives:
                    st.text(f"{said.text} ({names.contributor(said.contributor)})")


def _downloads(attributes: Sequence[Attribute], grouping: TopicGrouping, groups: dict[str, SpreadGroup]) -> None:
    pool = pool_of(attributes)
    labels = pd.DataFrame(
        {
            "contributor": pool.owners,
            "attribute": pool.texts,
            "topic": grouping.labels,
            "consensus group": [label + 1 for label in grouping.consensus.labels],
        }
    )
    with st.container(horizontal=True):
        csv_download("Shares (CSV)", share_rows(grouping, groups), "topic_shares")
        csv_download("Attributes with topics (CSV)", labels, "topics_of_attributes")


def _coherence(attributes: Sequence[Attribute], count: int, of_task: tuple[str, ...]) -> None:
    st.markdown("**How many topics?**")
    try:
        with st.spinner("Trying 2 to 12 topics"):
            found = topic_coherence(attributes, of_task)
    except WorkbenchError as error:
        st.markdown(plain(str(error)))
        return
    picture(
        coherence_chart(found, count),
        "coherence",
        "coherence",
        "Coherence (NPMI): do the top words of a topic occur in the same attributes? 1 is always, -1 never. A peak "
        "speaks for that number of topics, but sets of a few dozen attributes give a rough guide only.",
    )
