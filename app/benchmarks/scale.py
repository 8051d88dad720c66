"""Benchmark of size: 10 k, 100 k and 1 M short texts with two people's ratings, from their file to the archive.

Each step is a process of its own (app.benchmarks.scale_steps), so that its seconds and its most memory are its alone.
`growth` is how many times the CPU the largest takes of the next smaller one's, beside how many times larger it is: as
many times is linear. The CPU is that of the step alone, however busy the machine is; the seconds are by the clock.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.benchmarks.scale_steps import STEPS
from app.errors import WorkbenchError

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
            found[step] = _step(step, folder, count)
            told = f"{count:,} texts, {step}: {found[step]['seconds']} s, {found[step]['peak_mb']} MB"
            print(told, file=sys.stderr, flush=True)  # noqa: T201 - it takes so long that people want to see it go on
    return found


def _step(step: str, folder: str, count: int) -> dict[str, float]:
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-m", "app.benchmarks.scale_steps", step, folder, str(count)],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root)},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise WorkbenchError(f"The step “{step}” failed with {count:,} texts.", "What it said stands above.")
    taken: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return taken


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
