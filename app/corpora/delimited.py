"""Rows of CSV, TSV and other delimited text."""

import csv
from collections.abc import Callable, Iterable, Iterator
from io import StringIO
from itertools import islice
from typing import Any

from app.corpora.cells import one_line
from app.corpora.corpus import SkippedRow
from app.corpora.table_limits import check_cells, check_columns
from app.errors import FileFormatError

DELIMITERS = (",", ";", "\t", "|")
_LONGEST_FIELD = 2**31 - 1  # the largest limit that every platform's C long holds
_ROWS_TO_SNIFF = 50


Lines = Callable[[], Iterable[str]]
"""A table's lines from its beginning, each with what ends it, each time it is called."""


def parse_delimited(text: str, name: str) -> tuple[list[tuple[int, dict[str, Any]]], list[SkippedRow]]:
    """As `parse_delimited_lines`, of a text that is there already."""
    return parse_delimited_lines(lambda: StringIO(text, newline=""), name)


def parse_delimited_lines(lines: Lines, name: str) -> tuple[list[tuple[int, dict[str, Any]]], list[SkippedRow]]:
    """Data rows as (number from 1 without the header, column -> cell), and the rows that can't be read.

    Cells stay strings. Missing cells at the end of a row are blank; blank lines are passed over but counted.
    Raises FileFormatError where there is no header or no row, and where there are too many columns or cells.
    """
    csv.field_size_limit(_LONGEST_FIELD)  # the default refuses texts above 128 KiB
    rows = _rows(lines(), sniff_delimiter(lines))
    header = next(rows, None)
    if not header or isinstance(header, csv.Error) or not any(cell.strip() for cell in header):
        raise FileFormatError(f"{name} has no header row.", "The first row must name the columns.")
    check_columns(len(header), name)
    columns = _column_names(header)
    good: list[tuple[int, dict[str, Any]]] = []
    skipped: list[SkippedRow] = []
    for number, cells in enumerate(rows, start=1):
        if isinstance(cells, csv.Error):
            skipped.append(SkippedRow(number, _quoting_reason(cells)))
        elif len(cells) > len(columns) and any(cell.strip() for cell in cells[len(columns) :]):
            skipped.append(SkippedRow(number, f"It has {len(cells)} cells where the header has {len(columns)}."))
        elif any(cell.strip() for cell in cells):
            padded = cells + [""] * (len(columns) - len(cells))
            good.append((number, dict(zip(columns, padded, strict=False))))
            check_cells(len(good), len(columns), name)
    if not good and not skipped:
        raise FileFormatError(f"{name} has a header row but no data.", "Choose a file that holds data.")
    if not good:
        first = skipped[0]
        raise FileFormatError(
            f"No row of {name} can be read. Row {first.row}: {first.reason}", "Mend it, or export it anew."
        )
    return good, skipped


def sniff_delimiter(lines: Lines) -> str:
    """The delimiter that splits the first rows most evenly, then into most columns; a comma where none does."""
    csv.field_size_limit(_LONGEST_FIELD)

    def evenness(delimiter: str) -> tuple[float, int]:
        rows = [row for row in islice(_rows(lines(), delimiter), _ROWS_TO_SNIFF) if isinstance(row, list) and row]
        width = len(rows[0]) if rows else 0
        if width < 2:
            return 0.0, 0
        return sum(len(row) == width for row in rows) / len(rows), width

    return max(DELIMITERS, key=evenness)


def _rows(lines: Iterable[str], delimiter: str) -> Iterator[list[str] | csv.Error]:
    """Every row, or the error it raised: the reader takes up again at the next line."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield error


def _quoting_reason(error: csv.Error) -> str:
    if "unexpected end" in str(error):
        return "A quotation mark in it is never closed, so everything from there to the file's end is lost."
    return "A quotation mark stands inside a quoted cell; double it there."


def _column_names(header: list[str]) -> list[str]:
    """Every column gets a name of its own, also where the header leaves it blank or uses it twice."""
    names: dict[str, None] = {}
    copies: dict[str, int] = {}  # the number that the next column of the same name is tried with
    for position, cell in enumerate(header, start=1):
        name = wanted = one_line(cell) or f"column {position}"
        while name in names:
            copies[wanted] = copies.get(wanted, 1) + 1
            name = f"{wanted} ({copies[wanted]})"
        names[name] = None
    return list(names)
