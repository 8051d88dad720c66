"""A Dask cluster with two workers, for the tests that only need one."""

from collections.abc import Iterator

import pytest

pytest.importorskip("distributed")

from tests.support.dask_cluster import DaskCluster, dask_cluster


@pytest.fixture(scope="package")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    with dask_cluster(tmp_path_factory.mktemp("dask"), "one", "two") as found:
        yield found
