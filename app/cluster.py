"""Dask: a scheduler on the network or a cluster on this machine, and the work shared among its workers."""

import importlib.util
import logging
import re
import signal
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import metadata
from typing import TYPE_CHECKING, Any, Protocol

from app.errors import ClusterError, InputError, NotReadyError
from app.settings import settings

if TYPE_CHECKING:
    from distributed import Client, Future, Security


SECONDS = 5.0
"""Seconds to wait for a scheduler."""
PROGRAM = "interacteval-workbench"
installed_version = metadata.version
TLS = (
    " Name its certificates in DASK_DISTRIBUTED__COMM__TLS__CA_FILE, DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT and "
    "DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY."
)
_ADDRESS = re.compile(r"(?:(?:tcp|tls)://)?(?:\[[0-9a-fA-F:.]+\]|[^\s:/@\[\]]+):\d{1,5}")

_CERTIFICATES: dict[str, "Security"] = {}


class Submitted(Protocol):
    """Work that was submitted to a worker. status: "pending" until it has ended or is lost."""

    status: str

    def result(self, timeout: float) -> Any: ...

    def cancel(self) -> object: ...

    def add_done_callback(self, called: Callable[[Any], object]) -> object: ...


class Scheduler:
    """A connection to a scheduler with at least one worker."""

    def __init__(self, client: "Client", address: str) -> None:
        self._client = client
        self.address = address

    @property
    def workers(self) -> int:
        """Return how many worker processes it has now."""
        return len(self._client.nthreads())

    @property
    def threads(self) -> int:
        """Return how many tasks its workers run at a time."""
        return sum(self._client.nthreads().values())

    def addresses(self) -> list[str]:
        """Return the addresses of the current workers; none if the scheduler is gone."""
        if self._client.status != "running":
            return []
        try:
            return list(self._client.nthreads())
        except (OSError, RuntimeError, TimeoutError):
            return []

    def submit(self, work: Callable[..., Any], *given: Any, at: str = "") -> Submitted:
        """Have a worker call `work(*given)`; another worker repeats it if that one dies. `work` is a module's function.

        at: the address of the only worker that may do it, "" for any.
        """
        where = {"workers": [at], "allow_other_workers": False} if at else {}
        submitted: Submitted = self._client.submit(work, *given, pure=False, **where)
        return submitted

    def ask_each(self, work: Callable[..., Any], *given: Any) -> dict[str, Any]:
        """Return worker's address -> result of `work(*given)` on that worker."""
        asked = {worker: self.submit(work, *given, at=worker) for worker in self.addresses()}
        with cluster_errors(self.address):
            return dict(zip(asked, self._client.gather(list(asked.values())), strict=True))

    def copy_to_workers(self, value: object) -> "Future":
        """Copy a value to every worker once, so that tasks needn't carry it."""
        return self._client.scatter(value, broadcast=True, hash=False)

    def map(self, work: Callable[..., Any], given: Sequence[Any], *same: Any) -> list[Any]:
        """Return `work(each, *same)` for each of `given`, in order."""
        with cluster_errors(self.address):
            return list(self._client.gather([self.submit(work, each, *same) for each in given]))

    def check_programs(self) -> None:
        """Raise ClusterError unless every worker has this program in this version."""
        own = installed_version(PROGRAM)
        with cluster_errors(self.address):
            found = self._client.run(metadata.version, PROGRAM, on_error="return")
        for worker, version in found.items():
            if version != own:
                has = f"version {version}" if isinstance(version, str) else "no version"
                raise ClusterError(
                    f"The worker {worker} has {has} of {PROGRAM}; this is {own}.",
                    "Install the same version there, and start the worker again.",
                )


@contextmanager
def scheduler_at(address: str) -> Iterator[Scheduler]:
    """Connect to the scheduler for the length of the block. Raises InputError for an invalid address, NotReadyError
    without the extra `dask`, ClusterError if the scheduler can't be reached or used."""
    address = check_address(address)
    client = _connect(address)
    try:
        found = Scheduler(client, address)
        if not found.workers:
            raise ClusterError(f"The scheduler at {address} has no workers.", f"Start some: dask worker {address}")
        found.check_programs()
        yield found
    finally:
        client.close(timeout=SECONDS)


def check_address(address: str) -> str:
    """Return the scheduler's address in full. Raises InputError for an invalid one."""
    written = address.strip()
    if not _ADDRESS.fullmatch(written):
        raise InputError(
            f"“{written}” is no address of a Dask scheduler.",
            "It looks like tcp://127.0.0.1:8786, or tls:// with certificates; `dask scheduler` says it.",
        )
    return written if "://" in written else f"tcp://{written}"


def check_dask() -> None:
    """Raise NotReadyError if the extra `dask` isn't installed."""
    if importlib.util.find_spec("distributed") is None:
        raise NotReadyError(
            "Work is to be shared with Dask, which isn't installed.",
            "Install it (pip install 'interacteval-workbench[dask]'), or leave --dask, --processes and "
            "INTERACTEVAL_DASK out.",
        )


@contextmanager
def own_certificate(address: str, security: "Security") -> Iterator[None]:
    """Use this certificate for the scheduler at this address within the block."""
    _CERTIFICATES[address] = security
    try:
        yield
    finally:
        del _CERTIFICATES[address]


def _connect(address: str) -> "Client":
    check_dask()
    from distributed import Client  # noqa: PLC0415 - an extra

    for name in ("distributed", "tornado"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what goes wrong is said in a sentence of ours
    try:
        return Client(address, timeout=SECONDS, set_as_default=False, security=_CERTIFICATES.get(address))
    except OSError as error:
        raise ClusterError(
            f"No Dask scheduler answers at {address}.",
            f"Start one (dask scheduler), or correct the address.{TLS if address.startswith('tls:') else ''}",
        ) from error
    except (TypeError, ValueError, RuntimeError) as error:  # how Dask says that certificates are missing
        raise ClusterError(f"The scheduler at {address} can't be asked safely.", TLS.strip()) from error


@contextmanager
def cluster_errors(address: str) -> Iterator[None]:
    """Raise errors of Dask as ClusterError within the block; errors of the work itself stay as they are."""
    from distributed.client import FutureCancelledError  # noqa: PLC0415 - an extra
    from distributed.comm import CommClosedError  # noqa: PLC0415
    from distributed.scheduler import KilledWorker  # noqa: PLC0415

    try:
        yield
    except KilledWorker as error:
        raise ClusterError(
            f"One piece of work ended {error.allowed_failures + 1} workers of the scheduler at {address}.",
            "Look into the workers' logs: they may need more memory. What was achieved is kept; go on from there.",
        ) from error
    except (FutureCancelledError, CommClosedError) as error:
        raise ClusterError(
            f"The scheduler at {address} went away, or the connection to it.",
            "Start it again; what was achieved is kept, so go on from there.",
        ) from error


def leave_worker_pool() -> None:
    """Let the worker of a task that mostly waits take other tasks."""
    from distributed import secede  # noqa: PLC0415 - an extra

    secede()


def task_is_wanted() -> Callable[[], bool]:
    """Return a function that tells, in any thread, whether the current task is still needed: its worker is connected to
    the scheduler, and the process that submitted it waits for it. Call this inside a task."""
    from distributed import Status, get_worker  # noqa: PLC0415 - an extra

    worker = get_worker()
    key = worker.get_current_task()

    def wanted() -> bool:
        task = worker.state.tasks.get(key)
        running = task is not None and task.state in ("executing", "long-running")
        return running and worker.status in (Status.running, Status.paused)

    return wanted


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
    """Make a worker ignore Ctrl-C, because the process that has the run stops its workers. Dask calls this in each
    worker at its start."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def local_cluster(workers: int, *modules: str) -> Iterator[str]:
    """Start a cluster for the length of the block and yield its scheduler's address once the workers are ready. Raises
    NotReadyError without the extra `dask`.

    modules: what the workers import at their start, so that their first task doesn't wait for it.
    """
    check_dask()
    import dask  # noqa: PLC0415 - an extra
    from distributed import LocalCluster  # noqa: PLC0415
    from distributed.security import Security  # noqa: PLC0415

    security = Security.temporary()
    with (
        dask.config.set({**QUIET, "distributed.worker.preload": [__name__, *modules]}),
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


_SCHEDULER: ContextVar[str] = ContextVar("address of the scheduler", default="")


@contextmanager
def use_scheduler(address: str | None) -> Iterator[None]:
    """Use this scheduler within the block instead of the one in the settings; None keeps the settings. Raises
    InputError for an invalid address, NotReadyError without the extra `dask`."""
    if address is not None:
        check_dask()
        address = check_address(address)
    token = _SCHEDULER.set(address or "")
    try:
        yield
    finally:
        _SCHEDULER.reset(token)


def cluster_address(*, worth_it: bool = True) -> str:
    """Return the address of the scheduler in use; "" for work on this computer alone. worth_it: whether the work is
    large enough for the scheduler in the settings."""
    return _SCHEDULER.get() or (settings().dask.strip() if worth_it else "")


def map_parts(work: Callable[..., Any], parts: Callable[[], Sequence[Any]], *same: Any) -> list[Any] | None:
    """Return `work(part, *same)` for each part, in order, computed by Dask workers; None if the caller has to compute
    it.

    Raises ClusterError if a scheduler named by `use_scheduler` fails; one from the settings is then skipped.
    """
    address = cluster_address()
    if not address:
        return None
    try:
        with scheduler_at(address) as scheduler, warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")  # a part goes to one worker, and is needed there
            return scheduler.map(work, parts(), *map(scheduler.copy_to_workers, same))
    except (ClusterError, InputError):  # no address, or Dask isn't installed
        if _SCHEDULER.get():
            raise
        return None
