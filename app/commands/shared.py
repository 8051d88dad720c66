"""What commands share: output, opening a project, and options, costs and interruption of commands that ask models.

Output is one JSON document on stdout or plain lines; progress goes to stderr. Services are imported when a command
runs: the database alone takes a second, and help doesn't need it.
"""

import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.domain.storable_text import storable
from app.errors import InputError, paragraph_of_kind

if TYPE_CHECKING:
    from app.domain.project import Dimension, Project
    from app.providers.model_options import ModelOptions
    from app.services.runtime.workbench import Workbench

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else there.")]
ProjectOption = Annotated[str, typer.Option("--project", help="The project's name.")]
DimensionOption = Annotated[str, typer.Option("--dimension", help="A dimension's name; several with commas; all.")]


# C0 and C1 controls and DEL; ESC and CSI begin a terminal's commands.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_ODD_IN_JSON = re.compile("[\x7f-\x9f\ud800-\udfff]")


def echo(line: str, err: bool = False, nl: bool = True) -> None:
    """Print a line. All output of commands goes through here, so that no text can control the terminal."""
    typer.echo(shown_safely(line), err=err, nl=nl)


def echo_file(content: str | bytes) -> None:
    """Print a file: unchanged to another file or program, with safe characters to a terminal."""
    if sys.stdout.isatty():
        text = content if isinstance(content, str) else content.decode("utf-8-sig")
        content = shown_safely(text.replace("\r\n", "\n"))
    typer.echo(content, nl=False)


def shown_safely(text: str) -> str:
    """Return the text with control characters except line feeds and tabs as escapes (\\x1b), and unencodable ones as
    U+FFFD."""
    return _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", storable(text))


def print_json(document: Any) -> None:
    said = json.dumps(document, ensure_ascii=False, indent=2, default=_iso, allow_nan=False)
    # The escapes of JSON, so that it reads back as it was.
    typer.echo(_ODD_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", said))


def _iso(value: object) -> str:
    """Return a time in ISO 8601. Raises TypeError for other types."""
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no place in a document")


def confirmed(question: str) -> bool:
    """Ask on stderr, and return the answer. Raises InputError where nobody can answer, as in a script."""
    try:
        return typer.confirm(question, err=True)
    except typer.Abort:
        if sys.stdin.isatty():  # Ctrl-C
            raise
        raise InputError("Nobody is here to confirm it.", "Add --yes to do it without a question.") from None


def say(line: str) -> None:
    """Print progress to stderr, so that stdout holds only the result."""
    echo(line, err=True)


def say_where_of(kinds: Iterable[str]) -> None:
    """Print the guide's paragraphs on these kinds of failures."""
    for kind in dict.fromkeys(kinds):
        say(f"See: guide, {paragraph_of_kind(kind).name}")


def read_date(written: str) -> datetime:
    """Parse a day or a time, as 2026-11-26 or 2026-11-26T18:00, in UTC by default. Raises InputError."""
    try:
        found = datetime.fromisoformat(written.strip())
    except ValueError:
        raise InputError(f"“{written[:40]}” is no date.", "Write it as 2026-11-26.") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def counted(count: int, noun: str, plural: str = "") -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {plural or f'{noun}s'}"


def shown_model(name: str) -> str:
    """Return a model's name for people, marked if it is no LLM; a dash for no model."""
    return {"rules": "rules (not an LLM)", "none": "–"}.get(name, name)


def table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return aligned columns: numbers to the right, everything else to the left."""
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


def p_cell(p: float | None) -> str | None:
    """Return a p-value for a table: three decimals, "< .001" below, None where no test was made."""
    return None if p is None else "< .001" if p < 0.001 else f"{p:.3f}"


def page(verdict: str, cells: str, remarks: Sequence[str], last: str) -> str:
    """Return verdict, table, remarks and method, separated by blank lines; empty parts are left out."""
    said = "\n".join(f"- {remark}" for remark in remarks)
    return "\n\n".join(part for part in (verdict, cells, said, last) if part)


def counts_table(counts: Mapping[str, Mapping[str, object]]) -> str:
    """Return a row for each dimension; columns that no run has are left out."""
    flat = {dimension: _flat(each) for dimension, each in counts.items()}
    names = list(dict.fromkeys(name for each in flat.values() for name in each))
    rows = [[dimension, *(each.get(name, 0) for name in names)] for dimension, each in flat.items()]
    return table(["dimension", *(name.replace("_", " ") for name in names)], rows)


def _flat(counts: Mapping[str, object]) -> dict[str, object]:
    """Return nested counts as columns of their own: quotes: {found, not in text} as quotes found, quotes not in
    text."""
    found: dict[str, object] = {}
    for name, value in counts.items():
        inner = {f"{name} {kind}": count for kind, count in value.items()} if isinstance(value, Mapping) else None
        found |= inner if inner is not None else {name: value}
    return found


def open_workbench() -> "Workbench":
    from app.services.runtime import workbench

    return workbench.open_workbench()


def open_project(name: str) -> "tuple[Workbench, Project]":
    """Return the workbench and the project of this name. Raises NotFoundError."""
    from app.services.data.projects import get_project

    workbench = open_workbench()
    return workbench, get_project(workbench, name)


def open_dimension(project: str, name: str) -> "tuple[Workbench, Dimension]":
    """Return the workbench and the dimension of this name. Raises NotFoundError."""
    from app.services.data.projects import one_dimension

    workbench = open_workbench()
    return workbench, one_dimension(workbench, project, name)


def open_dimensions(project: str, names: str) -> "tuple[Workbench, list[Dimension]]":
    """Return the workbench and the dimensions. names: separated by commas, or all. Raises NotFoundError."""
    from app.services.data.projects import dimensions_named

    workbench = open_workbench()
    return workbench, dimensions_named(workbench, project, names)


RoomOption = Annotated[
    int | None, typer.Option(help="Tokens of an answer at most, reasoning included; no limit of ours without it.")
]
TimeoutOption = Annotated[
    float | None, typer.Option(help="Seconds that one request may take; 600 without it, 900 with --tier.")
]
EffortOption = Annotated[
    str, typer.Option(help="How long a reasoning model thinks: none, minimal, low, medium, high, xhigh or max.")
]


TierOption = Annotated[
    str,
    typer.Option(
        help="flex: the vendor's slower tier at its lower price; where it has no room, wait, or with "
        "flex-or-standard ask at the standard price. OpenAI and Google sell it."
    ),
]


BatchOption = Annotated[
    bool, typer.Option("--batch", help="Half the price, answered within a day; Ctrl-C leaves it at the provider.")
]
BatchFallbackOption = Annotated[
    bool, typer.Option("--batch-fallback", help="With --batch: ask at once what a batch doesn't answer.")
]


def chosen_batch(wanted: bool, batch_fallback: bool) -> str:
    """Return what to do with requests that a batch didn't answer; "" for no batches. Raises InputError."""
    from app.services.runtime.batch_rounds import AGAIN, LIVE

    if batch_fallback and not wanted:
        raise InputError("--batch-fallback is about what a batch doesn't answer.", "Add --batch, or leave it out.")
    return "" if not wanted else LIVE if batch_fallback else AGAIN


def chosen_model_options(
    max_output_tokens: int | None, timeout: float | None, effort: str, tier: str = ""
) -> "ModelOptions":
    """Return the options of models. Raises InputError for invalid values."""
    from app.providers.model_options import TIMEOUT, ModelOptions

    return ModelOptions(max_output_tokens, TIMEOUT if timeout is None else timeout, effort, tier)


def warn_of_end(model: str) -> None:
    """Print on stderr when the vendor removes the model, if known."""
    from app.providers.known_prices import end_warning

    if warning := end_warning(model):
        say(warning)


def workbench_asking(workbench: "Workbench", models: Iterable[str], options: "ModelOptions") -> "Workbench":
    """Return the workbench with these options for all models. Raises EffortError if one is known not to take the
    effort."""

    from app.providers.model_options import check_effort

    for model in models:
        check_effort(model, options.effort)
    return replace(workbench, asking=options)


_SAID = b"Stopping: replies that are paid and under way are waited for. Once more stops at once.\n"


class Interruption:
    """The interruption of a command. `signal_number` is the first signal, None before."""

    signal_number: int | None = None

    def exit_if_any(self) -> None:
        """Exit as after a signal, if there was one: 130 for Ctrl-C, 143 for SIGTERM."""
        if self.signal_number is not None:
            raise typer.Exit(128 + self.signal_number)


@contextmanager
def runs_end_on_signals(also: Callable[[], None] = lambda: None) -> Iterator[Interruption]:
    """Within the block, the first signal asks all runs of this process to end, the second ends the process at once."""
    from app.services.scoring.run_worker import allow_runs, stop_all_runs

    found = Interruption()

    def receive(number: int, _: FrameType | None) -> None:
        if found.signal_number is not None:
            raise KeyboardInterrupt
        found.signal_number = number
        os.write(2, _SAID)  # unlike print, it may be called at any moment
        also()
        stop_all_runs()

    before = {number: signal.signal(number, receive) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield found
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        allow_runs()


def _share(context: typer.Context, address: str | None) -> str | None:
    """Use this scheduler while the command runs. Raises InputError and NotReadyError before it begins."""
    from app.cluster import use_scheduler

    if address is not None:
        context.with_resource(use_scheduler(address))
    return address


def _share_texts(context: typer.Context, address: str | None) -> str | None:
    """Use this scheduler as `_share` does. Raises ClusterError if it can't be used, before a run is planned."""
    from app.cluster import scheduler_at

    if address is not None:
        with scheduler_at(address):
            pass
    return _share(context, address)


DaskOption = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="ADDRESS",
        help="Share the texts with this Dask scheduler's workers: tcp://HOST:8786. INTERACTEVAL_DASK without it.",
        callback=_share_texts,
    ),
]
IntervalsDaskOption = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="ADDRESS",
        help="Share intervals that take long with this Dask scheduler's workers. INTERACTEVAL_DASK without it.",
        callback=_share,
    ),
]
