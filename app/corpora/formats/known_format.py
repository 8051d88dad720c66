"""Interface that every known format fulfils."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from app.corpora.assembly import RatingCell
from app.corpora.corpus import CorpusReader
from app.corpora.records import Records
from app.corpora.rows import BadCellError


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


RATER = "published mean"  # these files hold the mean over raters, not the raters


def dimensions_of(record: Mapping[str, Any]) -> frozenset[str]:
    """The dimensions scored in a record of this shape; none for a record of another shape."""
    scores = record.get("scores")
    fits = isinstance(scores, dict) and isinstance(record.get("system_output"), str) and "source" in record
    return frozenset(str(name) for name in scores) if fits and isinstance(scores, dict) else frozenset()


def rating_cells(record: Mapping[str, Any]) -> list[RatingCell]:
    """Raises BadCellError where `scores` isn't an object."""
    scores = record.get("scores")
    if not isinstance(scores, dict):
        raise BadCellError("The scores are not an object with a number for each dimension.")
    return [RatingCell(str(name), RATER, value) for name, value in scores.items()]


def systems_in(records: Records) -> frozenset[str]:
    return frozenset(str(record.get("system_id")) for _, record in records.items)


def unread(record: Mapping[str, Any], *also_read: str) -> dict[str, Any]:
    """The fields that no part of a text holds."""
    read = {"doc_id", "system_id", "source", "reference", "system_output", "scores", *also_read}
    return {name: value for name, value in record.items() if name not in read}
