"""Our own benchmarks, by name. Only the one asked for is loaded: what it doesn't use would slow it down."""

from importlib import import_module
from typing import Any

from app.errors import InputError

BENCHMARKS = {
    "scoring": "app.benchmarks.scoring",
    "statistics": "app.benchmarks.statistics",
    "pages": "app.benchmarks.pages",
    "attributes": "app.benchmarks.attributes",
}


def run_benchmark(name: str) -> dict[str, Any]:
    if name not in BENCHMARKS:
        raise InputError(f"“{name}” is not a benchmark.", f"There are: {', '.join(BENCHMARKS)}.")
    measured: dict[str, Any] = import_module(BENCHMARKS[name]).run()
    return measured
