"""Any data file as a table: named columns and rows of single values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.corpora.cells import one_line
from app.corpora.corpus import SkippedRow
from app.corpora.file_rows import FileRows
from app.corpora.records import Records, read_records
from app.corpora.table_limits import check_cells


@dataclass(frozen=True, slots=True)
class TableData:
    """`rows` map every column to its value (None where a row lacks it); `numbers` are their rows as in CorpusText.

    `format` is the container: csv, json, jsonl, parquet or xlsx. `skipped` are rows that couldn't be parsed.
    """

    columns: tuple[str, ...]
    rows: Sequence[Mapping[str, Any]]
    numbers: Sequence[int] = ()
    skipped: tuple[SkippedRow, ...] = ()
    format: str = "csv"


def load_table(path: Path, format: str = "auto", sheet: str = "") -> TableData:  # noqa: A002 (the command line's word)
    """The whole file. `format` names the container or is auto; sheet: as `read_records`. Raises what that raises."""
    table = open_table(path, format, sheet)
    return replace(table, rows=tuple(table.rows), numbers=tuple(table.numbers))


def open_table(path: Path, format: str = "auto", sheet: str = "") -> TableData:  # noqa: A002 (the command line's word)
    """As `load_table`, of which no row is held: they are read anew each time they are gone through."""
    return as_table(read_records(path, format, sheet))


def preview(path: Path, n: int = 20) -> TableData:
    """The first `n` rows, with all columns of the file."""
    table = open_table(path)
    return TableData(table.columns, table.rows[:n], table.numbers[:n], table.skipped, table.format)


def as_table(records: Records) -> TableData:
    """Nested objects become columns named with dots (`scores.coherence`); lists stay one value. Of what `records` reads
    anew, rows and numbers are read anew too.

    Raises FileFormatError for a table that is too large.
    """
    count, delimited = len(records.items), records.container in ("csv", "xlsx")
    if delimited:  # records are rows already: each has every column, in order
        columns = tuple(records.items[0][1]) if count else ()
    else:
        columns = tuple(dict.fromkeys(name for _, record in records.items for name in flatten(record)))
    check_cells(count, len(columns), "The file")

    def rows() -> Iterator[Mapping[str, Any]]:
        for _, record in records.items:
            if delimited:
                yield record
            else:
                flat = flatten(record)
                yield {name: flat.get(name) for name in columns}

    def numbers() -> Iterator[int]:
        return (number for number, _ in records.items)

    return TableData(columns, FileRows(rows, count), FileRows(numbers, count), records.skipped, records.container)


def flatten(record: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in record.items():
        full = f"{prefix}{one_line(str(name))}"
        if isinstance(value, Mapping) and value:
            flat.update(flatten(value, f"{full}."))
        else:
            flat[full] = value
    return flat
