"""IWSLT14: translations from German to English that several people rated from 1 to 5 (Kreutzer et al. 2018).

The paper describes the ratings; no public source describes the form of its files. So columns are found by the usual
names of such tables, with a column for each rater or a row for each rating, and only if the format is named.
"""

import re
from collections.abc import Mapping
from typing import Any

from app.corpora.assembly import RatingCell
from app.corpora.corpus import CorpusReader
from app.corpora.formats.known_format import KnownFormat, read_texts, rows_by
from app.corpora.presets import load_preset
from app.corpora.records import Records
from app.corpora.rows import identifier, json_safe, prose, proses
from app.domain.project import Dimension, Text

_NAMES = {
    "source": ("source", "src", "german", "de"),
    "text": ("translation", "hypothesis", "hyp", "output", "mt", "text"),
    "reference": ("reference", "ref", "english", "en"),
    "system": ("system", "system_id", "model"),
    "rater": ("rater", "annotator", "user", "judge"),
}
_RATING = re.compile(r"(rating|rater|score|overall)([ _-]?(\d+|[a-z]))?", re.IGNORECASE)
_OVERALL = (
    "Overall asks how good the translation is: whether it says what the source says, and reads like English. A low "
    "score (1) means that the meaning is lost, a middle score (3) that the main point comes through with mistakes, a "
    "high score (5) that all of it is there, in good English."
)


def _columns(record: Mapping[str, Any]) -> dict[str, str]:
    """Return role -> the column's name in this file."""
    plain = {name.strip().lower(): name for name in reversed(list(record))}
    return {kind: plain[name] for kind, names in _NAMES.items() for name in reversed(names) if name in plain}


def _ratings(record: Mapping[str, Any], columns: Mapping[str, str]) -> list[str]:
    return [name for name in record if name not in columns.values() and _RATING.fullmatch(name.strip())]


def _matches(record: Mapping[str, Any]) -> bool:
    columns = _columns(record)
    return {"source", "text"} <= columns.keys() and bool(_ratings(record, columns))


def _read(records: Records, file_name: str) -> CorpusReader:
    """Read the corpus. Rows with the same source and translation are one text, and each is a rating if a column names
    the rater."""
    columns = next(_columns(record) for _, record in records.items if _matches(record))
    by_text = rows_by(records, tuple(columns[kind] for kind in ("source", "text", "system") if kind in columns))
    read = {*columns.values(), *(name for _, record in records.items for name in _ratings(record, columns))}
    documents: dict[str, str] = {}

    def text_of(_: int, record: dict[str, Any]) -> tuple[Text, list[RatingCell]]:
        rows = record["rows"]
        found = {kind: rows[0].get(column) for kind, column in columns.items()}
        source = prose(found["source"], "source")
        text = Text(
            doc_id=documents.setdefault(source, f"source-{len(documents) + 1:04}"),
            system_id=identifier(found.get("system")),
            text=prose(found["text"], "translation"),
            source=source,
            references=proses(found.get("reference"), "reference"),
            extra=json_safe({name: value for name, value in rows[0].items() if name not in read}),
        )
        return text, _cells(rows, columns)

    dimensions = [Dimension("overall", _OVERALL, 1, 5)]
    return read_texts("iwslt14", load_preset("translation"), by_text, file_name, text_of, dimensions)


def _cells(rows: list[dict[str, Any]], columns: Mapping[str, str]) -> list[RatingCell]:
    """Return the ratings. Raters who rated a text twice, to show their consistency, count as a rater for each time."""
    times: dict[str, int] = {}
    cells = []
    for row in rows:
        for name in _ratings(row, columns):
            who = identifier(row.get(columns["rater"])) if "rater" in columns else name
            times[who] = times.get(who, 0) + 1
            cells.append(RatingCell("overall", who if times[who] == 1 else f"{who} ({times[who]})", row[name]))
    return cells


IWSLT14 = KnownFormat(
    "iwslt14",
    "source, translation and a rating: a column a rater, or rater and rating, a row a rating",
    _matches,
    _read,
    guessed=False,
)
FORMATS = (IWSLT14,)
