"""Parts of one long computation, done by the workers of the Dask scheduler that this process was told of."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from app.cluster.scheduler import check_address, check_dask, scheduler_at
from app.errors import ClusterError, InputError
from app.settings import settings

_ADDRESS: ContextVar[str] = ContextVar("address of the scheduler", default="")


@contextmanager
def work_shared_at(address: str | None) -> Iterator[None]:
    """Within the block this scheduler is asked, not the one of the settings; for None those hold. Raises InputError and
    NotReadyError where none could be."""
    if address is not None:
        check_dask()
        address = check_address(address)
    token = _ADDRESS.set(address or "")
    try:
        yield
    finally:
        _ADDRESS.reset(token)


def cluster_address(*, worth_it: bool = True) -> str:
    """Of the scheduler whose workers share the work; "" where this computer does it alone. worth_it: whether it is
    large enough for the one of the settings."""
    return _ADDRESS.get() or (settings().dask.strip() if worth_it else "")


def map_parts(work: Callable[..., Any], parts: Callable[[], Sequence[Any]], *same: Any) -> list[Any] | None:
    """What `work` makes of each part and of what is the same for all, in order; None for whoever has to do it alone.

    A scheduler that the settings name and that can't be asked only takes time. Raises ClusterError where it was named
    for this very work.
    """
    address = cluster_address()
    if not address:
        return None
    try:
        with scheduler_at(address) as scheduler, warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")  # a part goes to one worker, and is needed there
            return scheduler.map(work, parts(), *map(scheduler.hand_out, same))
    except (ClusterError, InputError):  # no address, or Dask isn't installed
        if _ADDRESS.get():
            raise
        return None
