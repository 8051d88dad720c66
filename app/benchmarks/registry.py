"""Our own benchmarks, by name. Only the one asked for is loaded: what it doesn't use would slow it down."""

from importlib import import_module
from pathlib import Path
from typing import Any

from app.errors import InputError

BENCHMARKS = {
    "scoring": "app.benchmarks.scoring",
    "statistics": "app.benchmarks.statistics",
    "pages": "app.benchmarks.pages",
    "attributes": "app.benchmarks.attributes",
    "estimates": "app.benchmarks.estimates",
    "drift": "app.benchmarks.drift",
    "answer-plans": "app.benchmarks.answer_plans",
    "sessions": "app.benchmarks.sessions",
}
READS_ANSWERS = ("estimates", "answer-plans")


def run_benchmark(name: str, answers: Path | None = None) -> dict[str, Any]:
    """`answers` is a table for those that read one. Raises InputError for an unknown name, or a file nobody reads."""
    if name not in BENCHMARKS:
        raise InputError(f"“{name}” is not a benchmark.", f"There are: {', '.join(BENCHMARKS)}.")
    if answers and name not in READS_ANSWERS:
        raise InputError(f"The benchmark “{name}” reads no answers.", "Leave out --answers.")
    measured: dict[str, Any] = import_module(BENCHMARKS[name]).run(*([answers] if answers else []))
    return measured
