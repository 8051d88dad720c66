"""A data set's file read as a whole, and damaged copies of its records."""

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

from app.corpora.corpus import Corpus
from app.corpora.mapping import ColumnMapping
from app.corpora.reading import open_corpus


def read_corpus(path: Path, format: str = "auto", mapping: ColumnMapping | None = None, sheet: str = "") -> Corpus:  # noqa: A002 (the word of the command line)
    return open_corpus(path, format, mapping, sheet).whole()


def damaged_copies(record: Any) -> Iterator[Any]:
    """Yield copies of the record, each with one value removed or replaced by one of another type."""
    for place in _places(record):
        for other in ("missing", None, -1, "x", [None], {"x": 1}):
            whole = deepcopy(record)
            around = whole
            for key in place[:-1]:
                around = around[key]
            if other == "missing":
                del around[place[-1]]
            else:
                around[place[-1]] = other
            yield whole


def _places(value: Any) -> Iterator[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in inner:
        yield (key,)
        yield from ((key, *place) for place in _places(entry))
