"""Records of a data file, as they stand in it, whatever the file's container."""

from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from app.corpora.cells import json_safe
from app.corpora.corpus import SkippedRow
from app.corpora.decoding import decode, read_bytes
from app.corpora.delimited import parse_delimited
from app.corpora.json_records import looks_like_json_lines, parse_json, parse_json_lines
from app.errors import FileFormatError

CONTAINERS = ("csv", "jsonl", "json", "parquet")
_PARQUET_MARK = b"PAR1"
_PARSERS: dict[str, Callable[[str, str], tuple[list[tuple[int, dict[str, Any]]], list[SkippedRow]]]] = {
    "csv": parse_delimited,
    "json": parse_json,
    "jsonl": parse_json_lines,
}


@dataclass(frozen=True, slots=True)
class Records:
    """`items` are (row as in CorpusText, record); `skipped` are the rows that couldn't even be parsed."""

    container: str
    items: tuple[tuple[int, dict[str, Any]], ...]
    skipped: tuple[SkippedRow, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """All field names in the order in which they first appear."""
        return tuple(dict.fromkeys(str(name) for _, record in self.items for name in record))


def read_records(path: Path, container: str = "auto") -> Records:
    """All records of the file. `auto` tells the container by its content. Raises NotFoundError, FileFormatError."""
    raw = read_bytes(path)
    if container == "parquet" or (container == "auto" and raw.startswith(_PARQUET_MARK)):
        return _read_parquet(raw, path.name)
    text = decode(raw, path.name)
    container = sniff_container(text, path.suffix.lower()) if container == "auto" else container
    items, skipped = _PARSERS[container](text, path.name)
    return Records(container, tuple(items), tuple(skipped))


def sniff_container(text: str, suffix: str) -> str:
    """json, jsonl or csv, by how the text begins; the file's suffix decides only where that says nothing."""
    start = text.lstrip()[:1]
    if start == "[" and suffix not in {".csv", ".tsv"}:
        return "json"
    if looks_like_json_lines(text):
        return "jsonl"
    if start == "{" or suffix == ".json":
        return "json"
    return "jsonl" if suffix in {".jsonl", ".ndjson"} else "csv"


def _read_parquet(raw: bytes, name: str) -> Records:
    try:
        rows = pq.read_table(BytesIO(raw)).to_pylist()
    except (pa.ArrowException, OSError, ValueError):
        raise FileFormatError(f"{name} is not a complete Parquet file.", "Write it again, or save it as CSV.") from None
    if not rows:
        raise FileFormatError(f"{name} holds no rows.", "Choose a file that holds data.")
    # Parquet writers store a missing number as NaN; json_safe makes it None, as a blank cell is.
    items = tuple((number, dict(json_safe(row))) for number, row in enumerate(rows, start=1))
    return Records("parquet", items, ())
