"""Rows and cells of a file: headers, values, limits."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time
from itertools import islice
from time import monotonic
from typing import Any, Generic, TypeVar, overload

from app.corpora.corpus import SkippedRow
from app.domain.storable_text import is_storable, restored, storable
from app.errors import FileFormatError
from app.limits import DATA_FILE, MB, Limits

_BLANK_WORDS = frozenset({"", "na", "n/a", "nan", "null", "none"})
_DECIMAL_COMMA = re.compile(r"[+-]?\d{1,3},\d+")


class BadCellError(ValueError):
    """A value that is invalid in its place; the message is the reason for people."""


class OffScaleError(BadCellError):
    """A number off its scale; the rest of the row is valid."""


def is_blank(value: object) -> bool:
    """Return whether nothing is given: no value, or a string that is empty or says so (NA, N/A, NaN, null, none)."""
    return value is None or (isinstance(value, str) and value.strip().lower() in _BLANK_WORDS)


def prose(value: object, what: str) -> str:
    """Return a text without outer white space, "" for no value. Raises BadCellError for lists, objects, damaged
    text."""
    if value is None:
        return ""
    if isinstance(value, Mapping | list | tuple):
        raise BadCellError(f"The {what} is a nested structure, not a text.")
    if not isinstance(value, str):
        return identifier(value)
    if not is_storable(value):
        raise BadCellError(f"The {what} holds damaged characters.")
    return value.strip()


def identifier(value: object) -> str:
    """Return an identifier as a string: 3, 3.0 and "3" are equal; "" for no value. Raises BadCellError."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, int | float) else prose(value, "identifier")


def proses(value: object, what: str) -> tuple[str, ...]:
    """Return one text or a list of texts, without the empty ones."""
    values = value if isinstance(value, list | tuple) else [value]
    return tuple(text for text in (prose(entry, what) for entry in values) if text)


def number(value: object) -> float:
    """Return a finite number. A decimal comma is accepted. Raises BadCellError that shows the value."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise BadCellError("is not a number")
    if isinstance(value, str) and _DECIMAL_COMMA.fullmatch(value.strip()):
        value = value.replace(",", ".")
    try:
        result = float(value)
    except ValueError:
        raise BadCellError(f"is not a number ({shortened(str(value))!r})") from None
    except OverflowError:
        raise BadCellError("is not a finite number") from None
    if not math.isfinite(result):
        raise BadCellError("is not a finite number")
    return result


def one_line(text: str) -> str:
    """Return the text without line breaks and unprintable characters, for a name or a message."""
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())


def listed(names: Sequence[str], limit: int = 30) -> str:
    """Return names for a message; of many, the first ones and how many more there are."""
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(shortened(one_line(name)) for name in names[:limit]) + more


def shortened(text: str, limit: int = 30) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def json_safe(value: Any) -> Any:
    """Return the value in strict JSON's terms: NaN and infinities become None, dates ISO strings."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping):
        return {json_safe(str(key)): json_safe(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [json_safe(entry) for entry in value]
    return value.isoformat() if isinstance(value, datetime | date | time) else json_safe(str(value))


def numbers_in(cells: Iterable[object]) -> list[float]:
    """Return the numbers in a column; a list in a cell holds several."""
    found: list[float] = []
    for cell in cells:
        for value in cell if isinstance(cell, list) else [cell]:
            if not is_blank(value):
                with suppress(BadCellError):
                    found.append(number(value))
    return found


Row_co = TypeVar("Row_co", covariant=True)
Item = TypeVar("Item")


class FileRows(Sequence[Row_co], Generic[Row_co]):
    """Rows read from a file on demand; `count` of them. A slice from the beginning reads no further; any other place
    reads up to it."""

    def __init__(self, read: Callable[[], Iterable[Row_co]], count: int) -> None:
        self._read = read
        self._count = count

    def __iter__(self) -> Iterator[Row_co]:
        return iter(self._read())

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> Row_co: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Row_co, ...]: ...
    def __getitem__(self, place: int | slice) -> Row_co | tuple[Row_co, ...]:
        if isinstance(place, slice):
            return tuple(islice(self._read(), *place.indices(self._count)))
        wanted = range(self._count)[place]
        return next(islice(self._read(), wanted, None))


def counted(entries: Callable[[], Iterable[Item | SkippedRow]], name: str) -> tuple[FileRows[Item], list[SkippedRow]]:
    """Return the good entries, read on demand, and the skipped ones in memory, since a person is told of each.

    Raises FileFormatError if that takes longer than a data file may.
    """
    count, skipped, end = 0, list[SkippedRow](), monotonic() + (DATA_FILE.seconds or 0)
    for entry in entries():
        if monotonic() > end:
            raise FileFormatError(
                f"{name} takes longer to read than {DATA_FILE.seconds:.0f} s, the most for a file.",
                "Split it into smaller files.",
            )
        if isinstance(entry, SkippedRow):
            skipped.append(entry)
        else:
            count += 1
    return FileRows(lambda: (e for e in entries() if not isinstance(e, SkippedRow)), count), skipped


MOST_COLUMNS = DATA_FILE.columns or 0
MOST_CELLS = DATA_FILE.cells or 0


def check_columns(columns: int, name: str) -> None:
    """Raise FileFormatError for too many columns. name: of the file."""
    if columns > MOST_COLUMNS:
        raise FileFormatError(
            f"{name} has {columns:,} columns; {MOST_COLUMNS:,} are the most that are read.",
            "Leave out what isn't needed, or turn the table round if its rows are columns.",
        )


def check_cells(rows: int, columns: int, name: str) -> None:
    """Raise FileFormatError for too many cells or columns."""
    check_columns(columns, name)
    if rows * columns > MOST_CELLS:
        raise too_many_cells(name)


def check_unpacked(unpacked: int, cells: int, size: int, name: str, limits: Limits) -> None:
    """Raise FileFormatError if a compressed file of `size` bytes unpacks to more bytes or cells than allowed."""
    if cells > limits.cells_of(size):
        raise too_many_cells(name, limits.cells_of(size))
    if unpacked > limits.unpacked_of(size):
        raise FileFormatError(
            f"{name} unpacks to more than {limits.unpacked_of(size) // MB} MB, which is the most that is read "
            "of a file of its size.",
            "Save it as CSV, or split it into smaller files.",
        )


def too_many_cells(name: str, most: int = MOST_CELLS) -> FileFormatError:
    return FileFormatError(
        f"{name} has more than {most:,} cells, which is the most that is read of a file of its size.",
        "Save it as CSV, or split it into smaller files.",
    )


Row = Sequence[Any] | str
"""The cells of a row, or why it can't be read."""
Read = tuple[Sequence[tuple[int, dict[str, Any]]], list[SkippedRow]]


def headed_rows(rows: Callable[[], Iterator[tuple[int, Row]]], name: str) -> Read:
    """Return data rows as (number, column -> cell), and the rows that can't be read. The first of `rows` names the
    columns.

    The data rows aren't kept in memory: each iteration reads them again from `rows`. Missing cells at the end of a row
    are blank; blank rows are ignored. The mark that our exports put before cells like formulas is removed. Raises
    FileFormatError if there is no header or no row, or too many columns or cells.
    """
    good, skipped = counted(lambda: _entries(rows(), name), name)
    if not good and not skipped:
        raise FileFormatError(f"{name} has a header row but no data.", "Choose a file that holds data.")
    if not good:
        first = skipped[0]
        raise FileFormatError(
            f"No row of {name} can be read. Row {first.row}: {first.reason}", "Mend it, or export it anew."
        )
    return good, skipped


def _entries(rows: Iterator[tuple[int, Row]], name: str) -> Iterator[tuple[int, dict[str, Any]] | SkippedRow]:
    header = next(rows, (0, ""))[1]
    if isinstance(header, str) or all(map(is_empty, header)):
        raise FileFormatError(f"{name} has no header row.", "The first row must name the columns.")
    check_columns(len(header), name)
    columns = _column_names([_restored(cell) for cell in header])
    good = 0
    for number, cells in rows:
        if isinstance(cells, str):
            yield SkippedRow(number, cells)
        elif len(cells) > len(columns) and not all(map(is_empty, cells[len(columns) :])):
            yield SkippedRow(number, f"It has {len(cells)} cells where the header has {len(columns)}.")
        elif not all(map(is_empty, cells)):
            good += 1
            check_cells(good, len(columns), name)
            padded = [*map(_restored, cells), *[""] * (len(columns) - len(cells))]
            yield number, dict(zip(columns, padded, strict=False))


def is_empty(cell: object) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _restored(cell: Any) -> Any:
    return restored(cell) if isinstance(cell, str) else cell


def _column_names(header: Sequence[Any]) -> list[str]:
    """Return a unique name for every column, also if the header leaves it blank or repeats it."""
    names: dict[str, None] = {}
    copies: dict[str, int] = {}  # the number that the next column of the same name is tried with
    for position, cell in enumerate(header, start=1):
        name = wanted = ("" if cell is None else one_line(str(cell))) or f"column {position}"
        while name in names:
            copies[wanted] = copies.get(wanted, 1) + 1
            name = f"{wanted} ({copies[wanted]})"
        names[name] = None
    return list(names)
