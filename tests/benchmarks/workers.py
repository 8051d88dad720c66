"""Benchmark of two Dask workers on this machine beside a run in one process, in turns."""

from typing import Any

from app.cluster import check_dask
from tests.benchmarks.turns import CHECKLIST, ROUGE, compared, turn

ROUNDS = 2
SETTINGS = {
    "400 texts": (CHECKLIST, 400, 32),
    "2,000 texts": (CHECKLIST, 2_000, 32),
    "ROUGE-L of 3,000 texts, 11 references": (ROUGE, 3_000, 32),
    "ROUGE-L of 10,000 texts, 11 references": (ROUGE, 10_000, 32),
}


def run() -> dict[str, Any]:
    """`times` is what two workers take as a multiple of one process. Raises NotReadyError without the extra."""
    check_dask()
    found: dict[str, Any] = {}
    for name, setting in SETTINGS.items():
        alone, shared = [], []
        for _ in range(ROUNDS):
            alone.append(turn(*setting))
            shared.append(turn(*setting, workers=2))
        found[name] = compared(shared, alone)
    return found
