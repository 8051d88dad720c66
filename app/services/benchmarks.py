"""Our own benchmarks, by name. Only the one asked for is loaded: what it doesn't use would slow it down."""

from importlib import import_module
from typing import Any

from app.errors import InputError

BENCHMARKS = {
    "scoring": "app.services.scoring_benchmark",
    "statistics": "app.meta_evaluation.benchmark",
    "pages": "app.services.pages_benchmark",
    "attributes": "app.attribute_analysis.benchmark",
}


def run_benchmark(name: str) -> dict[str, Any]:
    if name not in BENCHMARKS:
        raise InputError(f"“{name}” is not a benchmark.", f"There are: {', '.join(BENCHMARKS)}.")
    measured: dict[str, Any] = import_module(BENCHMARKS[name]).run()
    return measured
