"""Workers of a scheduler of their own on this machine, for as long as somebody measures with them."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def workers_here(count: int) -> Iterator[str]:
    """The address of a scheduler with so many workers, which are ready; "" for none."""
    if not count:
        yield ""
        return
    from distributed import LocalCluster  # noqa: PLC0415 - an extra

    with LocalCluster(count, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as cluster:
        yield cluster.scheduler_address
