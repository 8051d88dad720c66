"""A table to fill in and import: the columns of a task, and an example row."""

from collections.abc import Sequence
from io import BytesIO

from openpyxl import Workbook
from openpyxl.styles import Alignment, Font
from openpyxl.utils import get_column_letter

from app.domain.project import Dimension, Task
from app.domain.storable_text import harmless
from app.export.spreadsheet import csv_bytes

_WIDTHS = (60, 40)
"""Column widths in characters, of the text and of its source."""
_OTHER_WIDTH = 16


def template_columns(
    task: Task, dimensions: Sequence[Dimension], text_column: str, source_column: str
) -> dict[str, object]:
    """Return column -> its example. Without dimensions there is one rating, "overall"."""
    rated = dimensions or [Dimension("overall")]
    return {
        text_column: f"Paste one {task.text_name} here, word for word, in place of this row.",
        source_column: f"The {task.source_name} that it was written from, the same in each row that shares it. "
        "Leave it empty if there is none.",
        "author": "A1",
        **{dimension.name: (dimension.low + dimension.high) / 2 for dimension in rated},
    }


def template_csv(columns: dict[str, object]) -> bytes:
    return csv_bytes(list(columns), [columns])


def template_workbook(columns: dict[str, object]) -> bytes:
    """Return an .xlsx file, with wide columns for long texts and the header frozen."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None  # a new workbook has one
    sheet.title = "Texts"
    sheet.append([harmless(name) for name in columns])
    sheet.append([harmless(value) for value in columns.values()])
    for place, name in enumerate(columns, start=1):
        letter = get_column_letter(place)
        usual = _WIDTHS[place - 1] if place <= len(_WIDTHS) else _OTHER_WIDTH
        sheet.column_dimensions[letter].width = max(usual, len(name))
        sheet[f"{letter}1"].font = Font(bold=True)
        sheet[f"{letter}2"].alignment = Alignment(wrap_text=True, vertical="top")
    sheet.freeze_panes = "A2"
    file = BytesIO()
    book.save(file)
    return file.getvalue()
