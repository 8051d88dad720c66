"""Topics: what the attributes behind the checklist are about, in short."""

import pandas as pd
import streamlit as st

from app.errors import WorkbenchError
from app.services.attributes.analysis import TopicGrouping, topics_of
from app.services.runtime.workbench import Workbench
from pages.components.shell.navigation.screens import link
from pages.components.shell.topics import BY_CHANCE
from pages.components.shell.words import model_label, plain

SPREAD_HELP = (
    "Standard deviation of the shares over the topics. Low: the contributor speaks about all topics alike (the paper's "
    "word is balanced). High: the contributor stays with few (myopic)."
)


def topic_summary(workbench: Workbench, project_id: int, dimension_id: int) -> None:
    """The topics that Compare shows with pictures."""
    try:
        with st.spinner("Fitting the topics"):
            found = topics_of(workbench, project_id, dimension_id)
    except WorkbenchError as error:
        st.markdown(plain(str(error)))
    else:
        st.markdown(plain(found.verdict))
        _spreads(found.leading)
    link("compare", "All topics, with pictures, on Compare")


def _spreads(found: TopicGrouping) -> None:
    rows = [
        {
            "Contributor": model_label(name),
            "Attributes": spread.n,
            "Spread": spread.by_top_topic.spread,
            "By chance": spread.chance,
        }
        for name, spread in found.spreads.items()
        if spread.by_top_topic is not None
    ]
    if not rows:
        return
    st.dataframe(
        pd.DataFrame(rows),
        placeholder="–",
        hide_index=True,
        key="topic_summary",
        width="content",
        column_config={
            "Spread": st.column_config.NumberColumn(format="%.2f", help=SPREAD_HELP),
            "By chance": st.column_config.NumberColumn(format="%.2f", help=BY_CHANCE),
        },
    )
    words = "; ".join(f"topic {topic.id}: {', '.join(topic.words[:4])}" for topic in found.topics)
    st.caption(plain(" ".join([f"Most typical words: {words}. {found.model}.", *found.notes])))
