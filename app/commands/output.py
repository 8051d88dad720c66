"""Output of commands: one JSON document on stdout or plain lines; progress on stderr."""

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from app.domain.storable_text import storable
from app.errors import InputError, paragraph_of_kind

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else there.")]
ProjectOption = Annotated[str, typer.Option("--project", help="The project's name.")]
DimensionOption = Annotated[str, typer.Option("--dimension", help="A dimension's name; several with commas; all.")]


# C0 and C1 controls and DEL; ESC and CSI begin a terminal's commands.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_ODD_IN_JSON = re.compile("[\x7f-\x9f\ud800-\udfff]")


def echo(line: str, err: bool = False, nl: bool = True) -> None:
    """Everything a command says goes through here, so that no text of anybody's gives the terminal orders."""
    typer.echo(shown_safely(line), err=err, nl=nl)


def echo_file(content: str | bytes) -> None:
    """Print a file: unchanged into another file or program, made safe on a screen."""
    if sys.stdout.isatty():
        text = content if isinstance(content, str) else content.decode("utf-8-sig")
        content = shown_safely(text.replace("\r\n", "\n"))
    typer.echo(content, nl=False)


def shown_safely(text: str) -> str:
    """Control characters but line feeds and tabs as their escapes (\\x1b), and what no encoding holds as U+FFFD."""
    return _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", storable(text))


def print_json(document: Any) -> None:
    said = json.dumps(document, ensure_ascii=False, indent=2, default=_iso, allow_nan=False)
    # The escapes of JSON, so that it reads back as it was.
    typer.echo(_ODD_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", said))


def _iso(value: object) -> str:
    """Times in ISO 8601, as everywhere in documents; anything else is no document."""
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no place in a document")


def say(line: str) -> None:
    """Progress: on stderr, so that stdout holds only the result."""
    echo(line, err=True)


def say_where_of(kinds: Iterable[str]) -> None:
    """Where the guide tells of failures that are on record, by their kinds."""
    for kind in dict.fromkeys(kinds):
        say(f"See: guide, {paragraph_of_kind(kind).name}")


def read_date(written: str) -> datetime:
    """A day or a time, as 2026-11-26 or 2026-11-26T18:00; of UTC where it doesn't say of which zone. Raises
    InputError."""
    try:
        found = datetime.fromisoformat(written.strip())
    except ValueError:
        raise InputError(f"“{written[:40]}” is no date.", "Write it as 2026-11-26.") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def counted(count: int, noun: str, plural: str = "") -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {plural or f'{noun}s'}"


def shown_model(name: str) -> str:
    """A model's name for people; what is no LLM says so, and no model is a dash."""
    return {"rules": "rules (not an LLM)", "none": "–"}.get(name, name)


def table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Aligned columns: numbers to the right, everything else to the left."""
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max([len(h), *(len(row[i]) for row in cells)]) for i, h in enumerate(headings)]
    right = [bool(rows) and all(_is_number(row[i]) or row[i] is None for row in rows) for i in range(len(widths))]

    def line(values: Sequence[str]) -> str:
        parts = [v.rjust(w) if r else v.ljust(w) for v, w, r in zip(values, widths, right, strict=True)]
        return "  ".join(parts).rstrip()

    return "\n".join([line(list(headings)), *(line(row) for row in cells)])


def print_rows(rows: Sequence[Mapping[str, object]], as_json: bool, none: str, shown: Sequence[str] = ()) -> None:
    """Print rows as one JSON list, else as a table of the columns `shown` (all without them), else `none`."""
    if as_json:
        print_json(rows)
    elif rows:
        names = shown or list(rows[0])
        echo(table(names, [[row.get(name, "") for name in names] for row in rows]))
    else:
        echo(none)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cell(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def interval_cell(low: float | None, high: float | None) -> str | None:
    return None if low is None or high is None else f"{low:.3f} to {high:.3f}"


def page(verdict: str, cells: str, remarks: Sequence[str], last: str) -> str:
    """What follows, the table it rests on, what weakens it, and how it was computed; without the parts that are ""."""
    said = "\n".join(f"- {remark}" for remark in remarks)
    return "\n\n".join(part for part in (verdict, cells, said, last) if part)


def counts_table(counts: Mapping[str, Mapping[str, object]]) -> str:
    """A row a dimension; what few runs have is a column only where one has it."""
    flat = {dimension: _flat(each) for dimension, each in counts.items()}
    names = list(dict.fromkeys(name for each in flat.values() for name in each))
    rows = [[dimension, *(each.get(name, 0) for name in names)] for dimension, each in flat.items()]
    return table(["dimension", *(name.replace("_", " ") for name in names)], rows)


def _flat(counts: Mapping[str, object]) -> dict[str, object]:
    """Counts of one kind (quotes: found, not in text) as names of their own: quotes found, quotes not in text."""
    found: dict[str, object] = {}
    for name, value in counts.items():
        inner = {f"{name} {kind}": count for kind, count in value.items()} if isinstance(value, Mapping) else None
        found |= inner if inner is not None else {name: value}
    return found
