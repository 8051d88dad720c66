"""A scheduler with workers on this machine, for as long as somebody measures with them."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def local_cluster(workers: int) -> Iterator[str]:
    """The scheduler's address, once the workers are ready."""
    from distributed import LocalCluster  # noqa: PLC0415 - an extra

    with LocalCluster(workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as cluster:
        yield cluster.scheduler_address
