"""Answers in columns of a table: yes and no in any of their spellings, scores, labels, and "does not apply"."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.commands.results.table_file import TableFile
from app.errors import InputError
from app.meta_evaluation.score_matrix import Floats

YES, NO = frozenset({"yes", "y", "true", "1", "1.0"}), frozenset({"no", "n", "false", "0", "0.0"})
NOT_APPLICABLE = frozenset({"na", "n/a", "not applicable", "does not apply"})
EMPTY = frozenset({"", "nan", "null", "none"})


@dataclass(frozen=True, slots=True)
class Values:
    """One column as numbers, yes 1 and no 0; NaN where it is empty or doesn't apply, which is counted apart."""

    numbers: Floats
    empty: int
    not_applicable: int


def read_values(table: TableFile, name: str) -> Values:
    """Raises InputError for a cell that is neither yes, no nor a number, with its row (1 below the header)."""
    cells = [_word(cell) for cell in table.column(name)]
    numbers = [_number(table, name, row, cell) for row, cell in enumerate(cells, start=1)]
    return Values(np.array(numbers), sum(c in EMPTY for c in cells), sum(c in NOT_APPLICABLE for c in cells))


def read_labels(table: TableFile, names: Sequence[str]) -> tuple[Floats, list[str]]:
    """(columns, rows) places in a list of labels that all columns share, NaN for an empty cell.

    "Does not apply" is an answer like others; yes and no are the same in every spelling, 3 and 3.0 one label.
    """
    words = [[_label(_word(cell)) for cell in table.column(name)] for name in names]
    labels = sorted({word for column in words for word in column if word})
    place = {label: float(number) for number, label in enumerate(labels)} | {"": float("nan")}
    return np.array([[place[word] for word in column] for column in words]), labels


def row_names(table: TableFile, name: str | None, what: str) -> list[str] | None:
    """What a column names, row by row; None where no column was named. Raises InputError for an empty cell."""
    keys = table.keys(name)
    if keys is None:
        return None
    lacking = next((row for row, key in enumerate(keys, start=1) if key is None), None)
    if lacking:
        raise InputError(f"{table.name}, row {lacking}, column {name!r} is empty.", f"Name each row's {what}.")
    return [str(key) for key in keys]


def _word(cell: object) -> str:
    if cell is None or (isinstance(cell, float) and np.isnan(cell)):
        return ""
    return str(cell).strip().lower()


def _number(table: TableFile, name: str, row: int, word: str) -> float:
    if word in EMPTY or word in NOT_APPLICABLE:
        return float("nan")
    if word in YES or word in NO:
        return float(word in YES)
    try:
        value = float(word)
    except ValueError:
        value = float("inf")
    if not np.isfinite(value):
        raise InputError(
            f"{table.name}, row {row}, column {name!r}: {word[:40]!r} is neither yes, no nor a number.",
            "Correct the cell, leave it empty, or choose another column.",
        )
    return value


def _label(word: str) -> str:
    if word in EMPTY:
        return ""
    if word in NOT_APPLICABLE:
        return "does not apply"
    if word in YES or word in NO:
        return "yes" if word in YES else "no"
    try:
        return f"{float(word):g}"
    except ValueError:
        return word
