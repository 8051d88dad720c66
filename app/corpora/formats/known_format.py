"""Interface of all known formats, and reading of records with one text each."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from app.corpora.assembly import CorpusBuilder, RatingCell
from app.corpora.corpus import CorpusReader
from app.corpora.presets import Preset
from app.corpora.records import Records
from app.domain.project import Dimension, Text


@dataclass(frozen=True, slots=True)
class KnownFormat:
    """A known format. `matches(record)` recognises it by structure; `read(records, file_name)` returns a corpus and
    raises FileFormatError if nothing is usable.

    `needs` names the fields in words, for the message about a file that doesn't have the chosen format. guessed:
    whether a file of this structure is read in this format without its being named. conversation: whether another part
    than the last reply can be judged. tried_last: whether other formats may contain this structure, so are tried first.
    """

    name: str
    needs: str
    matches: Callable[[Mapping[str, Any]], bool]
    read: Callable[[Records, str], CorpusReader]
    guessed: bool = True
    conversation: bool = False
    tried_last: bool = False


RATER = "published mean"  # of files that hold the mean over raters, not the raters
TextOfRecord = Callable[[int, dict[str, Any]], tuple[Text, Iterable[RatingCell]]]


def read_texts(
    format_name: str,
    preset: Preset,
    records: Records,
    file_name: str,
    text_of: TextOfRecord,
    dimensions: Iterable[Dimension] | None = None,
) -> CorpusReader:
    """Return the corpus of records that hold one text each, with the preset's task.

    text_of: the text in a row's record, and its ratings; raises BadCellError. dimensions: instead of the preset's.
    """
    builder = CorpusBuilder(preset.dimensions if dimensions is None else dimensions)

    def read_one(row: int, record: dict[str, Any]) -> None:
        builder.add(row, *text_of(row, record))

    return builder.reader(format_name, preset.task, records, file_name, read_one)


def rows_by(records: Records, key: tuple[str, ...]) -> Records:
    """Return rows with the same values in these columns as one record, `rows`, in the order of each first row."""
    groups: dict[tuple[str, ...], tuple[int, list[dict[str, Any]]]] = {}
    for row, record in records.items:
        named = tuple(str(record.get(name)) for name in key)
        groups.setdefault(named, (row, []))[1].append(record)
    return Records(records.container, [(row, {"rows": rows}) for row, rows in groups.values()], records.skipped)


def rest_of_record(record: Mapping[str, Any], *read: str) -> dict[str, Any]:
    """Return the fields of a record that are no part of a text, without those named in `read`."""
    return {name: value for name, value in record.items() if name not in read}
