"""Limits on tables, so that no small file keeps the program busy for long or fills its memory."""

from app.errors import FileFormatError
from app.limits import DATA_FILE, MB, Limits

MOST_COLUMNS = DATA_FILE.columns or 0
MOST_CELLS = DATA_FILE.cells or 0


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


def check_unpacked(unpacked: int, cells: int, size: int, name: str, limits: Limits) -> None:
    """Raises FileFormatError where a compressed file of `size` bytes unpacks to more bytes or cells than it may."""
    if cells > limits.cells_of(size):
        raise too_many_cells(name, limits.cells_of(size))
    if unpacked > limits.unpacked_of(size):
        raise FileFormatError(
            f"{name} unpacks to more than {limits.unpacked_of(size) // MB} MB, which is the most that is read "
            "of a file of its size.",
            "Save it as CSV, or split it into smaller files.",
        )


def too_many_cells(name: str, most: int = MOST_CELLS) -> FileFormatError:
    return FileFormatError(
        f"{name} has more than {most:,} cells, which is the most that is read of a file of its size.",
        "Save it as CSV, or split it into smaller files.",
    )
