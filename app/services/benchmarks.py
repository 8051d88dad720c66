"""Our own benchmarks, by name."""

from typing import Any

from app.attribute_analysis import benchmark as attribute_benchmark
from app.errors import InputError
from app.meta_evaluation import benchmark as statistics_benchmark

BENCHMARKS = {"statistics": statistics_benchmark.run, "attributes": attribute_benchmark.run}


def run_benchmark(name: str) -> dict[str, Any]:
    if name not in BENCHMARKS:
        raise InputError(f"“{name}” is not a benchmark.", f"There are: {', '.join(BENCHMARKS)}.")
    return BENCHMARKS[name]()
