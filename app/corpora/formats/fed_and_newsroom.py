"""FED: turns and whole dialogues, in the JSON of Mehri and Eskenazi (2020). NEWSROOM: human ratings of summaries, a CSV
file with a row for each rater's judgment."""

import html
import re
from collections.abc import Iterable, Mapping
from typing import Any

from app.corpora.assembly import RatingCell
from app.corpora.corpus import CorpusReader
from app.corpora.formats.known_format import KnownFormat, read_texts, rows_by
from app.corpora.presets import load_preset
from app.corpora.records import Records
from app.corpora.rows import BadCellError, identifier, json_safe, prose
from app.domain.project import Dimension, Text, dialogue_source


def _is_fed(record: Mapping[str, Any]) -> bool:
    return "context" in record and isinstance(record.get("annotations"), dict) and "system" in record


_SPEAKER = re.compile(r"\A(System|User):\s*", re.IGNORECASE)


def _read_fed(records: Records, file_name: str) -> CorpusReader:
    """Read FED. A record with a `response` is a turn; one without is a whole dialogue. Each has a list of ratings a
    dimension, one a rater, without the raters' names."""
    numbers: dict[str, int] = {}

    def text_of(row: int, record: dict[str, Any]) -> tuple[Text, Iterable[RatingCell]]:
        said, context = record.get("annotations"), prose(record.get("context"), "context")
        if not isinstance(said, dict):
            raise BadCellError("The annotations are not an object with ratings for each dimension.")
        response = _SPEAKER.sub("", prose(record.get("response"), "response"))
        number = numbers.setdefault(context, len(numbers) + 1)
        text = Text(
            doc_id=f"dialogue-{number:03}",
            system_id=identifier(record.get("system")),
            item_id=f"turn {row}" if response else "whole",
            text=response or context,
            source=dialogue_source(context) if response else "",
            extra=json_safe({k: v for k, v in record.items() if k not in _FED}),
        )
        return text, _fed_cells(said, whole=not response)

    return read_texts("fed", load_preset("turns and dialogues"), records, file_name, text_of)


_FED = frozenset({"context", "response", "system", "annotations"})


def _fed_cells(said: Mapping[str, Any], *, whole: bool) -> Iterable[RatingCell]:
    for heading, values in said.items():
        name = str(heading).strip().lower()
        dimension = "overall dialogue" if name == "overall" and whole else name
        for rater, value in enumerate(values if isinstance(values, list) else [values], start=1):
            # Where a question did not apply the file has a sentence that begins so.
            if not (isinstance(value, str) and value.strip().lower().startswith("n/a")):
                yield RatingCell(dimension, f"rater {rater}", value)


FED = KnownFormat("fed", "context, system and annotations with a list of ratings a dimension", _is_fed, _read_fed)
_NEWSROOM = {
    "CoherenceRating": "coherence",
    "FluencyRating": "fluency",
    "InformativenessRating": "informativeness",
    "RelevanceRating": "relevance",
}
_INFORMATIVE = (
    "Informativeness asks whether the summary holds the points of the article that matter. A low score (1) means that "
    "it tells little of them, a high score (5) that one who reads only the summary knows what the article is about."
)


def _read_newsroom(records: Records, file_name: str) -> CorpusReader:
    """Read NEWSROOM. A row is one rater's judgment of a summary; raters have no names and are numbered by summary."""
    preset = load_preset("news summaries")
    known = {dimension.name: dimension.rubric for dimension in preset.dimensions}
    dimensions = [
        Dimension(name, known.get(name, _INFORMATIVE), 1, 5, place) for place, name in enumerate(_NEWSROOM.values())
    ]

    def text_of(_: int, record: dict[str, Any]) -> tuple[Text, list[RatingCell]]:
        rows = record["rows"]
        first = rows[0]
        title, article = (_plain(first.get(name)) for name in ("ArticleTitle", "ArticleText"))
        text = Text(
            doc_id=identifier(first.get("ArticleID")),
            system_id=identifier(first.get("System")),
            text=_plain(first.get("SystemSummary")),
            source="\n\n".join(filter(None, (title, article))),
        )
        return text, [
            RatingCell(name, f"rater {rater}", row.get(column))
            for rater, row in enumerate(rows, start=1)
            for column, name in _NEWSROOM.items()
        ]

    merged = rows_by(records, ("ArticleID", "System"))
    return read_texts("newsroom", preset, merged, file_name, text_of, dimensions)


def _plain(value: object) -> str:
    """Return a cell's text without HTML escapes."""
    return prose(html.unescape(prose(value, "text")), "text")


NEWSROOM = KnownFormat(
    "newsroom",
    "ArticleID, System, ArticleText, SystemSummary and the four ratings, such as CoherenceRating",
    lambda record: (
        {"ArticleID", "System", "SystemSummary"} <= record.keys() and not _NEWSROOM.keys().isdisjoint(record)
    ),
    _read_newsroom,
)
FORMATS = (FED, NEWSROOM)
