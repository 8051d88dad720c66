"""How commands speak: one JSON document on stdout or plain lines; progress on stderr."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from app.domain.run import RunSummary

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else there.")]
ProjectOption = Annotated[str, typer.Option("--project", help="The project's name.")]
DimensionOption = Annotated[str, typer.Option("--dimension", help="A dimension's name; several with commas; all.")]


def print_json(document: Any) -> None:
    typer.echo(json.dumps(document, ensure_ascii=False, indent=2, default=_iso, allow_nan=False))


def _iso(value: object) -> str:
    """Times in ISO 8601, as everywhere in documents; anything else is no document."""
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no place in a document")


def say(line: str) -> None:
    """Progress: on stderr, so that stdout holds only the result."""
    typer.echo(line, err=True)


def counted(count: int, noun: str, plural: str = "") -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {plural or f'{noun}s'}"


def shown_model(name: str) -> str:
    """A model's name for people; what is no LLM says so."""
    return "rules (not an LLM)" if name == "rules" else name


def shown_method(run: "RunSummary") -> str:
    """The method of a run for people; a study of conditions says for which one it ran."""
    return f"{run.evaluator}, condition {run.study}" if run.study else run.evaluator


def table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Aligned columns: numbers to the right, everything else to the left."""
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max([len(h), *(len(row[i]) for row in cells)]) for i, h in enumerate(headings)]
    right = [bool(rows) and all(_is_number(row[i]) or row[i] is None for row in rows) for i in range(len(widths))]

    def line(values: Sequence[str]) -> str:
        parts = [v.rjust(w) if r else v.ljust(w) for v, w, r in zip(values, widths, right, strict=True)]
        return "  ".join(parts).rstrip()

    return "\n".join([line(list(headings)), *(line(row) for row in cells)])


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cell(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
