"""Rows of CSV, TSV and other delimited text."""

import csv
from collections.abc import Callable, Iterable, Iterator
from io import StringIO
from itertools import islice
from typing import Any

from app.corpora.corpus import SkippedRow
from app.corpora.headed_rows import Read, Row, headed_rows
from app.limits import DATA_FILE

DELIMITERS = (",", ";", "\t", "|")
_LONGEST_FIELD = DATA_FILE.cell or 0
_ROWS_TO_SNIFF = 50


Lines = Callable[[], Iterable[str]]
"""A table's lines from its beginning, each with what ends it, each time it is called."""


def parse_delimited(text: str, name: str) -> tuple[list[tuple[int, dict[str, Any]]], list[SkippedRow]]:
    """As `parse_delimited_lines`, of a text that is there already; the rows are held."""
    rows, skipped = parse_delimited_lines(lambda: StringIO(text, newline=""), name)
    return list(rows), skipped


def parse_delimited_lines(lines: Lines, name: str) -> Read:
    """Data rows as (number from 1 without the header, column -> cell), and the rows that can't be read.

    Cells stay strings. Missing cells at the end of a row are blank; blank lines are passed over but counted.
    Raises FileFormatError where there is no header or no row, and where there are too many columns or cells.
    """
    csv.field_size_limit(_LONGEST_FIELD)  # the default refuses texts above 128 KiB
    delimiter = sniff_delimiter(lines)

    def rows() -> Iterator[tuple[int, Row]]:
        read = _rows(lines(), delimiter)
        return enumerate(_quoting_reason(row) if isinstance(row, csv.Error) else row for row in read)

    return headed_rows(rows, name)


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
    if "field larger" in str(error):
        return f"A cell in it has more than {_LONGEST_FIELD:,} characters."
    if "unexpected end" in str(error):
        return "A quotation mark in it is never closed, so everything from there to the file's end is lost."
    return "A quotation mark stands inside a quoted cell; double it there."
