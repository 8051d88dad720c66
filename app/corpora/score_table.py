"""A table of scores that came from elsewhere, joined with texts by their names."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.corpora.cells import BadCellError, identifier, is_blank, listed, number
from app.corpora.corpus import SkippedRow
from app.corpora.guessing import guess_mapping
from app.corpora.table import TableData
from app.errors import InputError, NotFoundError

Key = tuple[str, str, str]
PARTS = ("doc_id", "system_id", "item_id")


@dataclass(frozen=True, slots=True)
class ScoreColumns:
    """The column with the scores, and those with the parts of a text's name (ADR 4); "" where the table lacks one."""

    score: str
    doc_id: str = ""
    system_id: str = ""
    item_id: str = ""

    @property
    def parts(self) -> tuple[str, str, str]:
        return self.doc_id, self.system_id, self.item_id


@dataclass(frozen=True, slots=True)
class MatchedScores:
    """Key -> (row, score). `left_out` says why a row gave no score; `duplicates` counts rows that repeated one."""

    scores: Mapping[Key, tuple[int, float]]
    left_out: tuple[SkippedRow, ...]
    duplicates: int = 0


def find_columns(table: TableData, wanted: ScoreColumns) -> ScoreColumns:
    """The wanted columns, with the parts of the name found by their usual headings where none is given.

    Raises NotFoundError for a column that isn't there, InputError where nothing names a text.
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
    """Each row's text, by the parts of its name that the table has; a row that fits no text or several is left out.

    Of a text that stands there twice the first score counts; another one is left out with a word.
    """
    used = [place for place, column in enumerate(columns.parts) if column]
    index: dict[tuple[str, ...], list[Key]] = {}
    for key in keys:
        index.setdefault(tuple(key[place] for place in used), []).append(key)
    scores: dict[Key, tuple[int, float]] = {}
    left_out, duplicates = list(table.skipped), 0
    for row, cells in zip(table.numbers, table.rows, strict=True):
        try:
            key = _key(cells, columns, used, index)
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


def _key(
    cells: Mapping[str, Any], columns: ScoreColumns, used: Sequence[int], index: Mapping[tuple[str, ...], list[Key]]
) -> Key:
    given = tuple(identifier(cells.get(columns.parts[place])) for place in used)
    found = index.get(given, [])
    if not found:
        raise BadCellError(f"The project has no text {shown(given)}.")
    if len(found) > 1:
        lacking = [PARTS[place] for place in range(3) if place not in used and len({key[place] for key in found}) > 1]
        raise BadCellError(f"{len(found)} texts are called {shown(given)}; the file doesn't give {lacking[0]}.")
    return found[0]


def _score(cells: Mapping[str, Any], columns: ScoreColumns) -> float:
    cell = cells.get(columns.score)
    if is_blank(cell):
        raise BadCellError("It has no score.")
    try:
        return number(cell)
    except BadCellError as error:
        raise BadCellError(f"The score {error}.") from None


def shown(key: Sequence[str]) -> str:
    """A text's name for people."""
    return " / ".join(f"“{part[:60]}”" for part in key if part) or "without a name"
