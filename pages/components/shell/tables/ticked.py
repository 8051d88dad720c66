"""A long table, page by page, of which ticking a row opens what it is about."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

Entry = TypeVar("Entry")


def ticked_table(
    entries: Sequence[Entry],
    table: Callable[[Sequence[Entry]], pd.DataFrame],
    opened: Callable[[Entry | None], None],
    columns: Mapping[str, Any],
    key: str,
    page_size: int,
) -> None:
    """`table` makes a page of entries a table, a row each. `opened` is told of the one that was ticked, None for a tick
    that was taken away. `page_key(key)` is the page that is shown."""
    pages = ceil(len(entries) / page_size)
    number = st.pagination(pages, key=page_key(key)) if pages > 1 else 1
    page = entries[(number - 1) * page_size : number * page_size]
    of_page = f"{key}_{number}"

    def chosen() -> None:
        ticked = st.session_state[of_page]["selection"]["rows"]
        opened(page[ticked[0]] if ticked else None)

    st.dataframe(
        table(page),
        placeholder="–",
        hide_index=True,
        key=of_page,
        on_select=chosen,
        selection_mode="single-row",
        column_config=dict(columns),
        height="content",
    )


def page_key(key: str) -> str:
    return f"{key}_page"
