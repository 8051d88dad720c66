"""ELLIPSE: essays by learners of English, rated from 1 to 5 in halves on seven dimensions."""

from collections.abc import Mapping
from typing import Any

from app.corpora.assembly import CorpusBuilder, RatingCell
from app.corpora.corpus import CorpusReader
from app.corpora.formats.known_format import KnownFormat
from app.corpora.presets import load_preset
from app.corpora.records import Records
from app.corpora.rows import identifier, json_safe, prose
from app.domain.project import Text

_READ = frozenset({"text_id_kaggle", "full_text", "prompt"})
_RATER = "published"


def matches(record: Mapping[str, Any]) -> bool:
    return {"text_id_kaggle", "full_text", "Overall", "Cohesion", "Syntax", "Phraseology"} <= record.keys()


def read(records: Records, file_name: str) -> CorpusReader:
    """The writing prompt is both source and document: essays on one prompt are told apart by their id.

    What is known of the writers, and the counts that come with each essay, go to `extra`.
    """
    preset = load_preset("learner essays")
    names = [dimension.name for dimension in preset.dimensions]
    builder = CorpusBuilder(preset.dimensions)

    def read_one(row: int, record: dict[str, Any]) -> None:
        item_id = identifier(record["text_id_kaggle"])
        prompt = prose(record.get("prompt"), "prompt")
        text = Text(
            doc_id=prompt or item_id,
            item_id=item_id,
            text=prose(record["full_text"], "essay (full_text)"),
            source=prompt,
            extra=json_safe({name: value for name, value in record.items() if name not in {*_READ, *names}}),
        )
        builder.add(row, text, [RatingCell(name, _RATER, record.get(name)) for name in names])

    return builder.reader("ellipse", preset.task, records, file_name, read_one)


ELLIPSE = KnownFormat(
    "ellipse", "text_id_kaggle, full_text, prompt and the scores Overall to Conventions", matches, read
)
