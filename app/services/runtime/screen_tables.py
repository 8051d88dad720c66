"""The tables of the screens as files that spreadsheets open."""

import pandas as pd

from app.domain.formula_cells import harmless


def table_csv(rows: pd.DataFrame) -> bytes:
    """UTF-8 with a mark that spreadsheets understand; what they would run as a formula is marked as text."""
    return rows.rename(columns=harmless).map(harmless).to_csv(index=False).encode("utf-8-sig")
