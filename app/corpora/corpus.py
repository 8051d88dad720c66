"""Corpus: a dataset file after reading."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from app.domain.project import Dimension, Rating, Task, Text


@dataclass(frozen=True, slots=True)
class CorpusText:
    """One text with its ratings.

    `row` is its place in the file, from 1: the data row of a CSV or Parquet file (without the header), the row of a
    sheet as its program numbers it, the line of a JSON Lines file, the record of a JSON list. Texts of one record share
    its number.
    """

    row: int
    text: Text
    ratings: tuple[Rating, ...]


@dataclass(frozen=True, slots=True)
class SkippedRow:
    """A row, or one of its ratings, that was left out. `row` counts as in `CorpusText`; `reason` is for people."""

    row: int
    reason: str


@dataclass(frozen=True, slots=True)
class ColumnUse:
    """How a column was read: `role` is a field of a text, or `rating` of a `dimension`; `guessed`, or as named."""

    column: str
    role: str
    dimension: str = ""
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class Corpus:
    """A whole dataset file: the texts, and what was left out. Only a table of no known format has `columns`: the used
    ones and their roles."""

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
    """A dataset file whose texts are read one after the other without keeping them in memory. `left_out`, the rows left
    out, is complete once all were read. `notes`: what a person should know of the whole file. The rest as in Corpus."""

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
