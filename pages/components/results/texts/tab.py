"""Results, Texts: where judge and people part, and everything that was said about one text."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from app.domain.project import Project, Task
from app.domain.run import ScoredText
from app.services.data.projects import text_titles
from app.services.results.result_texts import Disagreement, GapDirection, TextFilter, disagreements
from app.services.runtime.workbench import Workbench
from pages.components.results.texts.text_detail import opened_text
from pages.components.shell.address import keep, prepare
from pages.components.shell.blinding import open_attributes
from pages.components.shell.navigation.screens import link
from pages.components.shell.runs.result_choices import ResultScope, one_of
from pages.components.shell.tables import WRITER, page_key, ticked_table, with_writers, writer_word
from pages.components.shell.words import number, plain

DIRECTIONS: dict[GapDirection, str] = {"all": "All", "kinder": "Judge kinder", "harsher": "Judge harsher"}
DIRECTION_HELP = "Kinder: the judge's score is above the mean rating. Harsher: below it."


def text_filter(rows: Sequence[ScoredText], task: Task) -> TextFilter:
    """`rows` have both a score and a rating, and there is at least one."""
    systems = sorted({row.system_id for row in rows if row.system_id})
    scores = [row.score for row in rows if row.score is not None]
    left, middle, right = st.columns([3, 4, 4], gap="medium", vertical_alignment="bottom")
    with left:
        system = _system(systems, task) if systems else ""
    with middle:
        direction = one_of("direction", DIRECTIONS, "all", "Who is kinder", DIRECTION_HELP)
    with right:
        low, high = _range(min(scores), max(scores))
    return TextFilter(system, direction, low, high)


def filter_in_address(rows: Sequence[ScoredText]) -> TextFilter:
    """As text_filter, while a text is open and the choices aren't on the screen."""
    system, direction = st.query_params.get("system", ""), st.query_params.get("direction", "all")
    scores = [row.score for row in rows if row.score is not None]
    least, most = min(scores, default=0.0), max(scores, default=0.0)
    low, high = _from_address("scores", least, most)
    whole = (low, high) == (least, most)
    return TextFilter(
        system if any(row.system_id == system for row in rows) else "",
        next((each for each in DIRECTIONS if each == direction), "all"),
        None if whole else low,
        None if whole else high,
    )


def _system(systems: Sequence[str], task: Task) -> str:
    every = f"All {task.writers_name}"
    prepare("system", [every, *systems], every)
    chosen: str = st.selectbox(writer_word(task), [every, *systems], key="system")
    keep("system", chosen, every)
    return "" if chosen == every else chosen


def _range(least: float, most: float) -> tuple[float | None, float | None]:
    """None, None: nothing to choose, or everything chosen."""
    if least == most:
        return None, None
    key = "scores"
    if key not in st.session_state:
        st.session_state[key] = _from_address(key, least, most)
    low, high = st.session_state[key]
    st.session_state[key] = (min(max(low, least), most), max(min(high, most), least))  # another run's scores
    chosen: Any = st.slider("Judge's score", least, most, key=key, format="%.2f")
    low, high = chosen
    whole = (low, high) == (least, most)
    keep(key, "all" if whole else f"{low:g},{high:g}", "all")
    return (None, None) if whole else (low, high)


def _from_address(key: str, least: float, most: float) -> tuple[float, float]:
    try:
        low, high = (float(part) for part in st.query_params.get(key, "").split(","))
    except ValueError:
        return least, most
    return (low, high) if least <= low <= high <= most else (least, most)


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
        "No text has both a score and a human rating here, so nothing can be compared. Have experts answer the "
        "checklist, and look at where they and the judge differ on Disagreements: on a dimension from 0 to 1 they also "
        "say good or not good, which is a rating. Or import ratings on Texts."
    )
    with st.container(horizontal=True):
        link("answer", "Let experts answer")
        link("texts", "Import ratings", parameters={"section": "Import"})
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


def text_steps(listed: Sequence[int], text: int, scope: str, order: str = "furthest from people first") -> None:
    """`listed` are the texts as filtered, in this order; one opened by its address may not be there."""
    place = listed.index(text) if text in listed else None

    def back() -> None:
        show_in_list(place, scope)
        open_text(None)

    with st.container(horizontal=True, vertical_alignment="center", key="text_steps"):
        st.button("Back to the list", key="close_text", icon=":material/arrow_back:", on_click=back)
        if place is None:
            return
        for name, label, icon, to in (
            ("previous_text", "Previous", ":material/chevron_left:", place - 1),
            ("next_text", "Next", ":material/chevron_right:", place + 1),
        ):
            possible = 0 <= to < len(listed)
            st.button(
                label,
                key=name,
                icon=icon,
                disabled=not possible,
                on_click=open_text,
                args=[listed[to] if possible else text],
            )
        st.caption(f"Text {place + 1:,} of {len(listed):,}, {order}")


def result_texts(scope: ResultScope) -> None:
    st.subheader(plain(scope.dimension.name), anchor=False)
    open_attributes(scope.workbench, scope.project, scope.dimension, "what each question answered")
    result = scope.one("texts")
    if result is None:
        return
    key = f"{result.run.id}_{result.dimension.id}"
    row = next((row for row in result.rows if row.text == open_text_id()), None)
    if row is None and not result.compared:
        scored_list(scope.workbench, scope.project, result.rows, key)
        return
    if row is None:
        disagreement_list(scope.workbench, scope.project, result.compared, key, result.on_scale)
        return
    listed = disagreements(result.compared, filter_in_address(result.compared), on_scale=result.on_scale)
    if result.compared:
        text_steps([each.row.text for each in listed], row.text, key)
    else:
        text_steps([each.text for each in by_score(result.rows)], row.text, key, "lowest score first")
    opened_text(scope.workbench, scope.project, result, row, listed)
