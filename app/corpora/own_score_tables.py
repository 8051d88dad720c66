"""Tables of scores and of answers."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.corpora.corpus import SkippedRow
from app.corpora.mapping import guess_mapping
from app.corpora.records import Records, read_records
from app.corpora.rows import BadCellError, FileRows, check_cells, identifier, is_blank, listed, number, one_line
from app.errors import FileFormatError, InputError, NotFoundError


@dataclass(frozen=True, slots=True)
class TableData:
    """A table. `rows` map every column to its value (None if missing); `numbers` are their rows as in CorpusText.

    `format` is the container: csv, json, jsonl, parquet or xlsx. `skipped` are rows that couldn't be parsed.
    """

    columns: tuple[str, ...]
    rows: Sequence[Mapping[str, Any]]
    numbers: Sequence[int] = ()
    skipped: tuple[SkippedRow, ...] = ()
    format: str = "csv"


def load_table(path: Path, format: str = "auto", sheet: str = "") -> TableData:  # noqa: A002 (the command line's word)
    """Return the whole file. `format` names the container or is auto; sheet: as `read_records`, and the same errors."""
    table = open_table(path, format, sheet)
    return replace(table, rows=tuple(table.rows), numbers=tuple(table.numbers))


def open_table(path: Path, format: str = "auto", sheet: str = "") -> TableData:  # noqa: A002 (the command line's word)
    """Return the file as `load_table`, without keeping rows in memory: each iteration reads them again."""
    return as_table(read_records(path, format, sheet))


def as_table(records: Records) -> TableData:
    """Return records as a table. Nested objects become columns named with dots (`scores.coherence`); lists stay one
    value. Rows that `records` reads again at each iteration are read again here too.

    Raises FileFormatError for a table that is too large.
    """
    count, delimited = len(records.items), records.container in ("csv", "xlsx")
    if delimited:  # records are rows already: each has every column, in order
        columns = tuple(records.items[0][1]) if count else ()
    else:
        columns = tuple(dict.fromkeys(name for _, record in records.items for name in flatten(record)))
    check_cells(count, len(columns), "The file")

    def rows() -> Iterator[Mapping[str, Any]]:
        for _, record in records.items:
            if delimited:
                yield record
            else:
                flat = flatten(record)
                yield {name: flat.get(name) for name in columns}

    def numbers() -> Iterator[int]:
        return (number for number, _ in records.items)

    return TableData(columns, FileRows(rows, count), FileRows(numbers, count), records.skipped, records.container)


def flatten(record: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in record.items():
        full = f"{prefix}{one_line(str(name))}"
        if isinstance(value, Mapping) and value:
            flat.update(flatten(value, f"{full}."))
        else:
            flat[full] = value
    return flat


Cells = dict[str, str]


def answer_rows(table: TableData, name: str, who: str, columns: Sequence[str] = ()) -> Iterator[tuple[int, Cells]]:
    """Yield (row's number, cells) of each answer; the cell `who` holds who gave it, if the table says so.

    columns: those that each hold one person's or judge's answers: a row then gives as many answers. Its other cells, a
    note or a reason, are left out. Raises FileFormatError for a missing column.
    """
    for column in ("doc_id", *(columns or ["answer"])):
        if column not in table.columns:
            raise FileFormatError(f"{name} has no column “{column}”.", "Export a sheet to see the columns.")
    for row_number, row in zip(table.numbers, table.rows, strict=True):
        if not columns:
            yield row_number, {column: _cell(value) for column, value in row.items()}
            continue
        about = {column: _cell(row.get(column)) for column in ("doc_id", "system_id", "item_id", "number", "question")}
        for column in columns:
            yield row_number, about | {who: column, "answer": _cell(row[column])}


def _cell(value: object) -> str:
    """Return a cell as a person would have typed it: a sheet's 3 may come as 3.0."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value)


Key = tuple[str, str, str]
PARTS = ("doc_id", "system_id", "item_id")


@dataclass(frozen=True, slots=True)
class ScoreColumns:
    """The column with the scores, and those with the parts of a text's name (ADR 4); "" if the table lacks one."""

    score: str
    doc_id: str = ""
    system_id: str = ""
    item_id: str = ""

    @property
    def parts(self) -> tuple[str, str, str]:
        return self.doc_id, self.system_id, self.item_id


@dataclass(frozen=True, slots=True)
class MatchedScores:
    """Scores by text: key -> (row, score). `left_out`: why a row gave none; `duplicates`: rows that repeated a text."""

    scores: Mapping[Key, tuple[int, float]]
    left_out: tuple[SkippedRow, ...]
    duplicates: int = 0


def find_columns(table: TableData, wanted: ScoreColumns) -> ScoreColumns:
    """Return the wanted columns, with the parts of the name found by their usual headings if none is given.

    Raises NotFoundError for a missing column, InputError if no column names a text.
    """
    for column in (wanted.score, *wanted.parts):
        if column and column not in table.columns:
            raise NotFoundError(f"The file has no column “{column}”.", f"It has: {listed(table.columns)}.")
    guessed = guess_mapping(table.columns, table.rows).columns
    parts = {part: getattr(wanted, part) or guessed.get(part, "") for part in PARTS}
    found = {part: "" if column == wanted.score else column for part, column in parts.items()}
    if not (found["doc_id"] or found["item_id"]):
        raise InputError(
            "The file has no column that names the texts.",
            f"Choose the one that holds doc_id, or item_id; it has: {listed(table.columns)}.",
        )
    return ScoreColumns(wanted.score, **found)


def match_scores(table: TableData, columns: ScoreColumns, keys: Collection[Key]) -> MatchedScores:
    """Match each row to a text by the parts of its name that the table has; a row that fits no text or several is left
    out.

    If a text occurs twice the first score counts; the other row is left out with a reason.
    """
    used = [place for place, column in enumerate(columns.parts) if column]
    index: dict[tuple[str, ...], list[Key]] = {}
    for key in keys:
        index.setdefault(tuple(key[place] for place in used), []).append(key)
    scores: dict[Key, tuple[int, float]] = {}
    left_out, duplicates = list(table.skipped), 0
    for row, cells in zip(table.numbers, table.rows, strict=True):
        try:
            given = tuple(identifier(cells.get(columns.parts[place])) for place in used)
            found = index.get(given, [])
            if not found:
                raise BadCellError(f"The project has no text {shown(given)}.")
            if len(found) > 1:
                lacking = [
                    PARTS[place] for place in range(3) if place not in used and len({key[place] for key in found}) > 1
                ]
                raise BadCellError(f"{len(found)} texts are called {shown(given)}; the file doesn't give {lacking[0]}.")
            key = found[0]
            value = _score(cells, columns)
            if key in scores and scores[key][1] != value:
                first = scores[key]
                raise BadCellError(f"Row {first[0]} already gives this text {first[1]:g}, this one {value:g}.")
        except BadCellError as reason:
            left_out.append(SkippedRow(row, str(reason)))
            continue
        duplicates += key in scores
        scores.setdefault(key, (row, value))
    return MatchedScores(scores, tuple(sorted(left_out, key=lambda skipped: skipped.row)), duplicates)


def _score(cells: Mapping[str, Any], columns: ScoreColumns) -> float:
    cell = cells.get(columns.score)
    if is_blank(cell):
        raise BadCellError("It has no score.")
    try:
        return number(cell)
    except BadCellError as error:
        raise BadCellError(f"The score {error}.") from None


def shown(key: Sequence[str]) -> str:
    """Return a text's name for people."""
    return " / ".join(f"“{part[:60]}”" for part in key if part) or "without a name"
