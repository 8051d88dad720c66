"""Limits on tables, so that no small file keeps the program busy for long or fills its memory."""

from app.errors import FileFormatError

MOST_COLUMNS = 2_000
MOST_CELLS = 20_000_000


def check_columns(columns: int, name: str) -> None:
    """Raises FileFormatError. name: of the file."""
    if columns > MOST_COLUMNS:
        raise FileFormatError(
            f"{name} has {columns:,} columns; {MOST_COLUMNS:,} are the most that are read.",
            "Leave out what isn't needed, or turn the table round if its rows are columns.",
        )


def check_cells(rows: int, columns: int, name: str) -> None:
    """Raises FileFormatError, also for too many columns."""
    check_columns(columns, name)
    if rows * columns > MOST_CELLS:
        raise too_many_cells(name)


def too_many_cells(name: str) -> FileFormatError:
    return FileFormatError(
        f"{name} has more than {MOST_CELLS:,} cells, which is the most that is read.", "Split it into smaller files."
    )
