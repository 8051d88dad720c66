"""MQM: WMT's table of translation errors, a row for each error that a rater found (Freitag et al. 2021)."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from app.corpora.assembly import RatingCell
from app.corpora.corpus import CorpusReader
from app.corpora.formats.known_format import KnownFormat, read_texts, rows_by
from app.corpora.presets import load_preset
from app.corpora.records import Records
from app.corpora.rows import identifier, prose
from app.domain.project import Text

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
FORMATS = (MQM,)
