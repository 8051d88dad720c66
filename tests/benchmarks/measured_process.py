"""A measurement in a process of its own, so that what it takes is its alone."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from app.errors import WorkbenchError


def measured_process(module: str, *words: object, variables: Mapping[str, str] | None = None) -> dict[str, float]:
    """What a module of this package prints last, as JSON. variables: of its environment, beside those here.

    Raises WorkbenchError where it fails.
    """
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-m", f"tests.benchmarks.{module}", *map(str, words)],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root), **(variables or {})},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        said = " ".join(map(str, words))
        raise WorkbenchError(f"The measurement {module} ({said}) failed.", "What it said stands above.")
    taken: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return taken
