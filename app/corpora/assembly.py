"""Assembly of a corpus text by text, with account of all that is left out."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from app.corpora.cells import BadCellError, OffScaleError, is_blank, number, one_line
from app.corpora.corpus import Corpus, CorpusText, SkippedRow
from app.corpora.records import Records
from app.domain.task import Dimension, Task
from app.domain.text import Rating, Text
from app.errors import FileFormatError

LONGEST_KEY = 2_400
"""Bytes; the index of a PostgreSQL database holds 2,700 a row."""


@dataclass(frozen=True, slots=True)
class RatingCell:
    """A rating as it stands in the file; `value` may be anything."""

    dimension: str
    rater: str
    value: object


class CorpusBuilder:
    """Collects texts. `dimensions` bound the ratings; those out of bounds or unreadable are left out and named."""

    def __init__(self, dimensions: Iterable[Dimension]) -> None:
        self._dimensions = {dimension.name: dimension for dimension in dimensions}
        self._texts: dict[tuple[str, str, str], CorpusText] = {}
        self._skipped: list[SkippedRow] = []

    def add(self, row: int, text: Text, cells: Iterable[RatingCell]) -> None:
        """One text. It is left out if it is empty, repeats a key, or if all ratings it has are unreadable."""
        if not text.text:
            self.skip(row, "It has no text.")
            return
        if sum(len(part.encode()) for part in text.key) > LONGEST_KEY:
            self.skip(
                row, f"The names of its document, system and item are longer than {LONGEST_KEY:,} bytes together."
            )
            return
        ratings, reasons, off_scale = self._ratings(cells)
        if reasons and not ratings and not off_scale:
            self.skip(row, f"No usable rating. {' '.join(reasons)}")
            return
        new = CorpusText(row, text, ratings)
        old = self._texts.setdefault(text.key, new)
        if old is not new:
            self.skip(row, _repetition_reason(old, new))
            return
        for reason in reasons:
            self.skip(row, f"{reason} The text {'and its other ratings are' if ratings else 'is'} kept.")

    def skip(self, row: int, reason: str) -> None:
        self._skipped.append(SkippedRow(row, one_line(reason)))

    def build(self, format_name: str, task: Task, records: Records, file_name: str) -> Corpus:
        """The corpus. Raises FileFormatError where no text is left."""
        skipped = sorted([*records.skipped, *self._skipped], key=lambda entry: entry.row)
        if not self._texts:
            first = f" Row {skipped[0].row}: {skipped[0].reason}" if skipped else ""
            raise FileFormatError(f"{file_name} holds no usable text: all {len(skipped)} rows were left out.{first}")
        return Corpus(format_name, task, tuple(self._dimensions.values()), tuple(self._texts.values()), tuple(skipped))

    def _ratings(self, cells: Iterable[RatingCell]) -> tuple[tuple[Rating, ...], list[str], bool]:
        """The ratings, why others are none, and whether one of those is a sound number outside its scale."""
        ratings: dict[tuple[str, str], Rating] = {}
        off_scale = False
        reasons: list[str] = []
        for cell in cells:
            if is_blank(cell.value):
                continue
            key = (cell.dimension, cell.rater)
            try:
                rating = Rating(*key, self._value(cell))
                if ratings.setdefault(key, rating) is not rating:
                    raise BadCellError("is given twice")
            except BadCellError as error:
                off_scale |= isinstance(error, OffScaleError)
                reasons.append(f"The {cell.dimension} rating by {cell.rater} {error}.")
        return tuple(ratings.values()), reasons, off_scale

    def _value(self, cell: RatingCell) -> float:
        dimension = self._dimensions.get(cell.dimension)
        if dimension is None:
            raise BadCellError("is on a dimension that this format doesn't have")
        value = number(cell.value)
        if not dimension.low <= value <= dimension.high:
            raise OffScaleError(f"is {value:g}, outside {dimension.low:g} to {dimension.high:g}")
        return value


def read_each(records: Records, builder: CorpusBuilder, read: Callable[[int, dict[str, Any]], None]) -> None:
    """Calls `read(row, record)` for every record; one that raises BadCellError is skipped with that reason."""
    for row, record in records.items:
        try:
            read(row, record)
        except BadCellError as error:
            builder.skip(row, str(error))


def _repetition_reason(old: CorpusText, new: CorpusText) -> str:
    if (old.text.text, old.text.source) == (new.text.text, new.text.source):
        same_ratings = old.ratings == new.ratings
        return f"It repeats row {old.row}" + ("." if same_ratings else " with other ratings; those of that row count.")
    return (
        f"Row {old.row} has the same document, system and item ({', '.join(filter(None, new.text.key))}) "
        "but another text or source."
    )
