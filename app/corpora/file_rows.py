"""Rows of a data file that are read anew each time somebody goes through them, so that none of them is held."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Generic, TypeVar, overload

from app.corpora.corpus import SkippedRow

Row_co = TypeVar("Row_co", covariant=True)
Item = TypeVar("Item")


class FileRows(Sequence[Row_co], Generic[Row_co]):
    """As many rows as `count` says. A slice from the beginning reads no further; any other place reads up to it."""

    def __init__(self, read: Callable[[], Iterable[Row_co]], count: int) -> None:
        self._read = read
        self._count = count

    def __iter__(self) -> Iterator[Row_co]:
        return iter(self._read())

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> Row_co: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Row_co, ...]: ...
    def __getitem__(self, place: int | slice) -> Row_co | tuple[Row_co, ...]:
        if isinstance(place, slice):
            return tuple(islice(self._read(), *place.indices(self._count)))
        wanted = range(self._count)[place]
        return next(islice(self._read(), wanted, None))


def counted(entries: Callable[[], Iterable[Item | SkippedRow]]) -> tuple[FileRows[Item], list[SkippedRow]]:
    """The good ones of what is read, and the others: these are held, for a person is told of each."""
    count, skipped = 0, []
    for entry in entries():
        if isinstance(entry, SkippedRow):
            skipped.append(entry)
        else:
            count += 1
    return FileRows(lambda: (e for e in entries() if not isinstance(e, SkippedRow)), count), skipped
