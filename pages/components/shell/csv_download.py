"""A table to take along."""

import pandas as pd
import streamlit as st

from app.services.runtime.screen_tables import table_csv


def csv_download(label: str, rows: pd.DataFrame, name: str) -> None:
    """`name`: of the file, without its ending. It is made when asked for."""
    st.download_button(
        label,
        lambda: table_csv(rows),
        f"{name}.csv",
        "text/csv",
        key=f"download_{name}",
        on_click="ignore",
    )
