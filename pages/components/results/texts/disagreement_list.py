"""The texts where judge and people differ most, or by their scores where none is rated; choosing one opens it."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from app.domain.project import Project
from app.domain.run import ScoredText
from app.services.data.projects import text_titles
from app.services.results.result_texts import Disagreement, disagreements
from app.services.runtime.workbench import Workbench
from pages.components.results.texts.text_filter import text_filter
from pages.components.shell.navigation.screens import link
from pages.components.shell.tables import WRITER, page_key, ticked_table, with_writers
from pages.components.shell.words import number, plain

PAGE_SIZE = 20
OTHER_SCALE = (
    "Scores of this method are on a scale of their own. The difference is that of the places among all texts: 1 "
    "is from the lowest to the highest."
)
TEXT = "text"


def open_text_id() -> int | None:
    """The text that is open, by its number in the address."""
    wanted = st.query_params.get(TEXT, "")
    return int(wanted) if wanted.isdecimal() else None


def open_text(text_id: int | None) -> None:
    if text_id is None:
        st.query_params.pop(TEXT, None)
    else:
        st.query_params[TEXT] = str(text_id)


def show_in_list(place: int | None, scope: str) -> None:
    """The page of the list with this place on it, from the next drawing on."""
    if place is not None:
        st.session_state[page_key(_table_key(scope))] = place // PAGE_SIZE + 1


def _table_key(scope: str) -> str:
    return f"disagreements_{scope}"


def by_score(rows: Sequence[ScoredText]) -> list[ScoredText]:
    """Those that have a score, the lowest first; equals in import order."""
    return sorted((row for row in rows if row.score is not None), key=lambda row: (row.score or 0.0, row.text))


def scored_list(workbench: Workbench, project: Project, rows: Sequence[ScoredText], scope: str) -> None:
    """Of texts that nobody rated: what the judge gave them."""
    st.markdown(
        "No text has both a score and a human rating here, so nothing can be compared. Import ratings on Texts; or "
        "have experts answer the checklist, and look at where they and the judge differ on Disagreements."
    )
    with st.container(horizontal=True):
        link("answer", "Let experts answer")
        link("data", "Import ratings", parameters={"section": "Import"})
    if scored := by_score(rows):
        st.caption(f"{number(len(scored), 'text')}, those with the lowest scores first. Tick one to open it.")
        ticked_table(scored, partial(_scores, workbench, project), _open_row, _COLUMNS, _table_key(scope), PAGE_SIZE)


def _open_row(row: ScoredText | None) -> None:
    open_text(row.text if row else None)


def _scores(workbench: Workbench, project: Project, page: Sequence[ScoredText]) -> pd.DataFrame:
    titles = text_titles(workbench, project.id, [row.text for row in page])
    rows = [
        {
            "Text": titles.get(row.text, row.doc_id),
            WRITER: row.system_id,
            "Judge": row.score,
            "Answered": row.coverage,
        }
        for row in page
    ]
    return with_writers(pd.DataFrame(rows), project.task)


def disagreement_list(
    workbench: Workbench, project: Project, rows: Sequence[ScoredText], scope: str, on_scale: bool
) -> None:
    """`rows` have a score and a rating. `scope` keeps the choice of one run and dimension apart from another's.
    `on_scale`: as the result says."""
    found = disagreements(rows, text_filter(rows, project.task), on_scale=on_scale)
    if not found:
        st.markdown(plain(f"No text fits this choice. Choose another {project.task.writer_name}, direction or range."))
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Read them one by one",
            key="read_texts",
            icon=":material/menu_book:",
            on_click=open_text,
            args=[found[0].row.text],
        )
        st.caption(f"{len(found):,} of {len(rows):,} texts, furthest from people first. Tick one to open it.")
    if not on_scale:
        st.caption(OTHER_SCALE)
    ticked_table(found, partial(_table, workbench, project), _open, _COLUMNS, _table_key(scope), PAGE_SIZE)


def _open(found: Disagreement | None) -> None:
    open_text(found.row.text if found else None)


_COLUMNS = {
    "Judge": st.column_config.NumberColumn(format="%.2f", help="The judge's score."),
    "People": st.column_config.NumberColumn(format="%.2f", help="The mean over the raters."),
    "Difference": st.column_config.NumberColumn(
        format="%+.2f", help="Judge minus people: above 0 the judge is kinder than people, below 0 harsher."
    ),
    "Answered": st.column_config.NumberColumn(format="percent", help="The share of the questions that has an answer."),
}


def _table(workbench: Workbench, project: Project, page: Sequence[Disagreement]) -> pd.DataFrame:
    titles = text_titles(workbench, project.id, [each.row.text for each in page])
    rows = [
        {
            "Text": titles.get(each.row.text, each.row.doc_id),
            WRITER: each.row.system_id,
            "Judge": each.score,
            "People": each.human,
            "Difference": each.difference,
            "Raters": each.row.raters,
            "Answered": each.row.coverage,
        }
        for each in page
    ]
    return with_writers(pd.DataFrame(rows), project.task)
