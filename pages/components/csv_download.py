"""A table to take along."""

import pandas as pd
import streamlit as st


def csv_download(label: str, rows: pd.DataFrame, name: str) -> None:
    """`name`: of the file, without its ending. It is made when asked for, with a mark that spreadsheets understand."""
    st.download_button(
        label,
        lambda: rows.to_csv(index=False).encode("utf-8-sig"),
        f"{name}.csv",
        "text/csv",
        key=f"download_{name}",
        on_click="ignore",
    )
