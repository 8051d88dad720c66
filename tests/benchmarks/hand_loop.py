"""Benchmark of a run beside a loop written by hand over the SDK, which keeps nothing and tries nothing again.

They take turns, on the same machine as the judge, which answers after 200 ms.
"""

from collections.abc import Sequence
from typing import Any

from tests.benchmarks.turns import CHECKLIST, LOOP, compared, turn

ROUNDS = 3
SETTINGS = ((640, 32), (1_280, 128))
"""Texts, requests in flight."""


def run() -> dict[str, Any]:
    """`times` is what a run takes as a multiple of the loop, turn by turn."""
    return {f"{in_flight} in flight": _beside(texts, in_flight) for texts, in_flight in SETTINGS}


def _beside(texts: int, in_flight: int) -> dict[str, Any]:
    loops, ours = [], []
    for _ in range(ROUNDS):
        loops.append(turn(LOOP, texts, in_flight))
        ours.append(turn(CHECKLIST, texts, in_flight))
    return {
        "texts": texts,
        **compared(ours, loops),
        "cpu_ms_per_call": _per_call(ours, texts),
        "cpu_ms_per_call_of_the_loop": _per_call(loops, texts),
    }


def _per_call(turns: Sequence[dict[str, float]], texts: int) -> str:
    return ", ".join(f"{1000 * each['cpu_seconds'] / texts:.1f}" for each in turns)
