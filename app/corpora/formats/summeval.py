"""SummEval: summaries of news articles by several systems, each rated by three experts on four dimensions.

The release without source articles reads too; its texts have no source.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from app.corpora.assembly import CorpusBuilder, RatingCell
from app.corpora.corpus import CorpusReader
from app.corpora.formats.known_format import KnownFormat
from app.corpora.presets import load_preset
from app.corpora.records import Records
from app.corpora.rows import BadCellError, identifier, json_safe, prose, proses
from app.domain.project import Text

_READ = frozenset({"id", "model_id", "decoded", "text", "references", "expert_annotations"})


def matches(record: Mapping[str, Any]) -> bool:
    return {"id", "model_id", "decoded", "expert_annotations"} <= record.keys()


def read(records: Records, file_name: str) -> CorpusReader:
    """Crowd annotations and every other field go to `extra`: the experts are the standard to compare with."""
    preset = load_preset("news summaries")
    builder = CorpusBuilder(preset.dimensions)

    def read_one(row: int, record: dict[str, Any]) -> None:
        text = Text(
            doc_id=identifier(record.get("id")) or f"row-{row}",
            system_id=identifier(record.get("model_id")),
            text=prose(record.get("decoded"), "summary (decoded)"),
            source=prose(record.get("text"), "source (text)"),
            references=proses(record.get("references"), "reference"),
            extra=json_safe({name: value for name, value in record.items() if name not in _READ}),
        )
        builder.add(row, text, list(_cells(record.get("expert_annotations"))))

    return builder.reader("summeval", preset.task, records, file_name, read_one)


def _cells(annotations: Any) -> Iterator[RatingCell]:
    if not isinstance(annotations, list) or not all(isinstance(entry, dict) for entry in annotations):
        raise BadCellError("The expert_annotations are not a list of ratings by dimension.")
    for expert, entry in enumerate(annotations, start=1):
        for dimension, value in entry.items():
            yield RatingCell(dimension, f"expert-{expert}", value)


SUMMEVAL = KnownFormat("summeval", "id, model_id, decoded and expert_annotations", matches, read)
