"""Assembly of a corpus text by text, with an account of everything left out."""

from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from app.corpora.corpus import CorpusReader, CorpusText, SkippedRow
from app.corpora.records import Records
from app.corpora.rows import BadCellError, OffScaleError, is_blank, number, one_line
from app.domain.project import Dimension, Rating, Task, Text
from app.errors import FileFormatError

ReadRecord = Callable[[int, dict[str, Any]], None]
LONGEST_KEY = 2_400
"""Bytes; a row of a PostgreSQL index holds 2,700."""


@dataclass(frozen=True, slots=True)
class RatingCell:
    """A rating as in the file; `value` may be anything."""

    dimension: str
    rater: str
    value: object


class CorpusBuilder:
    """Makes texts from records. `dimensions` limit the ratings; ratings off their scale or unreadable are left out and
    reported.

    Texts are passed on and not kept in memory: only digests are, to find repetitions.
    """

    def __init__(self, dimensions: Iterable[Dimension]) -> None:
        self._dimensions = {dimension.name: dimension for dimension in dimensions}
        self._seen = _SeenTexts()
        self._new: list[CorpusText] = []
        self._skipped: list[SkippedRow] = []

    def add(self, row: int, text: Text, cells: Iterable[RatingCell]) -> None:
        """Add one text. It is left out if it is empty, repeats a key, or has only unreadable ratings."""
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
        if repeated := self._seen.add(new):
            self.skip(row, repeated)
            return
        self._new.append(new)
        for reason in reasons:
            self.skip(row, f"{reason} The text {'and its other ratings are' if ratings else 'is'} kept.")

    def skip(self, row: int, reason: str) -> None:
        self._skipped.append(SkippedRow(row, one_line(reason)))

    def reader(self, format_name: str, task: Task, records: Records, file_name: str, read: ReadRecord) -> CorpusReader:
        """Return the corpus. `read` adds the texts of one record; if it raises BadCellError, that is the reason to
        leave the record out. Reading raises FileFormatError at its end if no text is left."""

        def left_out() -> list[SkippedRow]:
            return sorted([*records.skipped, *self._skipped], key=lambda entry: entry.row)

        def texts() -> Iterator[CorpusText]:
            self._seen, self._skipped, self._new = _SeenTexts(), [], []
            for row, record in records.items:
                try:
                    read(row, record)
                except BadCellError as error:
                    self.skip(row, str(error))
                yield from self._new
                self._new.clear()
            if not self._seen:
                skipped = left_out()
                first = f" Row {skipped[0].row}: {skipped[0].reason}" if skipped else ""
                raise FileFormatError(
                    f"{file_name} holds no usable text: all {len(skipped)} rows were left out.{first}"
                )

        return CorpusReader(format_name, task, tuple(self._dimensions.values()), texts, left_out)

    def _ratings(self, cells: Iterable[RatingCell]) -> tuple[tuple[Rating, ...], list[str], bool]:
        """Return the ratings, why other cells are none, and whether one of those is a number off its scale."""
        ratings: dict[tuple[str, str], Rating] = {}
        off_scale = False
        reasons: list[str] = []
        for cell in cells:
            if is_blank(cell.value):
                continue
            key = (cell.dimension, cell.rater)
            try:
                dimension = self._dimensions.get(cell.dimension)
                if dimension is None:
                    raise BadCellError("is on a dimension that this format doesn't have")
                value = number(cell.value)
                if not dimension.low <= value <= dimension.high:
                    raise OffScaleError(f"is {value:g}, outside {dimension.low:g} to {dimension.high:g}")
                rating = Rating(*key, value)
                if ratings.setdefault(key, rating) is not rating:
                    raise BadCellError("is given twice")
            except BadCellError as error:
                off_scale |= isinstance(error, OffScaleError)
                reasons.append(f"The {cell.dimension} rating by {cell.rater} {error}.")
        return tuple(ratings.values()), reasons, off_scale


def digest(*parts: Hashable) -> int:
    """Return 64 bits: among a million texts two different ones get the same digest once in 40 million files."""
    return int.from_bytes(blake2b(repr(parts).encode(errors="surrogatepass"), digest_size=8).digest(), signed=True)


class _SeenTexts:
    """Texts that were read, by the digest of their names, with their rows and the digests of their content."""

    def __init__(self) -> None:
        self._places: dict[int, int] = {}
        self._rows, self._contents, self._ratings = array("q"), array("q"), array("q")

    def __len__(self) -> int:
        return len(self._places)

    def add(self, new: CorpusText) -> str:
        """Return why the text counts as a repetition of an earlier one; "" if its names are new."""
        place = self._places.setdefault(digest(*new.text.key), len(self._places))
        contents, ratings = (
            digest(new.text.text, new.text.source),
            digest(*((r.dimension, r.rater, r.value) for r in new.ratings)),
        )
        if place == len(self._rows):
            self._rows.append(new.row)
            self._contents.append(contents)
            self._ratings.append(ratings)
            return ""
        row = self._rows[place]
        if self._contents[place] != contents:
            named = ", ".join(filter(None, new.text.key))
            return f"Row {row} has the same document, system and item ({named}) but another text or source."
        same_ratings = self._ratings[place] == ratings
        return f"It repeats row {row}" + ("." if same_ratings else " with other ratings; those of that row count.")
