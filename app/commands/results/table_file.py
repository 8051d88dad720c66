"""Columns of a user's table: CSV, TSV, Excel, Parquet, JSON Lines or a JSON list of objects."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

import numpy as np

from app.corpora.records import read_records
from app.corpora.rows import check_cells, is_blank, listed
from app.errors import FileFormatError, InputError, NotFoundError
from app.meta_evaluation.score_matrix import Bools, Floats


@dataclass(frozen=True, slots=True)
class TableFile:
    """A table: column name -> cells, one for each row. Cells are strings in CSV, typed values elsewhere."""

    name: str
    columns: dict[str, list[object]]

    def column(self, name: str) -> list[object]:
        """Return a column. Raises NotFoundError, naming the existing columns."""
        if name in self.columns:
            return self.columns[name]
        close = get_close_matches(name, self.columns, n=1)
        hint = f"Did you mean {close[0]!r}?" if close else f"Its columns are: {listed(tuple(self.columns))}."
        raise NotFoundError(f"{self.name} has no column {name!r}.", hint)

    def numbers(self, name: str) -> list[float | None]:
        """Return the column as numbers, None for an empty cell.

        Raises:
            InputError: a cell is neither empty nor a number; it names the row (the first one below the header is 1).
        """
        return [self._number(name, row, cell) for row, cell in enumerate(self.column(name), start=1)]

    def keys(self, name: str | None) -> list[object] | None:
        """Return the column as names of sources or systems, None for an empty cell; None if `name` is None."""
        if name is None:
            return None
        return [None if _is_missing(cell) else str(cell).strip() for cell in self.column(name)]

    def _number(self, name: str, row: int, cell: object) -> float | None:
        if _is_missing(cell):
            return None
        try:
            return float(cell)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            shown = str(cell)[:40]
            raise InputError(
                f"{self.name}, row {row}, column {name!r}: {shown!r} is not a number.",
                "Correct the cell, leave it empty, or choose another column.",
            ) from None


def read_table(path: Path) -> TableFile:
    """Read a table as `import` reads it. Nested fields get dotted names: {"scores": {"fluency": 3}} has the column
    scores.fluency.

    Raises:
        NotFoundError: no such file.
        FileFormatError: not an ordinary file, too large, not what its name says, without rows, or with a row that can't
            be read: a figure without it would be about other texts than the file's.
    """
    records = read_records(path)
    if records.skipped:
        first = records.skipped[0]
        more = f" {len(records.skipped):,} such rows in all." if len(records.skipped) > 1 else ""
        raise FileFormatError(f"{path.name}, row {first.row} can't be read. {first.reason}{more}", "Correct the file.")
    rows = [_flat(record) for _, record in records.items]
    names = dict.fromkeys(name for row in rows for name in row)
    check_cells(len(rows), len(names), path.name)
    return TableFile(path.name, {name: [row.get(name) for row in rows] for name in names})


def _flat(entry: dict[str, object], prefix: str = "") -> dict[str, object]:
    flat: dict[str, object] = {}
    for key, value in entry.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat


def _is_missing(cell: object) -> bool:
    return is_blank(cell) or (isinstance(cell, float) and cell != cell)  # noqa: PLR0124 - the definition of NaN


YES, NO = frozenset({"yes", "y", "true", "1", "1.0"}), frozenset({"no", "n", "false", "0", "0.0"})
NOT_APPLICABLE = frozenset({"na", "n/a", "not applicable", "does not apply"})
EMPTY = frozenset({"", "nan", "null", "none"})


@dataclass(frozen=True, slots=True)
class Values:
    """One column as numbers, yes 1 and no 0; NaN if it is empty or doesn't apply, which the masks tell apart."""

    numbers: Floats
    empty: Bools
    not_applicable: Bools


def read_values(table: TableFile, name: str) -> Values:
    """Return the column's values. Raises InputError for a cell that is neither yes, no nor a number, with its row (1
    below the header)."""
    cells = [_word(cell) for cell in table.column(name)]
    numbers = [_number(table, name, row, cell) for row, cell in enumerate(cells, start=1)]
    empty, inapplicable = ([cell in kind for cell in cells] for kind in (EMPTY, NOT_APPLICABLE))
    return Values(np.array(numbers), np.array(empty), np.array(inapplicable))


@dataclass(frozen=True, slots=True)
class PeopleAnswers:
    """People's combined answer for each row, from one or more columns.

    combined: "single" for one column; "majority" or "mean" of several. A tied row has no answer.
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
        """Return how several people's answers are combined; "" for one column."""
        if self.combined == "single":
            return ""
        how = "their majority" if self.combined == "majority" else "the mean of their answers"
        tied = f" {self.ties:,} {'row is' if self.ties == 1 else 'rows are'} tied and count as not answered."
        return f"{len(self.columns)} people count as {how}.{tied if self.ties else ''}"


def read_people(table: TableFile, names: Sequence[str]) -> PeopleAnswers:
    """Return people's answers: the majority of yes and no, or the mean of scores, over those who answered a row."""
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
    """Return the majority label of the (people, rows) columns; "does not apply" is a label too."""
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
    """Return (columns, rows) indices into a list of labels that all columns share, NaN for an empty cell, and that
    list.

    "Does not apply" is a label too; yes and no are equal in every spelling, and so are 3 and 3.0.
    """
    words = [[_label(_word(cell)) for cell in table.column(name)] for name in names]
    labels = sorted({word for column in words for word in column if word})
    place = {label: float(number) for number, label in enumerate(labels)} | {"": float("nan")}
    return np.array([[place[word] for word in column] for column in words]), labels


def row_names(table: TableFile, name: str | None, what: str) -> list[str] | None:
    """Return the names in a column, row by row; None if no column was named. Raises InputError for an empty cell."""
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
