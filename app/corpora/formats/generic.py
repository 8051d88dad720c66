"""Any table, read with a column mapping."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, cast

from app.corpora.assembly import CorpusBuilder, RatingCell, digest
from app.corpora.corpus import ColumnUse, CorpusReader
from app.corpora.mapping import ColumnMapping, guess_mapping, source_label, writer_label
from app.corpora.own_score_tables import TableData, as_table
from app.corpora.records import Records
from app.corpora.rows import BadCellError, FileRows, identifier, is_blank, json_safe, listed, numbers_in, prose, proses
from app.corpora.scale import proposed_scale
from app.domain.project import Dimension, Task, Text
from app.domain.storable_text import checked_name, quoted
from app.errors import FileFormatError, InputError


def read_generic(records: Records, mapping: ColumnMapping | None, file_name: str) -> CorpusReader:
    """Read a table. Fields that the mapping doesn't name are guessed if it says so, or names no column at all. Raises
    FileFormatError for unknown columns or none with texts, InputError for the scale of an unrated dimension.

    Document: the mapped column, else one name for equal sources, else the row. Texts that share document and system
    without an item to tell them apart get their row as item, unless the mapping names both document and system: then a
    repetition is an error of that row.
    """
    table = as_table(records)
    named = mapping or ColumnMapping()
    mapping = named
    if named.rest_guessed or named.names_no_column:
        mapping = guess_mapping(table.columns, table.rows, named)
    _check_columns(mapping, table, file_name)
    rows = cast("Sequence[dict[str, Any]]", table.rows)  # not copied: nobody changes them
    flat = replace(records, items=FileRows(lambda: zip(table.numbers, rows, strict=True), len(rows)))
    builder = CorpusBuilder(_dimensions(mapping, table))
    items = _Items(mapping, flat)

    def read_one(row: int, record: dict[str, Any]) -> None:
        text = _text(row, record, mapping)
        item = text.item_id or items.of(row, record, text)
        builder.add(row, replace(text, item_id=item) if item else text, list(_cells(record, mapping)))

    corpus = builder.reader(records.container, _task(mapping), flat, file_name, read_one)
    return replace(corpus, columns=tuple(_uses(mapping, set(named.used_columns))))


def _task(mapping: ColumnMapping) -> Task:
    """Return the task's words for sources and writers, taken from their columns' names."""
    usual = Task()
    source, writer = source_label(mapping.columns), writer_label(mapping.columns.get("system_id", ""))
    return replace(usual, source_name=source or usual.source_name, writer_name=writer or usual.writer_name)


def _uses(mapping: ColumnMapping, named: Set[str]) -> Iterator[ColumnUse]:
    for role, column in mapping.columns.items():
        yield ColumnUse(column, role, guessed=column not in named)
    for rating in mapping.ratings:
        yield ColumnUse(rating.column, "rating", rating.dimension, guessed=rating.column not in named)


def _check_columns(mapping: ColumnMapping, table: TableData, file_name: str) -> None:
    columns = listed(table.columns)
    for column in mapping.used_columns:
        if column not in table.columns:
            close = get_close_matches(column, table.columns, n=1)
            hint = f"Did you mean {close[0]}?" if close else "Map one of these columns."
            raise FileFormatError(f"{file_name} has no column {column!r}; it has: {columns}.", hint)
    rated = dict.fromkeys(rating.dimension for rating in mapping.ratings)
    for dimension in mapping.scales:
        if dimension not in rated:
            raise InputError(
                f"{file_name} has no ratings on {quoted(dimension)}, so it needs no scale.",
                f"It has ratings on: {listed(list(rated)) or 'nothing'}.",
            )
    for rating in mapping.ratings:
        checked_name(rating.dimension, "dimension")
        checked_name(rating.rater, "rater")
    if "text" not in mapping.columns:
        raise FileFormatError(
            f"No column of {file_name} is known to hold the texts; it has: {columns}.",
            "Say which one does: --map text=COLUMN, or choose it on the Texts screen.",
        )


def _dimensions(mapping: ColumnMapping, table: TableData) -> list[Dimension]:
    """Return the dimensions, each with the scale that the person names, else the proposed one."""
    values: dict[str, list[float]] = {rating.dimension: [] for rating in mapping.ratings}
    for rating in mapping.ratings:  # what is no number is named when its row is read
        values[rating.dimension] += numbers_in(record.get(rating.column) for record in table.rows)
    return [
        Dimension(name, low=float(low), high=float(high), position=position)
        for position, (name, (low, high)) in enumerate(
            (name, mapping.scales.get(name) or proposed_scale(found)) for name, found in values.items()
        )
    ]


def _cells(record: Mapping[str, Any], mapping: ColumnMapping) -> Iterator[RatingCell]:
    """Yield the ratings of a record. A list of numbers in one cell is one rating a rater, in the list's order."""
    for rating in mapping.ratings:
        value = record.get(rating.column)
        if isinstance(value, list):
            for position, entry in enumerate(value, start=1):
                yield RatingCell(rating.dimension, f"{rating.rater} {position}", entry)
        else:
            yield RatingCell(rating.dimension, rating.rater, value)


def _text(row: int, record: Mapping[str, Any], mapping: ColumnMapping) -> Text:
    def cell(name: str) -> Any:
        return record.get(mapping.columns.get(name, ""))

    used = set(mapping.used_columns)
    source = prose(cell("source"), "source")
    return Text(
        doc_id=identifier(cell("doc_id")) or document_name(source, row),
        system_id=identifier(cell("system_id")),
        item_id=identifier(cell("item_id")),
        text=prose(cell("text"), "text"),
        source=source,
        references=proses(cell("reference"), "reference"),
        extra=json_safe({name: value for name, value in record.items() if name not in used and not is_blank(value)}),
    )


def document_name(source: str, row: int = 0) -> str:
    """Return a name made from the source alone, so that further files about the same source join it."""
    return f"source-{hashlib.sha256(source.encode()).hexdigest()[:10]}" if source else f"row-{row}"


class _Items:
    """Item ids for texts that only their row tells apart. A row that repeats another one completely shares its item.

    The file is read once beforehand: whether a text shares its document and system may show only later.
    """

    def __init__(self, mapping: ColumnMapping, records: Records) -> None:
        self._mapping = mapping
        self._shared: set[int] = set()  # digests of documents and systems with several texts
        self._first: dict[int, int] = {}  # digest of such a text -> its first row
        if "item_id" in mapping.columns or {"doc_id", "system_id"} <= mapping.columns.keys():
            return
        contents: dict[int, int] = {}
        for row, record in records.items:
            with suppress(BadCellError):
                text = _text(row, record, mapping)
                place, content = digest(text.doc_id, text.system_id), self._content(record, text)
                if contents.setdefault(place, content) != content:
                    self._shared.add(place)

    def of(self, row: int, record: Mapping[str, Any], text: Text) -> str:
        """Return the text's item id; "" if it needs none."""
        if not self._shared or digest(text.doc_id, text.system_id) not in self._shared:
            return ""
        return str(self._first.setdefault(digest(text.doc_id, text.system_id, self._content(record, text)), row))

    def _content(self, record: Mapping[str, Any], text: Text) -> int:
        return digest(text.text, text.source, repr([cell.value for cell in _cells(record, self._mapping)]))
