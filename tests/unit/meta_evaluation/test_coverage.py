"""Do 95 % intervals hold the truth about 95 times in 100? Simulated data whose true per-source figure is known."""

import numpy as np
import pytest

from app.meta_evaluation.bootstrap import interval, resample
from app.meta_evaluation.correlation import estimate
from app.meta_evaluation.score_matrix import ScoreTable, score_table

SOURCES, SYSTEMS, DATASETS = 100, 12, 1000


def simulated(rng: np.random.Generator, sources: int) -> ScoreTable:
    """Sources differ in how easy they are, so coefficients vary more between sources than by chance alone."""
    agreement = rng.uniform(0.2, 0.8, size=(sources, 1))
    human = rng.normal(size=(sources, SYSTEMS))
    pred = agreement * human + np.sqrt(1 - agreement**2) * rng.normal(size=human.shape)
    return score_table([pred.ravel()], human.ravel(), group=np.repeat(np.arange(sources), SYSTEMS))


@pytest.fixture(scope="module")
def hits() -> tuple[int, int, int]:
    """In how many data sets the intervals hold the true mean coefficient, which a huge sample gives."""
    truth = estimate(simulated(np.random.default_rng(1), 40_000), "per-source").values[0, :3]
    held = np.zeros(3, dtype=int)
    for seed in range(DATASETS):
        rng = np.random.default_rng([2, seed])
        draws = resample(simulated(rng, SOURCES), "per-source", "sources", resamples=500, rng=rng)
        for index in range(3):
            found = interval(draws, draws.values[0, index])
            assert found.low is not None
            assert found.high is not None
            held[index] += found.low <= truth[index] <= found.high
    return int(held[0]), int(held[1]), int(held[2])


@pytest.mark.long
@pytest.mark.parametrize("coefficient", [0, 1, 2])
def test_intervals_over_a_hundred_sources_cover(hits: tuple[int, int, int], coefficient: int) -> None:
    assert 0.93 <= hits[coefficient] / DATASETS <= 0.97
