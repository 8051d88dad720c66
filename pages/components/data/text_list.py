"""The texts of a project, a page at a time."""

import pandas as pd
import streamlit as st

from app.domain.project import Project
from app.errors import InputError
from app.services.data.projects import dimensions_named
from app.services.data.texts import PAGE_SIZE, TextPage, text_page
from app.services.runtime.workbench import Workbench
from pages.components.data.text_view import OPEN_TEXT
from pages.components.shell.words import show_error

ID_HELP = "Long names are shortened in the middle; the search looks at the whole name."
EXCERPT = 200
SHOWN_ID, HEAD, TAIL = 24, 14, 6  # characters of a document's name


def text_list(workbench: Workbench, project: Project) -> None:
    """Search, pages of 20 with the mean rating per dimension; a click on a row opens its text."""
    search = st.text_input(
        "Search",
        placeholder="words in the text, a document, a system",
        key=f"text_search_{project.id}",
        icon=":material/search:",
        width=420,
    )
    try:
        page = text_page(workbench, project.id, 1, search)
    except InputError as error:
        show_error(error)
        return
    place = st.container()
    number = 1
    if page.pages > 1:
        number = st.pagination(page.pages, key=f"text_page_{project.id}_{search}")
    if number > 1:
        page = text_page(workbench, project.id, number, search)
    with place:
        if not page.texts:
            st.markdown("No text fits the search. Try fewer or other words.")
            return
        _table(workbench, project, page, number, search)


def _table(workbench: Workbench, project: Project, page: TextPage, number: int, search: str) -> None:
    first = (number - 1) * PAGE_SIZE + 1
    last = first + len(page.texts) - 1
    st.caption(f"{first:,} to {last:,} of {page.found:,} texts, with mean human ratings. Click a row to read its text.")
    dimensions = [d.name for d in dimensions_named(workbench, project.name, "all")]
    names = list(dict.fromkeys(dimension for _, dimension in page.means))
    ratings = [name for name in dimensions if name in names]
    event = st.dataframe(
        _frame(page, ratings),
        placeholder="–",
        hide_index=True,
        height="content",
        on_select="rerun",
        selection_mode="single-cell",
        key=f"texts_{project.id}_{number}_{search}",
        column_config={
            "Document": st.column_config.TextColumn(width=170, help=ID_HELP),
            "System": st.column_config.TextColumn(width=70),
            "Text": st.column_config.TextColumn(width=260),
            **{name: st.column_config.NumberColumn(width=85, format="%.2f") for name in ratings},
        },
    )
    cells = event["selection"]["cells"]
    if cells:
        st.session_state[OPEN_TEXT] = page.texts[cells[0][0]].id
        st.rerun()


def _frame(page: TextPage, ratings: list[str]) -> pd.DataFrame:
    columns: dict[str, list[object]] = {
        "Document": [_short(text.doc_id) for text in page.texts],
        "System": [text.system_id for text in page.texts],
        "Text": [" ".join(text.text[: 2 * EXCERPT].split())[:EXCERPT] for text in page.texts],
    }
    if not any(columns["System"]):
        del columns["System"]
    for name in ratings:
        columns[name] = [page.means.get((text.id, name)) for text in page.texts]
    return pd.DataFrame(columns)


def _short(name: str) -> str:
    """Long keys like “dm-test-8764fb95ba…” keep both ends; words are left to be cut where they stand."""
    return name if len(name) <= SHOWN_ID or " " in name else f"{name[:HEAD]}…{name[-TAIL:]}"
