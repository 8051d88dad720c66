"""Records of a data file in any container."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.corpora.corpus import SkippedRow
from app.corpora.csv_file import parse_delimited_lines
from app.corpora.decoding import Encoded, encoded, read_bytes
from app.corpora.json_records import looks_like_json_lines, parse_json, parse_json_lines
from app.corpora.parquet import ParquetRows
from app.corpora.rows import FileRows, Read, json_safe
from app.corpora.workbook import is_workbook, sheet_names, workbook_rows
from app.errors import FileFormatError, InputError

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
