"""REALSumm and BAGEL: texts by document with their scores.

REALSumm's records by document (Bhandari et al. 2020), and those of BARTScore's repository (Yuan et al. 2021), saved as
JSON, as no pickle is opened here; BAGEL also as the table of Novikova et al. (2017) with a row for each judge.
"""

from collections.abc import Mapping
from typing import Any

from app.corpora.assembly import RatingCell
from app.corpora.corpus import CorpusReader
from app.corpora.formats.known_format import RATER, KnownFormat, read_texts, rows_by
from app.corpora.presets import load_preset
from app.corpora.records import Records
from app.corpora.rows import BadCellError, identifier, json_safe, prose, proses
from app.domain.project import Dimension, Text

_COVERED = "litepyramid_recall"
_COVERAGE = (
    "Coverage asks how much of what the reference says the summary says too. A low score (0) means nothing of it, a "
    "high score (1) all of it."
)
_OF_DATA = {"informativeness": "informativeness", "naturalness": "naturalness", "quality": "overall"}


def _systems(record: Mapping[str, Any]) -> dict[str, Any]:
    found = record.get("sys_summs", record.get("system_summaries"))
    return found if isinstance(found, dict) else {}


def _scored(record: Mapping[str, Any]) -> frozenset[str]:
    """Return the ratings and metrics of the first text of a record by document."""
    first = next(iter(_systems(record).values()), None)
    scores = first.get("scores") if isinstance(first, dict) else None
    return frozenset(map(str, scores)) if isinstance(scores, dict) else frozenset()


def _by_text(records: Records) -> Records:
    """Return records by text from records by document."""
    items = [
        (row, {**record, "system": name, "one": one})
        for row, record in records.items
        for name, one in _systems(record).items()
    ]
    return Records(records.container, items, records.skipped)


def _text_of(row: int, record: Mapping[str, Any]) -> tuple[Text, Mapping[str, Any]]:
    """Return the text with its scores by name. Raises BadCellError without a text."""
    one = record["one"]
    scores = one.get("scores") if isinstance(one, dict) else None
    if not isinstance(scores, dict):
        raise BadCellError("The text has no scores.")
    references = record.get("ref_summs", record.get("ref_summ"))
    text = Text(
        doc_id=identifier(record.get("doc_id")) or f"row-{row}",
        system_id=identifier(record["system"]),
        text=prose(one.get("sys_summ", one.get("system_summary")), "text"),
        source=prose(record.get("src"), "source"),
        references=proses(references, "reference"),
        extra=json_safe({name: value for name, value in scores.items() if name not in (_COVERED, *_OF_DATA)}),
    )
    return text, scores


def _read_realsumm(records: Records, file_name: str) -> CorpusReader:
    """Read REALSumm. The human judgment is the share of the reference's content units in a summary."""

    def text_of(row: int, record: dict[str, Any]) -> tuple[Text, list[RatingCell]]:
        text, scores = _text_of(row, record)
        return text, [RatingCell("coverage", RATER, scores.get(_COVERED))]

    preset, coverage = load_preset("news summaries"), Dimension("coverage", _COVERAGE, 0, 1)
    return read_texts("realsumm", preset, _by_text(records), file_name, text_of, [coverage])


REALSUMM = KnownFormat(
    "realsumm",
    "system_summaries or sys_summs by document, with litepyramid_recall among the scores",
    lambda record: _COVERED in _scored(record),
    _read_realsumm,
)
_JUDGED = frozenset({"dataset", "system", "judge", "mr", "sys_ref", *_OF_DATA})


def _read_bagel(records: Records, file_name: str) -> CorpusReader:
    """Read BAGEL. A table has one row a judge, also rows of other data sets, which are left out; a record by document
    has means."""
    preset = load_preset("data to text")
    documents: dict[str, str] = {}
    table = any(record.keys() >= _JUDGED for _, record in records.items)

    def text_of_document(row: int, record: dict[str, Any]) -> tuple[Text, list[RatingCell]]:
        text, scores = _text_of(row, record)
        return text, [RatingCell(name, RATER, scores.get(field)) for field, name in _OF_DATA.items()]

    def text_of_rows(_: int, record: dict[str, Any]) -> tuple[Text, list[RatingCell]]:
        rows = record["rows"]
        first = rows[0]
        if (named := identifier(first.get("dataset"))).upper() != "BAGEL":
            raise BadCellError(f"This is of the data set {named}, not of BAGEL.")
        source = prose(first.get("mr"), "data (mr)")
        text = Text(
            doc_id=documents.setdefault(source, f"source-{len(documents) + 1:03}"),
            system_id=identifier(first.get("system")),
            text=prose(first.get("sys_ref"), "sentence (sys_ref)"),
            source=source,
            references=proses(first.get("orig_ref"), "reference (orig_ref)"),
        )
        return text, [
            RatingCell(name, f"judge {identifier(each.get('judge'))}", each.get(field))
            for each in rows
            for field, name in _OF_DATA.items()
        ]

    if table:
        merged = rows_by(records, ("dataset", "system", "mr", "sys_ref"))
        return read_texts("bagel", preset, merged, file_name, text_of_rows)
    return read_texts("bagel", preset, _by_text(records), file_name, text_of_document)


BAGEL = KnownFormat(
    "bagel",
    "informativeness, naturalness and quality, among scores by document or with dataset, system, judge, mr and sys_ref",
    lambda record: record.keys() >= _JUDGED or _scored(record) >= _OF_DATA.keys(),
    _read_bagel,
)
FORMATS = (REALSUMM, BAGEL)
