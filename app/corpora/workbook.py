"""Rows of a sheet of an Excel workbook (.xlsx): its values, with the sheet's own row numbers.

Nothing in it is run or followed: macros, links to other files and pictures stay unread. It is read row by row and given
up at a limit, so that no small file fills the memory or keeps the program busy.
"""

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from io import BytesIO
from itertools import dropwhile
from typing import Any
from zipfile import BadZipFile, ZipFile

from openpyxl import load_workbook
from openpyxl.utils import get_column_letter
from openpyxl.utils.escape import unescape

from app.corpora.cells import listed
from app.corpora.corpus import SkippedRow
from app.corpora.headed_rows import Read, headed_rows, is_empty
from app.corpora.table_limits import MOST_CELLS, too_many_cells
from app.errors import FileFormatError, WorkbenchError

MOST_ROWS = 1_048_576
"""As many as the format has; a file can claim more."""
LARGEST_UNPACKED = 200 * 2**20
"""Bytes of the parts that are read: they are XML, of which a workbook of 500 MB would take minutes."""
_ERRORS = frozenset(
    {"#N/A", "#NAME?", "#DIV/0!", "#REF!", "#VALUE!", "#NUM!", "#NULL!", "#SPILL!", "#CALC!", "#GETTING_DATA"}
)
_FORMULA = re.compile(rb"<(\w+:)?f[ />]")
_SAVE_ANEW = "Open it in a spreadsheet program, save it as .xlsx, or export the sheet as CSV."


def is_workbook(raw: bytes) -> bool:
    """Whether this zip archive holds the parts of a workbook."""
    try:
        with ZipFile(BytesIO(raw)) as archive:
            return any(part.startswith("xl/") for part in archive.namelist())
    except (BadZipFile, ValueError, OSError, NotImplementedError):
        return b"xl/workbook" in raw  # damaged: `workbook_rows` says so


def sheet_names(raw: bytes, name: str) -> tuple[str, ...]:
    """The sheets that a person sees, in their order. Raises FileFormatError."""
    with _opened(raw, name) as book:
        return tuple(_visible(book))


def workbook_rows(raw: bytes, name: str, sheet: str = "") -> Read:
    """The rows of a sheet, the first one unless another is named, as `headed_rows` says.

    The first row that isn't blank names the columns. A cell that shows an error counts as blank and is named.
    Raises FileFormatError where the file, the sheet or its formulas can't be read, or it is too large.
    """
    with _opened(raw, name) as book:
        chosen = sheet or next(iter(_visible(book)), "")
        _check_sheet(book, chosen, name)
        title = f"The sheet “{chosen}” of {name}" if len(book.sheetnames) > 1 else name
        numbered = list(dropwhile(lambda row: all(map(is_empty, row[1])), _rows(book[chosen], title)))
        if not numbered:
            others = [other for other in _visible(book) if other != chosen]
            hint = f"Choose another of its sheets: {listed(others)}." if others else "Choose a file that holds data."
            raise FileFormatError(f"{title} is empty.", hint)
    if _never_computed(raw, name, chosen):
        raise FileFormatError(
            f"{title} holds formulas whose values were never saved.",
            "Open it in a spreadsheet program, save it, and import it again.",
        )
    left = _margin([cells for _, cells in numbered])
    errors: list[SkippedRow] = []
    sound = list(_sound(numbered, left, errors))
    rows, skipped = headed_rows(lambda: iter(sound), title)
    return rows, [*skipped, *errors]


def _rows(sheet: Any, title: str) -> Iterator[tuple[int, list[Any]]]:
    """Each row with its number, to its last cell that holds something. What the file says of its own size is not
    believed."""
    sheet.reset_dimensions()
    seen = 0
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        seen += len(row)
        if seen > MOST_CELLS or number > MOST_ROWS:
            raise too_many_cells(title)
        cells = [_value(cell) for cell in row]
        while cells and is_empty(cells[-1]):
            cells.pop()
        yield number, cells


def _value(cell: Any) -> Any:
    """Dates as people write them to be sorted; everything else as numbers and words."""
    if isinstance(cell, str):
        return unescape(cell) if "_x" in cell else cell
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time() else cell.isoformat(" ", "seconds")
    if isinstance(cell, date | time):
        return cell.isoformat()
    return str(cell) if isinstance(cell, timedelta) else cell


def _margin(rows: Sequence[Sequence[Any]]) -> int:
    """How many columns on the left hold nothing: many begin their tables at B2."""
    return min(next((at for at, cell in enumerate(cells) if not is_empty(cell)), len(cells)) for cells in rows if cells)


def _sound(
    rows: Iterable[tuple[int, Sequence[Any]]], left: int, errors: list[SkippedRow]
) -> Iterator[tuple[int, Sequence[Any]]]:
    """The rows without their errors, which go to `errors`."""
    for number, row in rows:
        cells = list(row[left:])
        for at, cell in enumerate(cells):
            if isinstance(cell, str) and cell in _ERRORS:
                place = f"{get_column_letter(left + at + 1)}{number}"
                errors.append(SkippedRow(number, f"The cell {place} shows the error {cell}, so it counts as blank."))
                cells[at] = None
        yield number, cells


def _never_computed(raw: bytes, name: str, sheet: str) -> bool:
    """Whether the sheet has formulas and none of them a value: a program wrote it that doesn't compute."""
    with ZipFile(BytesIO(raw)) as archive:
        parts = [part for part in archive.namelist() if part.startswith("xl/worksheets/")]
        if not any(_FORMULA.search(archive.read(part)) for part in parts):
            return False
    found = False
    with _opened(raw, name) as values, _opened(raw, name, formulas=True) as written:
        for now, as_written in zip(_rows(values[sheet], name), _rows(written[sheet], name), strict=False):
            for place, cell in enumerate(as_written[1]):
                if isinstance(cell, str) and cell.startswith("=") and (len(now[1]) <= place or now[1][place] != cell):
                    if place < len(now[1]) and now[1][place] is not None:
                        return False
                    found = True
    return found


def _visible(book: Any) -> list[str]:
    shown = [sheet.title for sheet in book.worksheets if sheet.sheet_state == "visible"]
    return shown or [sheet.title for sheet in book.worksheets]


def _check_sheet(book: Any, sheet: str, name: str) -> None:
    there = [found.title for found in book.worksheets]
    if sheet not in there:
        what = f"no sheet “{sheet}”" if sheet else "no sheet with a table"
        raise FileFormatError(f"{name} has {what}.", f"It has: {listed(there)}." if there else _SAVE_ANEW)


@contextmanager
def _opened(raw: bytes, name: str, *, formulas: bool = False) -> Iterator[Any]:
    """The workbook while the block lasts; whatever is wrong inside becomes one sentence."""
    _check_size(raw, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of styles and extensions that say nothing about values
        try:
            book = load_workbook(
                BytesIO(raw), read_only=True, data_only=not formulas, keep_vba=False, keep_links=False, rich_text=False
            )
            try:
                yield book
            finally:
                book.close()
        except (WorkbenchError, MemoryError):
            raise
        except Exception as error:  # a damaged file raises whatever its parts run into
            raise FileFormatError(f"{name} is not a complete Excel workbook.", _SAVE_ANEW) from error


def _check_size(raw: bytes, name: str) -> None:
    try:
        with ZipFile(BytesIO(raw)) as archive:
            unpacked = sum(part.file_size for part in archive.infolist() if part.filename.endswith((".xml", ".rels")))
    except (BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise FileFormatError(f"{name} is not a complete Excel workbook.", _SAVE_ANEW) from error
    if unpacked > LARGEST_UNPACKED:
        raise FileFormatError(
            f"{name} unpacks to more than {LARGEST_UNPACKED // 2**20} MB, which is the most that is read.",
            "Split it into smaller files, or export the sheet as CSV.",
        )
