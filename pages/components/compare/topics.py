"""Topics of the attributes: the verdict on them first, then each contributor's shares."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import altair as alt
import pandas as pd
import streamlit as st

from app.domain.attribute import Attribute, ContributorKind
from app.domain.chart_colours import METHODS, NEUTRAL
from app.errors import WorkbenchError
from app.services.attributes.comparison import (
    DEFAULT_SEEDS,
    DEFAULT_TOPICS,
    FEWEST_TOPICS,
    MOST_SEEDS,
    MOST_TOPICS,
    CoherenceAt,
    GroupSpread,
    TopicAnalysis,
    TopicGrouping,
    pool_of,
    topic_coherence,
    topics_in,
)
from app.services.attributes.comparison_files import SPREAD_TITLE, spread_chart, spread_rows, topics_latex
from pages.components.compare.similarity import Names
from pages.components.shell.labels import more_in_guide, number, plain
from pages.components.shell.tables import Chart, colour_scale, csv_download, latex_download, picture, show_table

SHOWN_WORDS = 8


@dataclass(frozen=True, slots=True)
class SpreadGroup:
    """A contributor or condition; `kind` is None for people and LLMs together."""

    spread: GroupSpread
    kind: ContributorKind | None


MODELS = {"best": "The one that repeats better", "lda": "LDA, the paper's model", "nmf": "NMF"}


@dataclass(frozen=True, slots=True)
class TopicChoice:
    """The choices of both views: number of topics, random starts and the model (one of MODELS)."""

    count: int
    seeds: int
    model: str

    def grouping(self, found: TopicAnalysis) -> TopicGrouping:
        return {"best": found.leading, "lda": found.lda, "nmf": found.nmf}[self.model]


def topic_choice() -> TopicChoice:
    """Draw the choices, which are kept while another view is open."""
    with st.popover("Topic model", key="topic_model_choice", icon=":material/category:"):
        count = st.slider(
            "Topics",
            FEWEST_TOPICS,
            MOST_TOPICS,
            DEFAULT_TOPICS,
            key="topic_count",
            help=f"How many groups to look for; the paper uses {DEFAULT_TOPICS}.",
        )
        seeds = st.number_input(
            "Random starts",
            2,
            MOST_SEEDS,
            DEFAULT_SEEDS,
            key="topic_seeds",
            help="How often LDA is fitted anew. Intervals and agreement are over these.",
        )
        model = st.radio("Model", list(MODELS), format_func=MODELS.__getitem__, key="topic_model")
    return TopicChoice(int(count), int(seeds), model)


def topics(
    attributes: Sequence[Attribute], names: Names, dimension_id: int, of_task: tuple[str, ...], choice: TopicChoice
) -> None:
    found = _found(attributes, of_task, choice)
    if found is None:
        return
    st.markdown(f"**{plain(found.verdict)}**")
    grouping = choice.grouping(found)
    if grouping.warning and grouping.warning not in found.verdict:
        st.warning(plain(grouping.warning), icon=":material/warning:")
    if not grouping.topics:
        return
    groups = _groups(grouping, names)
    _picture(grouping, groups, dimension_id)
    spreads(grouping, groups)
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
    trust(found, grouping)
    _downloads(attributes, grouping, groups, names)
    _coherence(attributes, choice.count, of_task)
    st.caption(plain(" ".join([grouping.model + ".", *grouping.notes])))


def topic_spread(
    attributes: Sequence[Attribute], names: Names, dimension_id: int, of_task: tuple[str, ...], choice: TopicChoice
) -> None:
    """Draw each contributor's spread over the topics as a dot, beside the spread by chance of as many attributes."""
    st.subheader("Who spreads over all topics", anchor=False, help=SPREAD + more_in_guide("spread"))
    found = _found(attributes, of_task, choice)
    if found is None:
        return
    grouping = choice.grouping(found)
    rows = spread_rows(grouping, names.kinds, names.contributor)
    if not rows:
        st.markdown(plain(grouping.warning))
        return
    over = "random starts" if grouping.varied == "seeds" else "resamples"
    picture(
        spread_chart(rows, len(grouping.topics), names.short_kind("llm")),
        SPREAD_TITLE,
        "topic_spread",
        f"topic_spread_{dimension_id}",
        "Further left: somebody speaks about all topics alike. Grey: where 95 % of sets of that size lie when "
        f"attributes fall on topics at random; a dot right of it keeps to few topics. Line: the middle "
        f"95 % over {over}. {grouping.model}.",
        wide=True,
    )
    if grouping.warning:
        st.caption(plain(grouping.warning))


def _found(attributes: Sequence[Attribute], of_task: tuple[str, ...], choice: TopicChoice) -> TopicAnalysis | None:
    """Return the topics; None if they can't be found, with the reason shown."""
    try:
        with st.spinner(f"Fitting topics to {number(len(attributes), 'attribute')} from several random starts"):
            return topics_in(attributes, choice.count, choice.seeds, of_task)
    except WorkbenchError as error:
        st.markdown(plain(str(error)))
        return None


def _groups(grouping: TopicGrouping, names: Names) -> dict[str, SpreadGroup]:
    """Return conditions of several contributors, then contributors; only those with an attribute that has a topic.

    A condition of a single contributor is left out, as the contributor is there.
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
        "Share of attributes by topic",
        "topic_shares",
        f"topic_shares_{dimension_id}",
        "Bar: share of somebody's attributes under the topic, each counted once under its strongest topic. Line: the "
        f"middle 95 % over {over}; where lines overlap, the picture could as well be the other way round. "
        f"Attributes: {n}.",
        wide=True,
    )


def _sides(groups: dict[str, SpreadGroup]) -> list[str]:
    """Return the groups of people and of LLMs, if both exist: the first group of each kind is the joint one."""
    first: dict[ContributorKind, str] = {}
    for name, group in groups.items():
        if group.kind is not None:
            first.setdefault(group.kind, name)
    return list(first.values()) or list(groups)


def _downloads(
    attributes: Sequence[Attribute], grouping: TopicGrouping, groups: dict[str, SpreadGroup], names: Names
) -> None:
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
        rows = spread_rows(grouping, names.kinds, names.contributor)
        latex_download("Topics (LaTeX)", lambda: topics_latex(grouping, rows, names.contributor), "topics")


def _coherence(attributes: Sequence[Attribute], count: int, of_task: tuple[str, ...]) -> None:
    st.markdown("**How many topics?**")
    try:
        with st.spinner(f"Trying {FEWEST_TOPICS} to {MOST_TOPICS} topics"):
            found = topic_coherence(attributes, of_task)
    except WorkbenchError as error:
        st.markdown(plain(str(error)))
        return
    picture(
        coherence_chart(found, count),
        "Coherence by number of topics",
        "coherence",
        "coherence",
        "Coherence (NPMI): do the top words of a topic occur in the same attributes? 1 is always, -1 never. A peak "
        "speaks for that number of topics, but sets of a few dozen attributes give a rough guide only.",
    )


BAR, GAP, MARGIN = 17, 14, 70  # the margin holds legend and axis
LABEL_WORDS = 3


def share_rows(grouping: TopicGrouping, groups: Mapping[str, SpreadGroup]) -> pd.DataFrame:
    """Return a row for each group and topic; shares from 0 to 1."""
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
            "share:Q",
            title="Share of attributes",
            axis=alt.Axis(format="%", tickCount=8),
            scale=alt.Scale(domain=[0, highest]),
        ),
        color=alt.Color(
            "group:N",
            sort=order,
            title=None,
            scale=colour_scale({name: group.kind for name, group in groups.items()}),
            legend=alt.Legend(orient="top", labelLimit=260),
        ),
    )
    line = base.mark_rule(strokeWidth=1.5, color=NEUTRAL).encode(
        x="low:Q", x2="high:Q", yOffset=alt.YOffset("group:N", sort=order, bandPosition=0.5)
    )
    height = MARGIN + len(grouping.topics) * (BAR * len(order) + GAP)
    return alt.layer(bar, line).properties(height=height)


def coherence_chart(found: Sequence[CoherenceAt], chosen: int) -> Chart:
    """Return the chart. `chosen`: the number of topics shown above, marked by a line."""
    rows = [
        {"topics": at.n_topics, "model": model, "npmi": value.npmi, "umass": value.umass}
        for at in found
        for model, value in (("LDA", at.lda), ("NMF", at.nmf))
        if value.npmi is not None
    ]
    base = alt.Chart(pd.DataFrame(rows, columns=["topics", "model", "npmi", "umass"])).encode(
        x=alt.X("topics:Q", title="Topics", axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(zero=False)),
        y=alt.Y("npmi:Q", title="Coherence (NPMI)", scale=alt.Scale(zero=False)),
        color=alt.Color(
            "model:N",
            title=None,
            scale=alt.Scale(domain=["LDA", "NMF"], range=[METHODS[1], METHODS[0]]),
            legend=alt.Legend(orient="top"),
        ),
        tooltip=[
            alt.Tooltip("model:N", title="Model"),
            alt.Tooltip("topics:Q", title="Topics"),
            alt.Tooltip("npmi:Q", title="NPMI", format=".3f"),
            alt.Tooltip("umass:Q", title="UMass (near 0 is better)", format=".2f"),
        ],
    )
    mark = (
        alt.Chart(pd.DataFrame({"topics": [chosen]})).mark_rule(strokeDash=[4, 4], color=NEUTRAL).encode(x="topics:Q")
    )
    return alt.layer(mark, base.mark_line(), base.mark_point(filled=True, size=60)).properties(height=230)


SPREAD = (
    "Standard deviation of the shares over the topics. Low: somebody speaks about all topics alike (the paper's word "
    "is balanced). High: somebody stays with few (myopic)."
)
BY_CHANCE = "The spread of as many attributes when each falls on a topic at random: the fewer, the higher."
GRADES = {"chance": "by chance", "partly": "in part", "steady": "stable", "unknown": "not known"}
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
    show_table(
        rows,
        "topic_spreads",
        {
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
    rows = [_row(name, grouping) for name, grouping in (("LDA", found.lda), ("NMF", found.nmf))]
    show_table(
        rows,
        "topic_stability",
        {
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
