"""Our own benchmarks, by name."""

from collections.abc import Callable
from typing import Any

from app.attribute_analysis import benchmark as attributes
from app.errors import InputError
from app.meta_evaluation import benchmark as statistics
from app.services import pages_benchmark as pages
from app.services import scoring_benchmark as scoring

BENCHMARKS: dict[str, Callable[[], dict[str, Any]]] = {
    "scoring": scoring.run,
    "statistics": statistics.run,
    "attributes": attributes.run,
    "pages": pages.run,
}


def run_benchmark(name: str) -> dict[str, Any]:
    if name not in BENCHMARKS:
        raise InputError(f"“{name}” is not a benchmark.", f"There are: {', '.join(BENCHMARKS)}.")
    return BENCHMARKS[name]()
