"""Corpus: a dataset file once it is read."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from app.domain.project import Dimension, Rating, Task, Text


@dataclass(frozen=True, slots=True)
class CorpusText:
    """One text with its ratings.

    `row` is where it stands in the file, from 1: the data row of a CSV or Parquet file (the header isn't counted),
    the row of a sheet as its program numbers it, the line of a JSON Lines file, the record of a JSON list. Texts of one
    record share its number.
    """

    row: int
    text: Text
    ratings: tuple[Rating, ...]


@dataclass(frozen=True, slots=True)
class SkippedRow:
    """A row, or one rating of it, that was left out. `row` counts as in `CorpusText`; `reason` is for people."""

    row: int
    reason: str


@dataclass(frozen=True, slots=True)
class ColumnUse:
    """What a column was read as: `role` is a field of a text, or `rating` of a `dimension`; `guessed`, or as named."""

    column: str
    role: str
    dimension: str = ""
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class Corpus:
    """A dataset file, whole: what was read and what had to be left out. Only a table of no known format has `columns`:
    those that were used, and what for."""

    format: str
    task: Task
    dimensions: tuple[Dimension, ...]
    texts: tuple[CorpusText, ...]
    skipped: tuple[SkippedRow, ...]
    columns: tuple[ColumnUse, ...] = ()

    def reader(self) -> "CorpusReader":
        return CorpusReader(
            self.format, self.task, self.dimensions, lambda: iter(self.texts), lambda: self.skipped, self.columns
        )


@dataclass(frozen=True, slots=True)
class CorpusReader:
    """A dataset file whose texts are read one after the other and held by nobody. `left_out` is complete once all were
    read: the rows that had to be left out. `notes`: what a person should know of the whole file. The rest as in Corpus.
    """

    format: str
    task: Task
    dimensions: tuple[Dimension, ...]
    read: Callable[[], Iterator[CorpusText]]
    left_out: Callable[[], Sequence[SkippedRow]]
    columns: tuple[ColumnUse, ...] = ()
    notes: tuple[str, ...] = ()

    def whole(self) -> Corpus:
        texts = tuple(self.read())
        return Corpus(self.format, self.task, self.dimensions, texts, tuple(self.left_out()), self.columns)
