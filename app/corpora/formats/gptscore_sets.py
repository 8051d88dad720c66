"""Data sets of the GPTScore paper: FED (turns and whole dialogues), NEWSROOM's human ratings, MQM's errors, REALSumm
and BAGEL.

Formats as published: FED's JSON (Mehri and Eskenazi 2020); NEWSROOM's CSV, a row for each rater's judgment; WMT's table
of errors with a row for each error (Freitag et al. 2021); REALSumm's records by document (Bhandari et al. 2020), and
those of BARTScore's repository (Yuan et al. 2021), saved as JSON, as no pickle is opened here; BAGEL also as the table
of Novikova et al. (2017) with a row for each judge.
"""

import html
import re
from collections.abc import Iterable, Mapping
from typing import Any

from app.corpora.assembly import RatingCell
from app.corpora.corpus import CorpusReader
from app.corpora.formats.known_format import RATER, KnownFormat, read_texts, rows_by
from app.corpora.presets import load_preset
from app.corpora.records import Records
from app.corpora.rows import BadCellError, identifier, json_safe, prose, proses
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


_MQM = frozenset({"system", "seg_id", "rater", "source", "target", "category", "severity"})
_MARK = re.compile(r"</?v>")
WORST = 25.0


def penalty(category: str, severity: str) -> float:
    """Return what an error costs (Freitag et al. 2021, Table 4): 25 for no translation at all, 5 for a major error, 1
    for a minor one, 0.1 for a minor error of punctuation, 0 otherwise."""
    kind, grade = category.strip().lower(), severity.strip().lower()
    if grade == "major":
        return WORST if kind.startswith("non-translation") else 5.0
    if grade == "minor":
        return 0.1 if kind == "fluency/punctuation" else 1.0
    return 0.0


def _read_mqm(records: Records, file_name: str) -> CorpusReader:
    """Read MQM. A row is one error that a rater found, or says that none was found. A rating is minus the cost of all
    their errors, at least -25; accuracy and fluency count the errors of that kind alone."""

    def text_of(row: int, record: dict[str, Any]) -> tuple[Text, list[RatingCell]]:
        rows = record["rows"]
        first = rows[0]
        document, segment = identifier(first.get("doc")), identifier(first.get("seg_id"))
        text = Text(
            doc_id="-".join(filter(None, (document, segment))) or f"row-{row}",
            system_id=identifier(first.get("system")),
            text=_unmarked(first.get("target")),
            source=_unmarked(first.get("source")),
        )
        return text, _mqm_cells(rows)

    merged = rows_by(records, ("system", "doc", "seg_id"))
    return read_texts("mqm", load_preset("translation"), merged, file_name, text_of)


def _unmarked(value: object) -> str:
    """Return the text without the marks around the row's error."""
    return prose(_MARK.sub("", prose(value, "text")), "text")


def _mqm_cells(rows: Iterable[Mapping[str, Any]]) -> list[RatingCell]:
    costs: dict[tuple[str, str], float] = {}
    for row in rows:
        rater = identifier(row.get("rater")) or "rater"
        category, severity = (prose(row.get(name), name) for name in ("category", "severity"))
        cost = penalty(category, severity)
        kind = category.lower()
        for name, counts in (
            ("quality", True),
            ("accuracy", kind.startswith(("accuracy", "non-translation"))),
            ("fluency", kind.startswith(("fluency", "non-translation"))),
        ):
            costs[name, rater] = costs.get((name, rater), 0.0) + (cost if counts else 0.0)
    return [RatingCell(name, rater, -min(WORST, round(cost, 6))) for (name, rater), cost in costs.items()]


MQM = KnownFormat(
    "mqm",
    "system, seg_id, rater, source, target, category and severity, a row an error",
    lambda record: record.keys() >= _MQM,
    _read_mqm,
)


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
FORMATS = (FED, NEWSROOM, MQM, REALSUMM, BAGEL)
