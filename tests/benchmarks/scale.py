"""Benchmark of size: 10 k, 100 k and 1 M short texts with two people's ratings, from their file to the archive.

Each step is a process of its own (tests.benchmarks.scale_steps), so that its seconds and its most memory are its alone.
`growth` is how many times the CPU the largest takes of the next smaller one's, beside how many times larger it is: as
many times is linear. The CPU is that of the step alone, however busy the machine is; the seconds are by the clock.
"""

import sys
import tempfile
from collections.abc import Sequence
from typing import Any

from tests.benchmarks.measured_process import measured_process
from tests.benchmarks.scale_steps import STEPS

SIZES = (10_000, 100_000, 1_000_000)
IMPORT_SECONDS, IMPORT_MB, OTHERS_MB = 600, 1024, 1536
_MEASURABLE = 1.0  # seconds: the growth of less is that of the measurement


def run(sizes: Sequence[int] = SIZES) -> dict[str, Any]:
    """Seconds and MB by step and size, and whether the largest keeps the limits. It takes minutes, and a GB of disk."""
    measured = {size: _of_size(size) for size in sizes}
    largest = measured[sizes[-1]]
    return {
        "import_limit_seconds": IMPORT_SECONDS,
        "import_limit_mb": IMPORT_MB,
        "others_limit_mb": OTHERS_MB,
        **{step: _line([measured[size].get(step, {}) for size in sizes], sizes) for step in STEPS},
        "within_limits": all(_within(step, found) for step, found in largest.items()),
    }


def _of_size(count: int) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory(prefix="interacteval-scale-") as folder:
        for step in STEPS:
            found[step] = measured_process("scale_steps", step, folder, count)
            told = f"{count:,} texts, {step}: {found[step]['seconds']} s, {found[step]['peak_mb']} MB"
            print(told, file=sys.stderr, flush=True)
    return found


def _line(found: Sequence[dict[str, float]], sizes: Sequence[int]) -> dict[str, Any]:
    line: dict[str, Any] = {
        f"{size:,}": f"{each['seconds']:g} s ({each['cpu_seconds']:g} s of CPU), {each['peak_mb']:g} MB"
        for size, each in zip(sizes, found, strict=True)
    }
    if len(sizes) > 1 and found[-2]["cpu_seconds"] >= _MEASURABLE:
        times = found[-1]["cpu_seconds"] / found[-2]["cpu_seconds"]
        line["growth"] = f"{times:.1f} times the CPU for {sizes[-1] / sizes[-2]:g} times the texts"
    return line


def _within(step: str, found: dict[str, float]) -> bool:
    if step.startswith("import "):
        return found["seconds"] < IMPORT_SECONDS and found["peak_mb"] < IMPORT_MB
    return found["peak_mb"] < OTHERS_MB
