"""CSV that a spreadsheet opens without running anything in it."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any

from app.domain.storable_text import harmless


def csv_bytes(columns: Sequence[str], rows: Iterable[Mapping[str, Any]], for_spreadsheets: bool = True) -> bytes:
    """One line a row, UTF-8; for spreadsheets with the mark without which they guess another encoding."""
    stream = io.StringIO(newline="")
    _write_rows(stream, columns, rows)
    return stream.getvalue().encode("utf-8-sig" if for_spreadsheets else "utf-8")


def write_csv(
    target: IO[bytes], columns: Sequence[str], rows: Iterable[Mapping[str, Any]], for_spreadsheets: bool = True
) -> None:
    """As csv_bytes, a row at a time: a table of any length takes no memory. `target` stays open."""
    stream = io.TextIOWrapper(target, encoding="utf-8-sig" if for_spreadsheets else "utf-8", newline="")
    _write_rows(stream, columns, rows)
    stream.detach()


def _write_rows(stream: IO[str], columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    writer = csv.writer(stream)
    writer.writerow([harmless(name) for name in columns])
    writer.writerows([harmless(row.get(name)) for name in columns] for row in rows)
