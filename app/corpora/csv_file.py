"""CSV and tab-separated files: the delimiter, quotation marks, and rows."""

import csv
from collections.abc import Callable, Iterable, Iterator
from io import StringIO
from itertools import islice
from typing import Any, Literal

from app.corpora.corpus import SkippedRow
from app.corpora.rows import Read, Row, headed_rows
from app.limits import DATA_FILE

DELIMITERS = (",", ";", "\t", "|")
_LONGEST_FIELD = DATA_FILE.cell or 0
_ROWS_TO_SNIFF = 50


Lines = Callable[[], Iterable[str]]
"""Returns a table's lines from its beginning, each with its end, at every call."""


def parse_delimited(text: str, name: str) -> tuple[list[tuple[int, dict[str, Any]]], list[SkippedRow]]:
    """Return rows as `parse_delimited_lines`, from a whole text."""
    rows, skipped = parse_delimited_lines(lambda: StringIO(text, newline=""), name)
    return list(rows), skipped


def parse_delimited_lines(lines: Lines, name: str) -> Read:
    """Return data rows as (number from 1 without the header, column -> cell), and the rows that can't be read.

    Cells stay strings. Missing cells at the end of a row are blank; blank lines are ignored but counted. Raises
    FileFormatError if there is no header or no row, or too many columns or cells.
    """
    csv.field_size_limit(_LONGEST_FIELD)  # the default refuses texts above 128 KiB
    delimiter = sniff_delimiter(lines)
    quoting: Quoting = csv.QUOTE_NONE if delimiter == "\t" and _is_unquoted(lines) else csv.QUOTE_MINIMAL

    def rows() -> Iterator[tuple[int, Row]]:
        read = _rows(lines(), delimiter, quoting)
        return enumerate(_quoting_reason(row) if isinstance(row, csv.Error) else row for row in read)

    return headed_rows(rows, name)


def sniff_delimiter(lines: Lines) -> str:
    """Return the delimiter that splits the first rows most evenly, then into most columns; a comma if none does."""
    csv.field_size_limit(_LONGEST_FIELD)

    def evenness(delimiter: str) -> tuple[float, int]:
        rows = [row for row in islice(_rows(lines(), delimiter), _ROWS_TO_SNIFF) if isinstance(row, list) and row]
        width = len(rows[0]) if rows else 0
        if width < 2:
            return 0.0, 0
        return sum(len(row) == width for row in rows) / len(rows), width

    return max(DELIMITERS, key=evenness)


Quoting = Literal[0, 3]  # of csv: minimal, none


def _is_unquoted(lines: Lines) -> bool:
    """Return whether quotation marks in a table with tabs are text: read as quotes they break rows or swallow their
    ends, read as text every line has as many cells as the first."""
    plain = [len(row) for row in _rows(lines(), "\t", csv.QUOTE_NONE) if isinstance(row, list) and row]
    if len(set(plain)) != 1:
        return False
    quoted = [row for row in _rows(lines(), "\t") if row]
    return len(quoted) != len(plain) or any(isinstance(row, csv.Error) for row in quoted)


def _rows(
    lines: Iterable[str], delimiter: str, quoting: Quoting = csv.QUOTE_MINIMAL
) -> Iterator[list[str] | csv.Error]:
    """Yield every row, or the error it raised: the reader continues at the next line."""
    reader = csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=True)
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
