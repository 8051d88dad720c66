"""Rows of a file that could not be used, each with its reason, to see and to download."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pages.components.shell.csv_download import csv_download

_ROW = st.column_config.NumberColumn(width=60, help="Counted from 1 as in the file.")


def left_out_rows(title: str, rows: Sequence[tuple[int, str]], key: str, file_name: str) -> None:
    """rows: (number, reason). `title` is Markdown."""
    table = pd.DataFrame(rows, columns=["Row", "Reason"])
    st.markdown(title)
    st.dataframe(
        table,
        placeholder="–",
        hide_index=True,
        height=min(260, 38 + 35 * len(table)),
        key=key,
        column_config={"Row": _ROW},
    )
    csv_download("Download the list", table, file_name)
