"""Scores as a tidy table, one row a text, dimension and run."""

import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from app import __version__

COLUMNS = (
    "run",
    "evaluator",
    "judge",
    "dimension",
    "doc_id",
    "system_id",
    "score",
    "coverage",
    "human",
    "raters",
    "item_id",
)
_REPORT = Path(__file__).with_name("report.html")


def parquet_bytes(rows: Iterable[Mapping[str, Any]]) -> bytes:
    import pandas as pd  # noqa: PLC0415 - takes half a second

    stream = io.BytesIO()
    pd.DataFrame(list(rows), columns=list(COLUMNS)).to_parquet(stream, index=False)
    return stream.getvalue()


def html_report(
    title: str,
    notices: Iterable[str],
    results: Sequence[Mapping[str, Any]],
    methods: Sequence[str],
    overview: Markup,
) -> str:
    """A self-contained page: every figure with its interval, what it rests on and its signature, pictures, methods.

    `results` in the form of `results --json`, each with its `pictures`.
    """
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(_REPORT.read_text(encoding="utf-8"))
    return template.render(
        title=title, notices=list(notices), results=results, methods=methods, overview=overview, version=__version__
    )
