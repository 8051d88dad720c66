"""Files of attributes, as text, JSON or CSV."""

import json
from collections.abc import Sequence
from typing import Any

from app.domain.attribute import Attribute, Contributor
from app.domain.passage import Passage
from app.export.spreadsheet import csv_bytes

FORMATS = ("text", "json", "csv")


_COLUMNS = (
    "id",
    "dimension",
    "contributor",
    "kind",
    "role",
    "background",
    "text",
    "status",
    "round",
    "reason",
    "original",
    "merged_into",
    "original_dimension",
)


_PASSAGE_COLUMNS = ("passage_text_id", "passage_part", "passage_start", "passage_end", "quote")


def attribute_file(attributes: Sequence[Attribute], contributors: Sequence[Contributor], form: str) -> bytes:
    """Return a UTF-8 file of attributes. text: the wordings, one on each line (inner line breaks become spaces); json
    and csv: all fields, with role and background of the contributor and the passage."""
    if form == "text":
        return "".join(f"{' '.join(a.text.split())}\n" for a in attributes).encode()
    people = {contributor.name: contributor for contributor in contributors}
    rows = [_row(attribute, people[attribute.contributor]) for attribute in attributes]
    if form == "csv":
        cells = (row | _passage_cells(a.passage) for row, a in zip(rows, attributes, strict=True))
        return csv_bytes((*_COLUMNS, *_PASSAGE_COLUMNS), cells)
    whole = [row | {"passage": passage_document(a)} for row, a in zip(rows, attributes, strict=True)]
    return json.dumps(whole, ensure_ascii=False, indent=2).encode()


def passage_document(attribute: Attribute) -> dict[str, Any] | None:
    return attribute.passage.to_json() if attribute.passage else None


def _passage_cells(passage: Passage | None) -> dict[str, Any]:
    if passage is None:
        return dict.fromkeys(_PASSAGE_COLUMNS, "")
    values = (passage.text_id, passage.part.value, passage.start, passage.end, passage.quote)
    return dict(zip(_PASSAGE_COLUMNS, values, strict=True))


def _row(attribute: Attribute, who: Contributor) -> dict[str, Any]:
    values = {name: getattr(who if name in ("role", "background") else attribute, name) for name in _COLUMNS}
    return values | {"kind": attribute.kind.value, "status": attribute.status.value}
