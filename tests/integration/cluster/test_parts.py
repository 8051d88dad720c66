"""Intervals of large tables, computed by workers: the same figures."""

import numpy as np
import pytest

from app.cluster import use_scheduler
from app.errors import ClusterError
from app.meta_evaluation import bootstrap, correlation
from app.meta_evaluation.bootstrap import resample
from app.meta_evaluation.score_matrix import Resampling, ScoreTable, score_table
from tests.support.dask_cluster import DaskCluster

pytestmark = pytest.mark.long

RESAMPLES = 60
UNITS: tuple[Resampling, ...] = ("sources", "systems", "both", "texts")


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> ScoreTable:
    """Of what counts as large here, also in the workers: each score is another one."""
    monkeypatch.setattr(correlation, "TOO_MANY", 50)
    rng = np.random.default_rng(7)
    scores, ratings = rng.normal(size=(2, 200))
    source, system = np.divmod(np.arange(200), 10)
    return score_table([scores, scores + ratings], ratings, group=source, system=system)


@pytest.mark.parametrize("unit", UNITS)
def test_workers_find_the_same(
    cluster: DaskCluster, table: ScoreTable, unit: Resampling, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = []
    real = bootstrap.map_parts
    monkeypatch.setattr(bootstrap, "map_parts", lambda *given: shared.append(found := real(*given)) or found)
    alone = _values(table, unit)
    with use_scheduler(cluster.address):
        together = _values(table, unit)
    assert [found is not None for found in shared] == [False, True]
    np.testing.assert_allclose(together, alone, rtol=1e-6)


def test_small_tables_stay_here(monkeypatch: pytest.MonkeyPatch, table: ScoreTable) -> None:
    monkeypatch.setattr(correlation, "TOO_MANY", 8_000)
    with use_scheduler("127.0.0.1:1"):
        assert _values(table, "texts").shape == (2, 4, RESAMPLES)


def test_a_scheduler_of_the_settings_that_is_away_only_takes_time(
    monkeypatch: pytest.MonkeyPatch, table: ScoreTable
) -> None:
    monkeypatch.setattr("app.cluster.SECONDS", 0.2)
    with use_scheduler("127.0.0.1:1"), pytest.raises(ClusterError):
        _values(table, "texts")
    monkeypatch.setenv("INTERACTEVAL_DASK", "127.0.0.1:1")
    assert _values(table, "texts").shape == (2, 4, RESAMPLES)


@pytest.mark.parametrize("address", ["here", "127.0.0.1:1"])
def test_so_is_one_that_nobody_could_ask(monkeypatch: pytest.MonkeyPatch, table: ScoreTable, address: str) -> None:
    """What is no address, and any where Dask isn't installed."""
    monkeypatch.setattr("app.cluster.importlib.util.find_spec", lambda _: None)
    monkeypatch.setenv("INTERACTEVAL_DASK", address)
    assert _values(table, "texts").shape == (2, 4, RESAMPLES)


def _values(table: ScoreTable, unit: Resampling) -> np.ndarray:
    return resample(table, "dataset", unit, resamples=RESAMPLES, rng=np.random.default_rng(1)).values
