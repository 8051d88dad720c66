"""Topical-Chat: replies in a dialogue about a given fact, rated on five dimensions and overall."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.corpora.assembly import CorpusBuilder
from app.corpora.corpus import CorpusReader
from app.corpora.formats.known_format import KnownFormat, dimensions_of, rating_cells, systems_in, unread
from app.corpora.presets import load_preset
from app.corpora.records import Records
from app.corpora.rows import identifier, json_safe, prose, proses
from app.domain.project import Text, dialogue_source

GROUND_TRUTH = "Original Ground Truth"
_NO_REFERENCE = (
    "The file gives no references. Metrics that need one can compare with the replies of “Original Ground Truth”, as "
    f'CoAScore does: import with --references "system={GROUND_TRUTH}", or choose that system under References.'
)
_NO_FACT = "_nofact"  # how the file marks a reply that no fact was given for


def matches(record: Mapping[str, Any]) -> bool:
    return bool(dimensions_of(record) & {"engagingness", "groundedness", "understandability"})


def read(records: Records, file_name: str) -> CorpusReader:
    """Dialogues have no id in the file: they are numbered in the order in which they first appear.

    The fact is part of the source, since groundedness can't be judged without it; `extra` keeps it raw too.
    """
    preset = load_preset("dialogue")
    builder = CorpusBuilder(preset.dimensions)
    numbers: dict[str, int] = {}

    def read_one(row: int, record: dict[str, Any]) -> None:
        fact = prose(record.get("context"), "context")
        source = dialogue_source(prose(record.get("source"), "source"), "" if fact == _NO_FACT else fact)
        number = numbers.setdefault(source, len(numbers) + 1)
        text = Text(
            doc_id=f"dialogue-{number:03}",
            system_id=identifier(record.get("system_id")),
            text=prose(record.get("system_output"), "reply (system_output)"),
            source=source,
            references=proses(record.get("reference"), "reference"),
            extra=json_safe(unread(record)),
        )
        builder.add(row, text, rating_cells(record))

    corpus = builder.reader("topical-chat", preset.task, records, file_name, read_one)
    without = not any(record.get("reference") for _, record in records.items)
    return replace(corpus, notes=(_NO_REFERENCE,)) if without and GROUND_TRUTH in systems_in(records) else corpus


TOPICAL_CHAT = KnownFormat(
    "topical-chat", "source, system_id, system_output, context and scores with engagingness", matches, read
)
