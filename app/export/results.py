"""Scores as a tidy table, one row a text, dimension and run."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from app.errors import InputError

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


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """CSV or Parquet, by the file's ending. Raises InputError for another."""
    match path.suffix.lower():
        case ".csv":
            with path.open("w", encoding="utf-8", newline="") as stream:
                writer = csv.DictWriter(stream, COLUMNS)
                writer.writeheader()
                writer.writerows(rows)
        case ".parquet":
            import pandas as pd  # noqa: PLC0415

            pd.DataFrame(rows, columns=list(COLUMNS)).to_parquet(path, index=False)
        case other:
            raise InputError(
                f"Results can't be written as “{other or path.name}”.", "End the name in .csv, .parquet or .html."
            )


def html_report(title: str, notices: Iterable[str], results: Sequence[Mapping[str, Any]]) -> str:
    """A self-contained page with every figure, its interval, what it rests on and its signature."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(_REPORT.read_text(encoding="utf-8"))
    return template.render(title=title, notices=list(notices), results=results)
