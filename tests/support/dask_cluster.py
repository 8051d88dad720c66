"""A Dask scheduler and workers as processes of their own, which can be killed."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.support.repository import ROOT
from tests.support.workers import until

if TYPE_CHECKING:
    from distributed import Client

SCHEDULER = (
    "-m",
    "distributed.cli.dask_scheduler",
    "--no-dashboard",
    "--no-show",
    "--host",
    "127.0.0.1",
    "--port",
    "0",
)
WORKER = ("-m", "distributed.cli.dask_worker", "--no-dashboard", "--nthreads", "1", "--no-nanny")


@dataclass
class DaskCluster:
    """`workers` by name."""

    folder: Path
    address: str
    scheduler: subprocess.Popen[bytes]
    workers: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    running: ExitStack = field(default_factory=ExitStack)

    def start_worker(self, name: str, variables: Mapping[str, str] | None = None) -> None:
        """variables: of its environment, beside the test's own."""
        local = ("--local-directory", str(self.folder), "--host", "127.0.0.1", "--name", name)
        self.workers[name] = _started(self.running, (*WORKER, self.address, *local), variables or {})

    def have(self, *names: str) -> None:
        """These workers are there, and no others: a test may have ended some, or started more."""
        for name in self.workers.keys() - set(names):
            gone = self.workers.pop(name)
            gone.kill()
            gone.wait()
        for name in names:
            if name not in self.workers or self.workers[name].poll() is not None:
                self.start_worker(name)
        self.wait_for(*names)

    def wait_for(self, *names: str) -> None:
        """Until the scheduler knows of these workers and no others."""
        with self._client() as client:
            until(lambda: _names(client) == sorted(names), f"no workers {names}")

    def give(self, variables: Mapping[str, str], **more: Mapping[str, str]) -> None:
        """Variables of the environment to the workers that are there, and more to each of these names: they take
        seconds to start, and this takes none."""
        with self._client() as client:
            for address, worker in client.scheduler_info()["workers"].items():
                client.run(take_variables, {**variables, **more.get(worker["name"], {})}, workers=[address])

    def ask(self, question: Callable[..., object], *given: object, at: str) -> Any:
        """What a function of `tests.support` or the program says at the worker of this name."""
        with self._client() as client:
            (found,) = [a for a, worker in client.scheduler_info()["workers"].items() if worker["name"] == at]
            return client.run(question, *given, workers=[found])[found]

    def _client(self) -> "Client":
        from distributed import Client  # noqa: PLC0415 - an extra

        assert self.scheduler.poll() is None, "the scheduler has ended"
        return Client(self.address, set_as_default=False)


def _names(client: "Client") -> list[str]:
    return sorted(worker["name"] for worker in client.scheduler_info()["workers"].values())


def take_variables(variables: Mapping[str, str]) -> None:
    """What a worker does; its next run is the first that sees them."""
    from app.settings import settings  # noqa: PLC0415 - not before a worker has to

    os.environ.update(variables)
    settings.cache_clear()


def networks_loaded() -> int:
    """What a worker answers: how often it has loaded one."""
    from app.neural.loading import load  # noqa: PLC0415

    return load.cache_info().misses


def forget_networks() -> None:
    """At a worker: it has loaded none."""
    from app.neural.loading import load  # noqa: PLC0415

    load.cache_clear()


def hide(package: str) -> None:
    """From now on a worker has no such package. Whoever asks for this ends the worker afterwards."""
    sys.modules[package] = None  # type: ignore[assignment]


@contextmanager
def dask_cluster(folder: Path, *names: str) -> Iterator[DaskCluster]:
    """With workers of these names, ready to work; all of it is gone at the end of the block."""
    said = folder / "scheduler.json"
    with ExitStack() as running:
        scheduler = _started(running, (*SCHEDULER, "--scheduler-file", str(said)), {})
        until(lambda: said.exists() and bool(said.read_text()), "no scheduler")
        cluster = DaskCluster(folder, json.loads(said.read_text())["address"], scheduler, running=running)
        if names:
            cluster.have(*names)
        yield cluster


def _started(running: ExitStack, command: tuple[str, ...], variables: Mapping[str, str]) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, *command],
        cwd=ROOT,  # from where it takes the program
        env={**os.environ, **variables},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    running.callback(process.wait)
    running.callback(process.kill)
    return process
