"""Filter of a result's texts; every choice is in the address."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from app.domain.project import Task
from app.domain.run import ScoredText
from app.services.results.result_texts import GapDirection, TextFilter
from pages.components.shell.address import keep, prepare
from pages.components.shell.runs.result_choices import one_of
from pages.components.shell.tables import writer_word

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
