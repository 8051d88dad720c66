"""Any data file as a table: named columns and rows of single values."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.corpora.cells import one_line
from app.corpora.corpus import SkippedRow
from app.corpora.records import Records, read_records
from app.corpora.table_limits import check_cells


@dataclass(frozen=True, slots=True)
class TableData:
    """`rows` map every column to its value (None where a row lacks it); `numbers` are their rows as in CorpusText.

    `format` is the container: csv, json, jsonl, parquet or xlsx. `skipped` are rows that couldn't be parsed.
    """

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    numbers: tuple[int, ...] = ()
    skipped: tuple[SkippedRow, ...] = ()
    format: str = "csv"


def load_table(path: Path, format: str = "auto", sheet: str = "") -> TableData:  # noqa: A002 (the command line's word)
    """The whole file. `format` names the container or is auto; sheet: as `read_records`. Raises what that raises."""
    return as_table(read_records(path, format, sheet))


def preview(path: Path, n: int = 20) -> TableData:
    """The first `n` rows, with all columns of the file."""
    table = load_table(path)
    return TableData(table.columns, table.rows[:n], table.numbers[:n], table.skipped, table.format)


def as_table(records: Records) -> TableData:
    """Nested objects become columns named with dots (`scores.coherence`); lists stay one value.

    Raises FileFormatError for a table that is too large.
    """
    delimited = records.container in ("csv", "xlsx")  # records are rows already: each has every column, in order
    flat = [record if delimited else flatten(record) for _, record in records.items]
    columns = tuple(flat[0]) if delimited and flat else tuple(dict.fromkeys(name for row in flat for name in row))
    check_cells(len(flat), len(columns), "The file")
    rows = tuple(flat if delimited else ({name: row.get(name) for name in columns} for row in flat))
    return TableData(columns, rows, tuple(number for number, _ in records.items), records.skipped, records.container)


def flatten(record: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in record.items():
        full = f"{prefix}{one_line(str(name))}"
        if isinstance(value, Mapping) and value:
            flat.update(flatten(value, f"{full}."))
        else:
            flat[full] = value
    return flat
