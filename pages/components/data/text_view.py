"""One text opened: the source beside it, references folded, who rated it how."""

import pandas as pd
import streamlit as st

from app.domain.project import Project
from app.errors import NotFoundError
from app.services.data.texts import RatedText, rated_text
from app.services.runtime.workbench import Workbench
from pages.components.shell.reading import readable_text
from pages.components.shell.words import number, plain

OPEN_TEXT = "open_text"


def text_view(workbench: Workbench, project: Project) -> None:
    """The text whose id the session holds; back leads to the list."""
    if st.button("Back to the list", key="back_to_texts", icon=":material/arrow_back:", type="tertiary"):
        del st.session_state[OPEN_TEXT]
        st.rerun()
    try:
        found = rated_text(workbench, project.id, st.session_state[OPEN_TEXT])
    except NotFoundError:  # another project was chosen meanwhile
        del st.session_state[OPEN_TEXT]
        st.rerun()
    text = found.text
    st.subheader(" · ".join(plain(part) for part in text.key if part), anchor=False)
    source, own = st.columns(2, gap="large")
    with source:
        st.caption(plain(project.task.source_name))
        readable_text(text.source or "none given", "open_source")
    with own:
        st.caption(plain(project.task.text_name))
        readable_text(text.text, "open_text_body")
        _ratings(found)
        if text.references:
            with st.expander(number(len(text.references), "reference"), key="references"):
                for reference in text.references:
                    st.text(reference)


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
