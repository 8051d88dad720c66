"""Rows of a table with answers to questions: one an answer, or one a question with a column for each who answered."""

from collections.abc import Iterator, Sequence

from app.corpora.table import TableData
from app.errors import FileFormatError

Cells = dict[str, str]
_ABOUT = ("doc_id", "system_id", "item_id", "number", "question")


def answer_rows(table: TableData, name: str, who: str, columns: Sequence[str] = ()) -> Iterator[tuple[int, Cells]]:
    """One (row's number, cells) an answer; who gave it stands in the cell `who` where the table says it.

    columns: those that hold one person's or judge's answers each: a row is as many answers then. What else stands in
    such a row, a note or a reason, is nobody's.
    Raises FileFormatError where a column isn't there.
    """
    for column in ("doc_id", *(columns or ["answer"])):
        if column not in table.columns:
            raise FileFormatError(f"{name} has no column “{column}”.", "Export a sheet to see the columns.")
    for row_number, row in zip(table.numbers, table.rows, strict=True):
        if not columns:
            yield row_number, {column: _cell(value) for column, value in row.items()}
            continue
        about = {column: _cell(row.get(column)) for column in _ABOUT}
        for column in columns:
            yield row_number, about | {who: column, "answer": _cell(row[column])}


def _cell(value: object) -> str:
    """As a person would have typed it: a sheet's 3 may come as 3.0."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value)
