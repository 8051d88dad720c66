"""Records of a data file in any container."""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from app.corpora.corpus import SkippedRow
from app.corpora.decoding import Encoded, encoded, read_bytes
from app.corpora.json_records import looks_like_json_lines, parse_json, parse_json_lines
from app.corpora.parquet import ParquetRows
from app.corpora.rows import FileRows, Read, Row, headed_rows, json_safe
from app.corpora.workbook import is_workbook, sheet_names, workbook_rows
from app.errors import FileFormatError, InputError
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


CONTAINERS = ("csv", "jsonl", "json", "parquet", "xlsx")
_PARQUET_MARK, _ZIP_MARK = b"PAR1", b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class Records:
    """A file's records. `items` are (row as in CorpusText, record); those of CSV, JSON Lines and Parquet are read again
    at each iteration. `skipped` are the rows that couldn't be parsed."""

    container: str
    items: Sequence[tuple[int, dict[str, Any]]]
    skipped: tuple[SkippedRow, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Return all field names in order of first appearance."""
        return tuple(dict.fromkeys(str(name) for _, record in self.items for name in record))


def read_records(path: Path, container: str = "auto", sheet: str = "") -> Records:
    """Return all records of the file. `auto` detects the container by its content; sheet: of a workbook, else its
    first.

    Raises NotFoundError, FileFormatError, InputError for a sheet of a file without sheets.
    """
    raw = read_bytes(path)
    if container == "xlsx" or (container == "auto" and _holds_sheets(raw)):
        rows, left_out = workbook_rows(raw, path.name, sheet)
        return Records("xlsx", rows, tuple(left_out))
    if sheet:
        raise InputError(f"{path.name} is no Excel workbook, so it has no sheets.", "Leave the sheet out.")
    if container == "parquet" or (container == "auto" and raw.startswith(_PARQUET_MARK)):
        return _read_parquet(raw, path.name)
    file = encoded(raw, path.name)
    container = sniff_container(file, path.suffix.lower()) if container == "auto" else container
    items, skipped = _parsed(container, file, path.name)
    return Records(container, items, tuple(skipped))


def sheets_of(path: Path) -> tuple[str, ...]:
    """Return the sheets to choose from; () unless the file is a workbook. Raises NotFoundError, FileFormatError."""
    raw = read_bytes(path)
    return sheet_names(raw, path.name) if _holds_sheets(raw) else ()


def _holds_sheets(raw: bytes) -> bool:
    return raw.startswith(_ZIP_MARK) and is_workbook(raw)


def sniff_container(file: Encoded, suffix: str) -> str:
    """Return json, jsonl or csv, by how the text begins; the file's suffix decides only if that is ambiguous."""
    start = next((line.lstrip()[0] for line in file.lines() if line.strip()), "")
    if start == "[" and suffix not in {".csv", ".tsv"}:
        return "json"
    if looks_like_json_lines(file):
        return "jsonl"
    if start == "{" or suffix == ".json":
        return "json"
    return "jsonl" if suffix in {".jsonl", ".ndjson"} else "csv"


def _parsed(container: str, file: Encoded, name: str) -> Read:
    if container == "csv":
        return parse_delimited_lines(file.lines, name)
    if container == "jsonl":
        return parse_json_lines(lambda: file.lines("\n"), name)
    return parse_json(file.text(), name)


def _read_parquet(raw: bytes, name: str) -> Records:
    rows = ParquetRows(raw, name)
    if not len(rows):
        raise FileFormatError(f"{name} holds no rows.", "Choose a file that holds data.")

    def items() -> Iterator[tuple[int, dict[str, Any]]]:
        # Parquet writers store a missing number as NaN; json_safe makes it None, as a blank cell is.
        return ((number, dict(json_safe(row))) for number, row in enumerate(rows, start=1))

    return Records("parquet", FileRows(items, len(rows)), ())
