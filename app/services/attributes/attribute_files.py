"""Attributes as files to keep: one a line, everything as JSON, or a table that a spreadsheet opens unharmed."""

import json
from collections.abc import Sequence
from typing import Any

from app.domain.attribute import Attribute, Contributor
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


def attribute_file(attributes: Sequence[Attribute], contributors: Sequence[Contributor], form: str) -> bytes:
    """UTF-8. text: the wordings, one a line (line breaks inside one become spaces); json and csv: all that is known,
    with what each contributor said about themselves."""
    if form == "text":
        return "".join(f"{' '.join(a.text.split())}\n" for a in attributes).encode()
    people = {contributor.name: contributor for contributor in contributors}
    rows = [_row(attribute, people[attribute.contributor]) for attribute in attributes]
    if form == "csv":
        return csv_bytes(_COLUMNS, rows)
    return json.dumps(rows, ensure_ascii=False, indent=2).encode()


def _row(attribute: Attribute, who: Contributor) -> dict[str, Any]:
    values = {name: getattr(who if name in ("role", "background") else attribute, name) for name in _COLUMNS}
    return values | {"kind": attribute.kind.value, "status": attribute.status.value}
