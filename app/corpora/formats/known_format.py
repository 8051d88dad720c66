"""Interface that every known format fulfils."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from app.corpora.corpus import CorpusReader
from app.corpora.records import Records


@dataclass(frozen=True, slots=True)
class KnownFormat:
    """`matches(record)` tells by structure; `read(records, file_name)` gives a corpus that
    raises FileFormatError where nothing is usable.

    `needs` names the fields in words, for the message when a file is said to have this format and hasn't.
    """

    name: str
    needs: str
    matches: Callable[[Mapping[str, Any]], bool]
    read: Callable[[Records, str], CorpusReader]
