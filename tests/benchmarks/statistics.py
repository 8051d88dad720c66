"""Benchmark of the statistics: 1,200 texts, 100 sources x 12 systems, three coefficients and the MAE."""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import get_args

import numpy as np

from app.meta_evaluation.bootstrap import RESAMPLES, Design, resample
from app.meta_evaluation.comparison import PERMUTATIONS
from app.meta_evaluation.permutation import permuted_differences
from app.meta_evaluation.score_matrix import (
    COEFFICIENTS,
    Level,
    Resampling,
    ScoreTable,
    default_resampling,
    score_table,
)

SOURCES, SYSTEMS, SEED = 100, 12, 20
REPEATS = 3
"""The fastest of so many counts: the others measure what else the machine is doing."""
BOOTSTRAP_LIMIT, PERMUTATION_LIMIT = 0.2, 3.0


def run() -> dict[str, object]:
    """Seconds by level and by what is resampled, and for the permutation test, with the limits they are held to."""
    table = _synthetic()
    bootstrap = {
        level: {unit: _fastest(partial(_bootstrap, table, level, unit)) for unit in units}
        for level, units in _designs().items()
    }
    permutation = {level: _fastest(partial(_permute, table, level)) for level in get_args(Level)}
    return {
        "texts": SOURCES * SYSTEMS,
        "sources": SOURCES,
        "systems": SYSTEMS,
        "coefficients": list(COEFFICIENTS),
        "resamples": RESAMPLES,
        "permutations": PERMUTATIONS,
        "bootstrap_seconds": bootstrap,
        "bootstrap_limit_seconds": BOOTSTRAP_LIMIT,
        "permutation_seconds": permutation,
        "permutation_limit_seconds": PERMUTATION_LIMIT,
        "within_limits": all(s < BOOTSTRAP_LIMIT for times in bootstrap.values() for s in times.values())
        and all(s < PERMUTATION_LIMIT for s in permutation.values()),
    }


def _designs() -> dict[Level, tuple[Resampling, ...]]:
    grouped: tuple[Resampling, ...] = ("sources", "systems", "both")
    return {"per-source": grouped, "dataset": (*grouped, "texts"), "system": grouped}


def _synthetic() -> ScoreTable:
    """Ratings as the mean of three whole numbers; two predictors on a continuous scale, the slower case."""
    rng = np.random.default_rng(SEED)
    quality = rng.normal(size=(SOURCES, SYSTEMS)) + rng.normal(size=SYSTEMS)
    human = np.clip(np.round(quality[..., None] + 3 + rng.normal(size=(SOURCES, SYSTEMS, 3))), 1, 5).mean(axis=2)
    preds = [(quality + rng.normal(scale=scale, size=quality.shape)).ravel() for scale in (0.7, 1.0)]
    source, system = np.divmod(np.arange(SOURCES * SYSTEMS), SYSTEMS)
    return score_table(preds, human.ravel(), group=source, system=system)


def _bootstrap(table: ScoreTable, level: Level, unit: Resampling) -> None:
    resample(replace(table, scores=table.scores[:1]), level, unit, resamples=RESAMPLES, rng=np.random.default_rng(SEED))


def _permute(table: ScoreTable, level: Level) -> None:
    unit = default_resampling(level, grouped=True)
    permuted_differences(table, Design(level, "once", "skip", unit, RESAMPLES, SEED), PERMUTATIONS)


def _fastest(work: Callable[[], None]) -> float:
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return round(min(times), 4)
