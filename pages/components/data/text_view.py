"""One text to read in full, who rated it how, and what it was written about."""

import pandas as pd
import streamlit as st

from app.domain.project import Project
from app.domain.text import text_title
from app.services.data.texts import RatedText
from pages.components.shell.reading import readable_text
from pages.components.shell.words import number, plain


def text_view(project: Project, found: RatedText) -> None:
    """The text at its full length; what it was written about scrolls in its own place below."""
    text = found.text
    st.subheader(plain(text_title(text)), anchor=False)
    st.caption(" · ".join(plain(part) for part in text.key if part))
    st.caption(plain(project.task.text_name))
    with st.container(key="open_text_body"):
        st.text(text.text, width="stretch")
    _ratings(found)
    if text.references:
        with st.expander(number(len(text.references), "reference"), key="references"):
            for reference in text.references:
                st.text(reference)
    st.caption(plain(project.task.source_name))
    readable_text(text.source or "none given", "open_source")


def _ratings(found: RatedText) -> None:
    if not found.ratings:
        st.caption("Nobody has rated this text.")
        return
    frame = pd.DataFrame(found.ratings, columns=["Dimension", "Rater", "Rating"])
    order = list(dict.fromkeys(frame["Dimension"]))
    table = frame.pivot_table(index="Dimension", columns="Rater", values="Rating", sort=False).reindex(order)
    table.insert(0, "mean", table.mean(axis=1))
    st.caption("Human ratings")
    st.dataframe(
        table.reset_index(),
        placeholder="–",
        hide_index=True,
        key="text_ratings",
        width="content",
        column_config={"mean": st.column_config.NumberColumn(format="%.2f")},
    )
