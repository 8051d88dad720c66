"""judge: judge texts with a checklist file, without a project."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.data.imports import FormatOption
from app.commands.scoring.score import progress_printer, read_settings
from app.commands.shared import (
    BatchFallbackOption,
    BatchOption,
    EffortOption,
    JsonOption,
    RoomOption,
    TierOption,
    TimeoutOption,
    chosen_batch,
    chosen_model_options,
    counted,
    echo,
    print_json,
    runs_end_on_signals,
    say,
    shown_model,
    table,
    warn_of_end,
)
from app.domain.checklist_score import Answer
from app.errors import FileFormatError, InputError
from app.input_file import LARGEST_FILE, LARGEST_LIST, read_file
from app.limits import CONCURRENCY

if TYPE_CHECKING:
    from app.services.scoring.judged_texts import JudgedText, JudgedTexts

STDIN = "-"
_SHOWN = 20


def judge(
    file: Annotated[Path, typer.Argument(help="JSON Lines, CSV or another table with a column of texts; - for stdin.")],
    checklist: Annotated[Path, typer.Option(help="A checklist file, as `checklist export` writes it: JSON or YAML.")],
    judge_: Annotated[str, typer.Option("--judge", help="provider:name, or rules.")],
    output: Annotated[
        Path | None, typer.Option(help="Write what was found: .json all of it, .jsonl or .csv a line for each text.")
    ] = None,
    fail_under: Annotated[
        float | None, typer.Option(help="Exit with status 4 where the mean score is below this.")
    ] = None,
    require: Annotated[
        list[str] | None,
        typer.Option(help="Exit with status 4 where a text has no yes to this question (number or wording); repeat."),
    ] = None,
    reasons: Annotated[bool, typer.Option("--reasons", help="Ask for a short reason with each answer.")] = False,
    evidence: Annotated[bool, typer.Option("--evidence", help="Ask for the passage that decides each answer.")] = False,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", help="Another option of how a checklist is asked, as name=value; repeat for more."),
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(help="Keep answers in this file, so that nothing is paid twice; OUTPUT.cache.db with --output."),
    ] = None,
    map_: Annotated[
        list[str] | None,
        typer.Option("--map", help="text=COL, source=COL, doc_id=COL, system_id=COL; the rest is guessed."),
    ] = None,
    format_: FormatOption = "auto",
    concurrency: Annotated[int, typer.Option(min=1, help="How many texts at a time.")] = CONCURRENCY,
    budget: Annotated[float | None, typer.Option(help="Stop at so many US dollars.")] = None,
    max_output_tokens: RoomOption = None,
    timeout: TimeoutOption = None,
    effort: EffortOption = "",
    tier: TierOption = "",
    batch: BatchOption = False,
    batch_fallback: BatchFallbackOption = False,
    json_: JsonOption = False,
) -> None:
    """Judge texts with a checklist file: each text's score and answers, without a project or database.

    Running the command again asks only for what is missing, and collects the answers of a batch.

    Example: interacteval judge night.jsonl --checklist coherence.json --judge openai:gpt-6-luna --fail-under 3.5
    """
    from app.services.runtime.output_file import output_file
    from app.services.scoring.judged_texts import Judging, judge_texts, private_workbench, read_texts

    if output is not None and output.suffix.lower() not in _WRITTEN:
        raise InputError(f"{output} has no ending that says how to write it.", f"Use {', '.join(_WRITTEN)}.")
    cache = cache or (output and output.with_name(f"{output.name}.cache.db"))
    if batch and cache is None:
        raise InputError("A batch is collected later, from the file with the answers.", "Add --output or --cache.")
    flags = {"reasons": reasons, "evidence": evidence}
    written = [(name, "yes") for name, wanted in flags.items() if wanted]
    judging = Judging(
        judge_,
        (*written, *read_settings(setting or ())),
        fail_under,
        tuple(require or ()),
        budget,
        chosen_model_options(max_output_tokens, timeout, effort, tier),
        chosen_batch(batch, batch_fallback),
        concurrency,
    )
    asked = read_file(checklist, LARGEST_LIST)
    with _plain_file(file) as path:
        texts = read_texts(path, format_, map_ or ())
    warn_of_end(judge_)
    with private_workbench(cache) as workbench, runs_end_on_signals() as interruption:
        found = judge_texts(workbench, texts, asked, checklist.name, judging, progress_printer())
    if output is not None:
        with output_file(output) as written_to:
            written_to.write_bytes(_WRITTEN[output.suffix.lower()](found))
        say(f"Wrote {output}")
    if json_:
        print_json(found.to_json())
    else:
        _print(found)
    interruption.exit_if_any()
    _end(found)


@contextmanager
def _plain_file(file: Path) -> Iterator[Path]:
    """Yield the file, or for - a temporary one with the content of stdin."""
    if str(file) != STDIN:
        yield file
        return
    data = sys.stdin.buffer.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise FileFormatError("What comes in on stdin is too large.", "Split it.")
    with TemporaryDirectory(prefix="interacteval-") as folder:
        path = Path(folder) / "stdin"
        path.write_bytes(data)
        yield path


def _json_bytes(found: "JudgedTexts") -> bytes:
    return (json.dumps(found.to_json(), ensure_ascii=False, indent=2) + "\n").encode()


def _jsonl_bytes(found: "JudgedTexts") -> bytes:
    return "".join(json.dumps(text.to_json(), ensure_ascii=False) + "\n" for text in found.texts).encode()


def _csv_bytes(found: "JudgedTexts") -> bytes:
    """Return a CSV with a column q1, q2 ... for each question; answers of several repeats share a cell."""
    from app.export.spreadsheet import csv_bytes

    questions = range(1, len(found.questions) + 1)
    rows = [
        {"id": text.id, "score": text.score, "coverage": text.coverage, "cost_usd": text.cost_usd, "error": text.error}
        | {f"q{n}": "/".join(each.answer.value for each in text.answers if each.number == n) for n in questions}
        for text in found.texts
    ]
    columns = ["id", "score", "coverage", *(f"q{n}" for n in questions), "cost_usd", "error"]
    return csv_bytes(columns, rows, for_spreadsheets=False)


_WRITTEN = {".json": _json_bytes, ".jsonl": _jsonl_bytes, ".csv": _csv_bytes}


def _print(found: "JudgedTexts") -> None:
    """Print the texts with the lowest scores, the questions they fail, and the gates."""
    lowest = sorted((text for text in found.texts if not text.error), key=_low)[:_SHOWN]
    if len(found.texts) > len(lowest):
        echo(f"The {len(lowest)} texts with the lowest scores, of {len(found.texts):,}:")
    echo(
        table(["text", "score", "coverage", "fails"], [[_short(t.id), t.score, t.coverage, _failed(t)] for t in lowest])
    )
    mean = "none" if found.mean is None else f"{found.mean:.3f}"
    cost = "unknown" if found.cost_usd is None else f"${found.cost_usd:.4f}"
    echo(
        f"{found.dimension}, {shown_model(found.judge)}: mean {mean} of {counted(len(found.texts), 'text')}; "
        f"cost {cost}, {found.calls} calls, {found.calls_cached} answered before"
    )
    for gate in found.gates:
        value = "none" if gate.value is None else f"{gate.value:.3f}"
        more = f" and {len(gate.failing) - _SHOWN} more" if len(gate.failing) > _SHOWN else ""
        failing = f"; failing: {', '.join(map(_short, gate.failing[:_SHOWN]))}{more}" if gate.failing else ""
        echo(f"gate {gate.gate}: {value}, {'passed' if gate.passed else 'failed'}{failing}")


def _low(text: "JudgedText") -> tuple[bool, float]:
    return text.score is None, text.score or 0.0


def _short(name: str) -> str:
    return name if len(name) <= 40 else f"{name[:39]}…"


def _failed(text: "JudgedText") -> str:
    """Return the numbers of the questions that cost a point."""
    bad = [each for each in text.answers if each.answer is (Answer.YES if each.must_not else Answer.NO)]
    return ", ".join(dict.fromkeys(str(each.number) for each in bad))


def _end(found: "JudgedTexts") -> None:
    """Exit with the status of a failed gate, else of texts that could not be judged."""
    for row in found.left_out[:_SHOWN]:
        say(f"left out, row {row.row}: {row.reason}")
    failed = [text for text in found.texts if text.error]
    for text in failed[:_SHOWN]:
        say(f"text {_short(text.id)} failed: {text.error}")
    fatal = found.report.fatal
    if fatal is not None and fatal.exit_status == InputError.exit_status:
        raise fatal
    if fatal is not None:
        say(fatal.in_full)
    if not found.passed:
        raise typer.Exit(4)
    if failed:
        say(f"{counted(len(failed), 'text')} without a score; the same command tries them again")
        raise typer.Exit(3)
