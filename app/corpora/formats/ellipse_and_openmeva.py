"""ELLIPSE: essays by learners of English, rated from 1 to 5 in halves on seven dimensions. OpenMEVA: stories that
several systems wrote to the same first sentence, with one overall score each."""

from typing import Any

from app.corpora.assembly import CorpusBuilder, RatingCell
from app.corpora.corpus import CorpusReader
from app.corpora.formats.known_format import RATER, KnownFormat, read_texts, rest_of_record
from app.corpora.presets import load_preset
from app.corpora.records import Records
from app.corpora.rows import BadCellError, identifier, json_safe, prose, proses
from app.domain.project import Text


def _read_ellipse(records: Records, file_name: str) -> CorpusReader:
    """Read ELLIPSE. The writing prompt is both source and document: essays on one prompt differ by their id.

    Data on the writers, and the counts that come with each essay, go to `extra`.
    """
    preset = load_preset("learner essays")
    names = [dimension.name for dimension in preset.dimensions]

    def text_of(_: int, record: dict[str, Any]) -> tuple[Text, list[RatingCell]]:
        item_id = identifier(record.get("text_id_kaggle"))
        prompt = prose(record.get("prompt"), "prompt")
        text = Text(
            doc_id=prompt or item_id,
            item_id=item_id,
            text=prose(record.get("full_text"), "essay (full_text)"),
            source=prompt,
            extra=json_safe(rest_of_record(record, "text_id_kaggle", "full_text", "prompt", *names)),
        )
        return text, [RatingCell(name, "published", record.get(name)) for name in names]

    return read_texts("ellipse", preset, records, file_name, text_of)


ELLIPSE = KnownFormat(
    "ellipse",
    "text_id_kaggle, full_text, prompt and the scores Overall to Conventions",
    lambda record: {"text_id_kaggle", "full_text", "Overall", "Cohesion", "Syntax", "Phraseology"} <= record.keys(),
    _read_ellipse,
)


def _read_openmeva(records: Records, file_name: str) -> CorpusReader:
    """Read OpenMEVA. A record holds one story a system. Scores by metrics go to `extra["published_scores"]`."""
    preset = load_preset("stories")
    builder = CorpusBuilder(preset.dimensions)

    def read_one(row: int, record: dict[str, Any]) -> None:
        stories = record.get("gen")
        if not isinstance(stories, dict):
            raise BadCellError("The stories (gen) are not an object with one story for each system.")
        for system, story in stories.items():
            try:
                if not isinstance(story, dict) or not isinstance(story.get("score", {}), dict):
                    raise BadCellError("It is not an object with a text and scores.")
                other = rest_of_record(record, "doc_id", "prompt", "reference", "gen")
                text = Text(
                    doc_id=identifier(record.get("doc_id")) or f"row-{row}",
                    system_id=identifier(system),
                    text=prose(story.get("text"), "story"),
                    source=prose(record.get("prompt"), "prompt"),
                    references=proses(record.get("reference"), "reference"),
                    extra=json_safe({**other, "published_scores": rest_of_record(story.get("score", {}), "human")}),
                )
                builder.add(row, text, [RatingCell("overall", RATER, story.get("score", {}).get("human"))])
            except BadCellError as error:  # the record's other stories come in
                builder.skip(row, f"Story by {system}: {error}")

    return builder.reader("openmeva", preset.task, records, file_name, read_one)


OPENMEVA = KnownFormat(
    "openmeva",
    "prompt and gen with a text and scores for each system",
    lambda record: "prompt" in record and isinstance(record.get("gen"), dict),
    _read_openmeva,
)


FORMATS = (ELLIPSE, OPENMEVA)
