"""QAGS: summaries with the share of their content that people found supported by the article."""

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
    return dimensions_of(record) == {"consistency"}


def read(records: Records, file_name: str) -> CorpusReader:
    """Where the reference is the article itself, the file has no reference and none is kept."""
    preset = load_preset("factual consistency")
    builder = CorpusBuilder(preset.dimensions)

    def read_one(row: int, record: dict[str, Any]) -> None:
        source = prose(record.get("source"), "source")
        references = proses(record.get("reference"), "reference")
        text = Text(
            doc_id=identifier(record.get("doc_id")) or f"row-{row}",
            system_id=identifier(record.get("system_id")),
            text=prose(record.get("system_output"), "summary (system_output)"),
            source=source,
            references=tuple(reference for reference in references if reference != source),
            extra=json_safe(unread(record)),
        )
        builder.add(row, text, rating_cells(record))

    return builder.reader("qags", preset.task, records, file_name, read_one)


QAGS = KnownFormat("qags", "doc_id, source, system_output and scores with consistency alone", matches, read)
