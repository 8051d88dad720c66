"""Rows made of columns: names above the columns; on a phone, where columns stack, a name before each value instead.

`shell/style.py` shows one or the other, and the labels of fields in such rows on a phone only. It needs the names and
the rows in one container.
"""

from collections.abc import Sequence

import streamlit as st


def column_names(key: str, widths: Sequence[int], names: Sequence[str]) -> None:
    """The row of names, which are Markdown already; a phone hides it."""
    with st.container(key=f"column_names_{key}"):
        for column, name in zip(st.columns(widths), names, strict=True):
            column.caption(name)


def named_value(name: str, value: str) -> str:
    """Markdown of a value; only a phone shows its name. Both are Markdown already."""
    return f":gray-background[{name}] {value}"
