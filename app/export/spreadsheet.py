"""CSV that a spreadsheet opens without running anything in it."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any

# A cell that starts like this is a formula to a spreadsheet, also in the wide forms of East Asian keyboards; a signed
# number is only a number. Apostrophes before it were there already: one more keeps the mark apart from them.
_FORMULA = re.compile(r"'*(?:[=@＝＠＋－\t\r\n]|[-+](?!\d+([.,]\d+)?$))")


def harmless(value: object) -> object:
    """Text that a spreadsheet would run as a formula is marked as text."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def restored(cell: str) -> str:
    """A cell as it was before `harmless` marked it."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell[1:]) else cell


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
    writer = csv.DictWriter(stream, columns)
    writer.writeheader()
    writer.writerows({name: harmless(value) for name, value in row.items()} for row in rows)
