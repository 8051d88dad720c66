"""Rows under a header, of a delimited text or a sheet: which columns there are, and which rows can be taken."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from app.corpora.cells import one_line
from app.corpora.corpus import SkippedRow
from app.corpora.file_rows import counted
from app.corpora.table_limits import check_cells, check_columns
from app.domain.formula_cells import restored
from app.errors import FileFormatError

Row = Sequence[Any] | str
"""The cells of a row, or why it can't be read."""
Read = tuple[Sequence[tuple[int, dict[str, Any]]], list[SkippedRow]]


def headed_rows(rows: Callable[[], Iterator[tuple[int, Row]]], name: str) -> Read:
    """Data rows as (number, column -> cell), and the rows that can't be read. The first of `rows` names the columns.

    The data rows are held by nobody: each time they are gone through they are read anew, from what `rows` gives.
    Missing cells at the end of a row are blank; blank rows are passed over. The mark of our own exports before cells
    that look like formulas is taken off.
    Raises FileFormatError where there is no header or no row, and where there are too many columns or cells.
    """
    good, skipped = counted(lambda: _entries(rows(), name))
    if not good and not skipped:
        raise FileFormatError(f"{name} has a header row but no data.", "Choose a file that holds data.")
    if not good:
        first = skipped[0]
        raise FileFormatError(
            f"No row of {name} can be read. Row {first.row}: {first.reason}", "Mend it, or export it anew."
        )
    return good, skipped


def _entries(rows: Iterator[tuple[int, Row]], name: str) -> Iterator[tuple[int, dict[str, Any]] | SkippedRow]:
    header = next(rows, (0, ""))[1]
    if isinstance(header, str) or all(map(is_empty, header)):
        raise FileFormatError(f"{name} has no header row.", "The first row must name the columns.")
    check_columns(len(header), name)
    columns = _column_names([_restored(cell) for cell in header])
    good = 0
    for number, cells in rows:
        if isinstance(cells, str):
            yield SkippedRow(number, cells)
        elif len(cells) > len(columns) and not all(map(is_empty, cells[len(columns) :])):
            yield SkippedRow(number, f"It has {len(cells)} cells where the header has {len(columns)}.")
        elif not all(map(is_empty, cells)):
            good += 1
            check_cells(good, len(columns), name)
            padded = [*map(_restored, cells), *[""] * (len(columns) - len(cells))]
            yield number, dict(zip(columns, padded, strict=False))


def is_empty(cell: object) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _restored(cell: Any) -> Any:
    return restored(cell) if isinstance(cell, str) else cell


def _column_names(header: Sequence[Any]) -> list[str]:
    """Every column gets a name of its own, also where the header leaves it blank or uses it twice."""
    names: dict[str, None] = {}
    copies: dict[str, int] = {}  # the number that the next column of the same name is tried with
    for position, cell in enumerate(header, start=1):
        name = wanted = ("" if cell is None else one_line(str(cell))) or f"column {position}"
        while name in names:
            copies[wanted] = copies.get(wanted, 1) + 1
            name = f"{wanted} ({copies[wanted]})"
        names[name] = None
    return list(names)
