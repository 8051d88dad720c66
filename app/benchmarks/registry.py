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
    "sessions": "app.benchmarks.sessions",
    "scale": "app.benchmarks.scale",
    "hand-loop": "app.benchmarks.hand_loop",
    "workers": "app.benchmarks.workers",
}
READS_ANSWERS = ("estimates",)
HAS_SIZES = ("scale",)


def run_benchmark(name: str, answers: Path | None = None, sizes: str = "") -> dict[str, Any]:
    """`answers` is a table for those that read one, `sizes` are numbers of texts, as typed, for those that have them.

    Raises InputError for an unknown name, and for what the benchmark can't use.
    """
    if name not in BENCHMARKS:
        raise InputError(f"“{name}” is not a benchmark.", f"There are: {', '.join(BENCHMARKS)}.")
    if answers and name not in READS_ANSWERS:
        raise InputError(f"The benchmark “{name}” reads no answers.", "Leave out --answers.")
    if sizes and name not in HAS_SIZES:
        raise InputError(f"The benchmark “{name}” has but one size.", "Leave out --sizes.")
    chosen = [answers] if answers else [_sizes(sizes)] if sizes else []
    measured: dict[str, Any] = import_module(BENCHMARKS[name]).run(*chosen)
    return measured


def _sizes(typed: str) -> tuple[int, ...]:
    found = [part.strip().replace("_", "") for part in typed.split(",")]
    if not all(part.isdecimal() and int(part) for part in found):
        raise InputError(f"{typed!r} are no numbers of texts.", "Write them as 10000,100000.")
    return tuple(sorted(map(int, found)))
