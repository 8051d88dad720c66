"""Scores as a tidy table, one row for each text, dimension and run, and results as an HTML report."""

import base64
import hashlib
import io
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from app import __version__
from app.domain.run import ScoredText
from app.domain.storable_text import shown_value

if TYPE_CHECKING:
    from app.export.charts import ReportChart

_OF_RUN = {"run": "int64", "evaluator": "string", "variant": "string", "judge": "string", "dimension": "string"}
_OF_TEXT = {
    "doc_id": "string",
    "system_id": "string",
    "score": "float64",
    "coverage": "float64",
    "human": "float64",
    "raters": "int64",
    "item_id": "string",
    "soft": "float64",
}
"""Columns with what a `ScoredText` has by that name, and their types in Parquet: an entry here is a column of every
export of scores."""
_TYPES = _OF_RUN | _OF_TEXT
COLUMNS = tuple(_TYPES)
_ROWS_AT_A_TIME = 20_000
_REPORT = Path(__file__).with_name("report.html")


def score_cells(row: ScoredText) -> dict[str, Any]:
    """Return the cells of the columns that are about a text and its score."""
    return {name: getattr(row, name) for name in _OF_TEXT}


def parquet_bytes(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Return a Parquet file of COLUMNS with their types; rows are written in groups."""
    import pyarrow as pa  # noqa: PLC0415 - takes half a second
    import pyarrow.parquet as pq  # noqa: PLC0415

    schema = pa.schema([(name, _TYPES[name]) for name in COLUMNS])
    stream, left = io.BytesIO(), iter(rows)
    with pq.ParquetWriter(stream, schema) as writer:
        while some := list(islice(left, _ROWS_AT_A_TIME)):
            writer.write_table(pa.Table.from_pylist(some, schema))
    return stream.getvalue()


def html_report(
    title: str,
    notices: Iterable[str],
    results: Sequence[Mapping[str, Any]],
    methods: Sequence[str],
    overview: "ReportChart | None",
    grids: Sequence[Mapping[str, Any]] = (),
) -> str:
    """Return a self-contained page: every figure with its interval, what it rests on and its signature, charts,
    methods.

    `results` are in the form of `results --json`, each with its `charts`. `grids` are of methods by dimensions, one a
    coefficient: `title`, `columns`, `rows` (label, cells) and `notes`.
    """
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=shown_value
    )
    source = _REPORT.read_text(encoding="utf-8")
    return environment.from_string(source).render(
        title=title,
        notices=list(notices),
        results=results,
        methods=methods,
        overview=overview,
        grids=grids,
        version=__version__,
        policy=_content_security_policy(source),
    )


def _content_security_policy(source: str) -> Markup:
    """Return the page's policy: only its own style sheet is allowed; nothing is loaded, run or sent, whatever a name
    contains."""
    style = source.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return Markup(  # noqa: S704 - a hash of our own words
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
