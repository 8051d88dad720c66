"""SFRES: sentences that a restaurant guide's dialogue system made from data, rated on two dimensions and overall."""

from collections.abc import Mapping
from typing import Any

from app.corpora.assembly import CorpusBuilder
from app.corpora.corpus import CorpusReader
from app.corpora.formats.known_format import KnownFormat, dimensions_of, rating_cells, unread
from app.corpora.presets import load_preset
from app.corpora.records import Records
from app.corpora.rows import identifier, json_safe, prose, proses
from app.domain.project import Text


def matches(record: Mapping[str, Any]) -> bool:
    return {"informativeness", "naturalness"} <= dimensions_of(record)


def read(records: Records, file_name: str) -> CorpusReader:
    """The file's doc_id counts texts, not sources, so it becomes the item; texts with equal data share a document.

    That document bears the number of the first text that has it.
    """
    preset = load_preset("data to text")
    builder = CorpusBuilder(preset.dimensions)
    documents: dict[str, str] = {}

    def read_one(row: int, record: dict[str, Any]) -> None:
        source = prose(record.get("source"), "source")
        item_id = identifier(record.get("doc_id")) or f"row-{row}"
        text = Text(
            doc_id=documents.setdefault(source, f"source-{item_id}"),
            system_id=identifier(record.get("system_id")),
            item_id=item_id,
            text=prose(record.get("system_output"), "sentence (system_output)"),
            source=source,
            references=proses(record.get("reference"), "reference"),
            extra=json_safe(unread(record)),
        )
        builder.add(row, text, rating_cells(record))

    return builder.reader("sfres", preset.task, records, file_name, read_one)


SFRES = KnownFormat("sfres", "doc_id, source, system_output and scores with informativeness", matches, read)
