"""A scheduler with workers on this machine, for the length of a run.

Its connections are encrypted and need a certificate that only this process and its workers have: other users of the
machine can't reach it.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from app.cluster.scheduler import check_dask, own_certificate

QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}
"""Dask watches itself for a dashboard that nobody opens here; scheduler and two workers compute 8 % of a core at it.
Its pages tell about tasks without a password: they are off."""


def dask_setup(_worker: object) -> None:
    """Leave Ctrl-C to the process that has the run, which stops its workers. Dask calls this as each of them starts."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def local_cluster(workers: int) -> Iterator[str]:
    """The scheduler's address, once the workers are ready. Raises NotReadyError without the extra."""
    check_dask()
    import dask  # noqa: PLC0415 - an extra
    from distributed import LocalCluster  # noqa: PLC0415
    from distributed.security import Security  # noqa: PLC0415

    security = Security.temporary()
    with (
        dask.config.set({**QUIET, "distributed.worker.preload": [__name__]}),
        LocalCluster(
            workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
            scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
            security=security,
        ) as cluster,
        own_certificate(cluster.scheduler_address, security),
    ):
        yield cluster.scheduler_address
