"""Answers in columns of a table: yes and no in any of their spellings, scores, labels, and "does not apply"."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.commands.results.table_file import TableFile
from app.errors import InputError
from app.meta_evaluation.score_matrix import Bools, Floats

YES, NO = frozenset({"yes", "y", "true", "1", "1.0"}), frozenset({"no", "n", "false", "0", "0.0"})
NOT_APPLICABLE = frozenset({"na", "n/a", "not applicable", "does not apply"})
EMPTY = frozenset({"", "nan", "null", "none"})


@dataclass(frozen=True, slots=True)
class Values:
    """One column as numbers, yes 1 and no 0; NaN where it is empty or doesn't apply, which stands apart."""

    numbers: Floats
    empty: Bools
    not_applicable: Bools


def read_values(table: TableFile, name: str) -> Values:
    """Raises InputError for a cell that is neither yes, no nor a number, with its row (1 below the header)."""
    cells = [_word(cell) for cell in table.column(name)]
    numbers = [_number(table, name, row, cell) for row, cell in enumerate(cells, start=1)]
    empty, inapplicable = ([cell in kind for cell in cells] for kind in (EMPTY, NOT_APPLICABLE))
    return Values(np.array(numbers), np.array(empty), np.array(inapplicable))


@dataclass(frozen=True, slots=True)
class PeopleAnswers:
    """One answer of people a row, from one column or several.

    combined: "single" for one column; "majority" or "mean" of several. A tied row has no majority, so no answer.
    """

    columns: tuple[str, ...]
    combined: Literal["single", "majority", "mean"]
    answers: Floats
    ties: int
    not_applicable: int

    def to_json(self) -> dict[str, object]:
        return {"columns": list(self.columns), "combined": self.combined, "ties": self.ties}

    @property
    def sentence(self) -> str:
        """How several people count as one; "" for one column."""
        if self.combined == "single":
            return ""
        how = "their majority" if self.combined == "majority" else "the mean of their answers"
        tied = f" {self.ties:,} {'row is' if self.ties == 1 else 'rows are'} tied and count as not answered."
        return f"{len(self.columns)} people count as {how}.{tied if self.ties else ''}"


def read_people(table: TableFile, names: Sequence[str]) -> PeopleAnswers:
    """Yes and no by majority, scores by their mean, over the people who answered a row."""
    columns = [read_values(table, name) for name in names]
    numbers = np.stack([column.numbers for column in columns])
    count = (~np.isnan(numbers)).sum(axis=0)
    inapplicable = int((np.any([column.not_applicable for column in columns], axis=0) & (count == 0)).sum())
    if len(names) == 1:
        return PeopleAnswers(tuple(names), "single", numbers[0], 0, inapplicable)
    mean = np.where(count, np.nansum(numbers, axis=0) / np.maximum(count, 1), np.nan)
    if not np.isin(numbers[~np.isnan(numbers)], (0, 1)).all():
        return PeopleAnswers(tuple(names), "mean", mean, 0, inapplicable)
    tied = mean == 0.5
    majority = np.where(tied, np.nan, np.round(mean))
    return PeopleAnswers(tuple(names), "majority", majority, int(tied.sum()), inapplicable)


def majority_label(names: Sequence[str], columns: Floats) -> PeopleAnswers:
    """The label that most of the (people, rows) columns hold; "does not apply" is one like others."""
    if len(names) == 1:
        return PeopleAnswers(tuple(names), "single", columns[0], 0, 0)
    kinds = np.unique(columns[~np.isnan(columns)])
    if not kinds.size:
        return PeopleAnswers(tuple(names), "majority", columns[0], 0, 0)
    votes = np.stack([(columns == kind).sum(axis=0) for kind in kinds])
    most = votes.max(axis=0)
    tied = (most > 0) & ((votes == most).sum(axis=0) > 1)
    chosen = np.where((most > 0) & ~tied, kinds[votes.argmax(axis=0)], np.nan)
    return PeopleAnswers(tuple(names), "majority", chosen, int(tied.sum()), 0)


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
