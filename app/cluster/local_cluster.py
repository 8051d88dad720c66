"""A scheduler with workers on this machine, for as long as somebody measures with them."""

from collections.abc import Iterator
from contextlib import contextmanager

QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}
"""Dask watches itself for a dashboard that nobody opens here; scheduler and two workers compute 8 % of a core at it."""


@contextmanager
def local_cluster(workers: int) -> Iterator[str]:
    """The scheduler's address, once the workers are ready."""
    import dask  # noqa: PLC0415 - an extra
    from distributed import LocalCluster  # noqa: PLC0415

    with (
        dask.config.set(QUIET),
        LocalCluster(workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as cluster,
    ):
        yield cluster.scheduler_address
