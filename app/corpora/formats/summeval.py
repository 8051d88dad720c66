"""SummEval: summaries of news articles by several systems, each rated by three experts on four dimensions."""

from collections.abc import Iterator
from typing import Any

from app.corpora.assembly import RatingCell
from app.corpora.corpus import CorpusReader
from app.corpora.formats.known_format import KnownFormat, read_texts, rest_of_record
from app.corpora.presets import load_preset
from app.corpora.records import Records
from app.corpora.rows import BadCellError, identifier, json_safe, prose, proses
from app.domain.project import Text

_OF_SUMMEVAL = ("id", "model_id", "decoded", "text", "references", "expert_annotations")


def _read_summeval(records: Records, file_name: str) -> CorpusReader:
    """Read SummEval. Crowd annotations and all other fields go to `extra`: the experts are the standard to compare
    with.

    The release without source articles can be read too; its texts have no source.
    """

    def text_of(row: int, record: dict[str, Any]) -> tuple[Text, list[RatingCell]]:
        text = Text(
            doc_id=identifier(record.get("id")) or f"row-{row}",
            system_id=identifier(record.get("model_id")),
            text=prose(record.get("decoded"), "summary (decoded)"),
            source=prose(record.get("text"), "source (text)"),
            references=proses(record.get("references"), "reference"),
            extra=json_safe(rest_of_record(record, *_OF_SUMMEVAL)),
        )
        return text, list(_experts(record.get("expert_annotations")))

    return read_texts("summeval", load_preset("news summaries"), records, file_name, text_of)


def _experts(annotations: Any) -> Iterator[RatingCell]:
    if not isinstance(annotations, list) or not all(isinstance(entry, dict) for entry in annotations):
        raise BadCellError("The expert_annotations are not a list of ratings by dimension.")
    for expert, entry in enumerate(annotations, start=1):
        for dimension, value in entry.items():
            yield RatingCell(dimension, f"expert-{expert}", value)


SUMMEVAL = KnownFormat(
    "summeval",
    "id, model_id, decoded and expert_annotations",
    lambda record: {"id", "model_id", "decoded", "expert_annotations"} <= record.keys(),
    _read_summeval,
)
FORMATS = (SUMMEVAL,)
