"""Rows of a sheet of an Excel workbook (.xlsx): its values, with the sheet's own row numbers.

Nothing in it is run or followed: macros, links to other files and pictures are ignored. A subprocess reads it row by
row and stops at a limit, so that no small file fills the memory or keeps the program busy.
"""

import os
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from io import BytesIO
from typing import Any, BinaryIO
from zipfile import BadZipFile, ZipFile, ZipInfo

from openpyxl import load_workbook
from openpyxl.utils import get_column_letter
from openpyxl.utils.escape import unescape

from app.corpora.corpus import SkippedRow
from app.corpora.rows import Read, check_unpacked, headed_rows, is_empty, listed, too_many_cells
from app.errors import FileFormatError, WorkbenchError
from app.limited_process import parse_apart
from app.limits import WORKBOOK

_MOST_PARTS = 10_000
_ERRORS = frozenset(
    {"#N/A", "#NAME?", "#DIV/0!", "#REF!", "#VALUE!", "#NUM!", "#NULL!", "#SPILL!", "#CALC!", "#GETTING_DATA"}
)
_FORMULA = re.compile(rb"<(\w+:)?f[ />]")
_SAVE_ANEW = "Open it in a spreadsheet program, save it as .xlsx, or export the sheet as CSV."


def is_workbook(raw: bytes) -> bool:
    """Return whether this zip archive has the parts of a workbook."""
    try:
        return any(part.startswith("xl/") for part in _parts(raw))
    except FileFormatError:
        return b"xl/workbook" in raw  # damaged: `workbook_rows` says so


def sheet_names(raw: bytes, name: str) -> tuple[str, ...]:
    """Return the visible sheets in order. Raises FileFormatError."""
    return tuple(_apart("read_names", raw, name))


def workbook_rows(raw: bytes, name: str, sheet: str = "") -> Read:
    """Return the rows of a sheet, by default the first, as `headed_rows` says.

    The first row that isn't blank names the columns. A cell with an error counts as blank and is reported. Raises
    FileFormatError if the file, the sheet or its formulas can't be read, or it is too large.
    """
    read = _apart("read_rows", raw, name, sheet)
    title = next(read, name)
    numbered = list(read)
    left = _margin([cells for _, cells in numbered])
    errors: list[SkippedRow] = []
    sound = list(_sound(numbered, left, errors))
    rows, skipped = headed_rows(lambda: iter(sound), title)
    return rows, [*skipped, *errors]


def _apart(job: str, raw: bytes, name: str, *arguments: str) -> Iterator[Any]:
    """Run a function of this module in a subprocess, and yield its values. Raises FileFormatError; for a file that
    unpacks to too much, before it is read."""
    parts = _parts(raw, name)
    # Pictures, which don't shrink, are not unpacked.
    read = [
        at for at in parts.values() if at.filename.endswith((".xml", ".rels")) or at.file_size > 2 * at.compress_size
    ]
    unpacked = sum(at.file_size for at in read)
    check_unpacked(unpacked, 0, len(raw), name, WORKBOOK)
    limits = replace(WORKBOOK, memory=(WORKBOOK.memory or 0) + 8 * unpacked)
    return parse_apart(f"{__name__}:{job}", raw, name, limits, *arguments)


def read_names(file: BinaryIO, name: str) -> Iterator[str]:
    """Yield the names of the visible sheets."""
    with _opened(file, name) as book:
        yield from _visible(book)


def read_rows(file: BinaryIO, name: str, sheet: str) -> Iterator[Any]:
    """Yield the sheet's name for messages, then (row, cells) of each row that isn't blank. sheet: "" for the first."""
    with _opened(file, name) as book:
        chosen = sheet or next(iter(_visible(book)), "")
        there = [found.title for found in book.worksheets]
        if chosen not in there:
            what = f"no sheet “{chosen}”" if chosen else "no sheet with a table"
            raise FileFormatError(f"{name} has {what}.", f"It has: {listed(there)}." if there else _SAVE_ANEW)
        title = f"The sheet “{chosen}” of {name}" if len(book.sheetnames) > 1 else name
        if _never_computed(file, name, chosen):
            raise FileFormatError(
                f"{title} holds formulas whose values were never saved.",
                "Open it in a spreadsheet program, save it, and import it again.",
            )
        yield title
        found = False
        for row in _rows(book[chosen], title, _most_cells(file)):
            if row[1]:
                found = True
                yield row
        if not found:
            others = [other for other in _visible(book) if other != chosen]
            hint = f"Choose another of its sheets: {listed(others)}." if others else "Choose a file that holds data."
            raise FileFormatError(f"{title} is empty.", hint)


def _most_cells(file: BinaryIO) -> int:
    return WORKBOOK.cells_of(os.fstat(file.fileno()).st_size)


def _rows(sheet: Any, title: str, most: int) -> Iterator[tuple[int, list[Any]]]:
    """Yield each row with its number, up to its last cell with a value. The size that the file states is ignored."""
    sheet.reset_dimensions()
    seen = 0
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        seen += len(row)
        if seen > most or number > (WORKBOOK.rows or 0):
            raise too_many_cells(title, most)
        cells = [_value(cell) for cell in row]
        while cells and is_empty(cells[-1]):
            cells.pop()
        yield number, cells


def _value(cell: Any) -> Any:
    """Return a cell's value: dates as sortable text; the rest as numbers and words."""
    if isinstance(cell, str):
        return unescape(cell) if "_x" in cell else cell
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time() else cell.isoformat(" ", "seconds")
    if isinstance(cell, date | time):
        return cell.isoformat()
    return str(cell) if isinstance(cell, timedelta) else cell


def _margin(rows: Sequence[Sequence[Any]]) -> int:
    """Return how many columns on the left are empty: many tables begin at B2."""
    return min(
        (next((at for at, cell in enumerate(cells) if not is_empty(cell)), len(cells)) for cells in rows), default=0
    )


def _sound(
    rows: Iterable[tuple[int, Sequence[Any]]], left: int, errors: list[SkippedRow]
) -> Iterator[tuple[int, Sequence[Any]]]:
    """Yield the rows without their errors, which go to `errors`."""
    for number, row in rows:
        cells = list(row[left:])
        for at, cell in enumerate(cells):
            if isinstance(cell, str) and cell in _ERRORS:
                place = f"{get_column_letter(left + at + 1)}{number}"
                errors.append(SkippedRow(number, f"The cell {place} shows the error {cell}, so it counts as blank."))
                cells[at] = None
        yield number, cells


def _never_computed(file: BinaryIO, name: str, sheet: str) -> bool:
    """Return whether the sheet has formulas without any value: a program wrote it that doesn't compute them."""
    with ZipFile(file) as archive:
        parts = [part for part in archive.namelist() if part.startswith("xl/worksheets/")]
        if not any(_FORMULA.search(archive.read(part)) for part in parts):
            return False
    found = False
    with _opened(file, name) as values, _opened(file, name, formulas=True) as written:
        most = _most_cells(file)
        for now, as_written in zip(_rows(values[sheet], name, most), _rows(written[sheet], name, most), strict=False):
            for place, cell in enumerate(as_written[1]):
                if isinstance(cell, str) and cell.startswith("=") and (len(now[1]) <= place or now[1][place] != cell):
                    if place < len(now[1]) and now[1][place] is not None:
                        return False
                    found = True
    return found


def _visible(book: Any) -> list[str]:
    shown = [sheet.title for sheet in book.worksheets if sheet.sheet_state == "visible"]
    return shown or [sheet.title for sheet in book.worksheets]


@contextmanager
def _opened(file: BinaryIO, name: str, *, formulas: bool = False) -> Iterator[Any]:
    """Within the block, open the workbook; any error inside becomes one sentence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of styles and extensions that say nothing about values
        try:
            book = load_workbook(
                file, read_only=True, data_only=not formulas, keep_vba=False, keep_links=False, rich_text=False
            )
            try:
                yield book
            finally:
                book.close()
        except (WorkbenchError, MemoryError):
            raise
        except Exception as error:  # a damaged file raises whatever its parts run into
            raise _incomplete(name) from error


def _parts(raw: bytes, name: str = "") -> dict[str, ZipInfo]:
    """Return the archive's entries by name. Raises FileFormatError."""
    if raw.count(b"PK\x01\x02") > _MOST_PARTS:
        raise _incomplete(name)
    try:
        with ZipFile(BytesIO(raw)) as archive:
            return {part.filename: part for part in archive.infolist()}
    except (BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise _incomplete(name) from error


def _incomplete(name: str) -> FileFormatError:
    return FileFormatError(f"{name} is not a complete Excel workbook.", _SAVE_ANEW)
