"""A Dask scheduler and workers as processes of their own, which can be killed."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.repository import ROOT
from tests.support.workers import until

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
WORKER = ("-m", "distributed.cli.dask_worker", "--no-dashboard", "--nthreads", "1")


@dataclass
class DaskCluster:
    folder: Path
    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    running: ExitStack = field(default_factory=ExitStack)

    def start_worker(self, variables: Mapping[str, str] | None = None, *options: str) -> subprocess.Popen[bytes]:
        """variables: of its environment, beside the test's own."""
        options = options or ("--no-nanny",)
        local = ("--local-directory", str(self.folder), "--host", "127.0.0.1")
        process = _started(self.running, (*WORKER, self.address, *local, *options), variables or {})
        self.workers.append(process)
        return process

    def wait_for(self, workers: int) -> None:
        from distributed import Client  # noqa: PLC0415 - an extra

        with Client(self.address, set_as_default=False) as client:
            until(lambda: len(client.nthreads()) == workers, f"no {workers} workers")


@contextmanager
def dask_cluster(folder: Path, workers: int, variables: Mapping[str, str] | None = None) -> Iterator[DaskCluster]:
    """Ready to work; all of it is gone at the end of the block."""
    said = folder / "scheduler.json"
    with ExitStack() as running:
        scheduler = _started(running, (*SCHEDULER, "--scheduler-file", str(said)), {})
        until(lambda: said.exists() and bool(said.read_text()), "no scheduler")
        cluster = DaskCluster(folder, json.loads(said.read_text())["address"], scheduler, running=running)
        for _ in range(workers):
            cluster.start_worker(variables)
        if workers:
            cluster.wait_for(workers)
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
