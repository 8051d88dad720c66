"""CSV files in which spreadsheets find no formula to run."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any

from app.domain.storable_text import harmless


def csv_bytes(columns: Sequence[str], rows: Iterable[Mapping[str, Any]], for_spreadsheets: bool = True) -> bytes:
    """Return one line a row, UTF-8; for spreadsheets with a byte order mark, else they guess another encoding."""
    stream = io.StringIO(newline="")
    _write_rows(stream, columns, rows)
    return stream.getvalue().encode("utf-8-sig" if for_spreadsheets else "utf-8")


def write_csv(
    target: IO[bytes], columns: Sequence[str], rows: Iterable[Mapping[str, Any]], for_spreadsheets: bool = True
) -> None:
    """Write the file of csv_bytes row by row, so that long tables take no memory. `target` stays open."""
    stream = io.TextIOWrapper(target, encoding="utf-8-sig" if for_spreadsheets else "utf-8", newline="")
    _write_rows(stream, columns, rows)
    stream.detach()


def _write_rows(stream: IO[str], columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    writer = csv.writer(stream)
    writer.writerow([harmless(name) for name in columns])
    writer.writerows([harmless(row.get(name)) for name in columns] for row in rows)
