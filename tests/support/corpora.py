"""A data set's file read as a whole."""

from pathlib import Path

from app.corpora.corpus import Corpus
from app.corpora.mapping import ColumnMapping
from app.corpora.reading import open_corpus


def read_corpus(path: Path, format: str = "auto", mapping: ColumnMapping | None = None, sheet: str = "") -> Corpus:  # noqa: A002 (the word of the command line)
    return open_corpus(path, format, mapping, sheet).whole()
