"""OpenMEVA: stories that several systems wrote to the same first sentence, with one overall score each."""

from collections.abc import Mapping
from typing import Any

from app.corpora.assembly import CorpusBuilder, RatingCell
from app.corpora.corpus import CorpusReader
from app.corpora.formats.known_format import RATER, KnownFormat
from app.corpora.presets import load_preset
from app.corpora.records import Records
from app.corpora.rows import BadCellError, identifier, json_safe, prose, proses
from app.domain.project import Text

_READ = frozenset({"doc_id", "prompt", "reference", "gen"})


def matches(record: Mapping[str, Any]) -> bool:
    return "prompt" in record and isinstance(record.get("gen"), dict)


def read(records: Records, file_name: str) -> CorpusReader:
    """One record holds one story a system. Scores by metrics go to `extra["published_scores"]`."""
    preset = load_preset("stories")
    builder = CorpusBuilder(preset.dimensions)

    def read_one(row: int, record: dict[str, Any]) -> None:
        stories = record.get("gen")
        if not isinstance(stories, dict):
            raise BadCellError("The stories (gen) are not an object with one story for each system.")
        for system, story in stories.items():
            try:
                builder.add(
                    row,
                    _text(row, record, system, story),
                    [RatingCell("overall", RATER, story.get("score", {}).get("human"))],
                )
            except BadCellError as error:  # the record's other stories come in
                builder.skip(row, f"Story by {system}: {error}")

    return builder.reader("openmeva", preset.task, records, file_name, read_one)


def _text(row: int, record: Mapping[str, Any], system: str, story: Any) -> Text:
    if not isinstance(story, dict) or not isinstance(story.get("score", {}), dict):
        raise BadCellError("It is not an object with a text and scores.")
    published = {name: value for name, value in story.get("score", {}).items() if name != "human"}
    other = {name: value for name, value in record.items() if name not in _READ}
    return Text(
        doc_id=identifier(record.get("doc_id")) or f"row-{row}",
        system_id=identifier(system),
        text=prose(story.get("text"), "story"),
        source=prose(record.get("prompt"), "prompt"),
        references=proses(record.get("reference"), "reference"),
        extra=json_safe({**other, "published_scores": published}),
    )


OPENMEVA = KnownFormat("openmeva", "prompt and gen with a text and scores for each system", matches, read)
