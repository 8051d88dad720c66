"""QAGS: summaries with the share of their content that people found supported by the article."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.corpora.assembly import CorpusBuilder
from app.corpora.corpus import CorpusReader
from app.corpora.formats.known_format import KnownFormat, dimensions_of, rating_cells, unread
from app.corpora.presets import load_preset
from app.corpora.records import Records
from app.corpora.rows import identifier, json_safe, prose, proses
from app.domain.project import Text

_ARTICLE = (
    "The file names the article as its own reference, and that is not kept as one. To compare summaries with the "
    "article, as G-Eval's Table 3 does for ROUGE, import with --references source, or choose it under References."
)


def matches(record: Mapping[str, Any]) -> bool:
    return dimensions_of(record) == {"consistency"}


def read(records: Records, file_name: str) -> CorpusReader:
    """Where the reference is the article itself, none is kept, and a note says how to compare with the article."""
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

    corpus = builder.reader("qags", preset.task, records, file_name, read_one)
    own = any(
        record.get("reference") and record.get("reference") == record.get("source") for _, record in records.items
    )
    return replace(corpus, notes=(_ARTICLE,)) if own else corpus


QAGS = KnownFormat("qags", "doc_id, source, system_output and scores with consistency alone", matches, read)
