"""`interacteval worker` as processes of their own, which can be killed."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

from tests.support.background import PATIENCE

Started = Callable[[], subprocess.Popen[bytes]]


@contextmanager
def worker_processes(variables: Mapping[str, str]) -> Iterator[Started]:
    """What starts one; all are gone at the end of the block. variables: of their environment, beside the test's own."""
    command = [sys.executable, "-c", "from app.cli import run; run()", "worker"]
    with ExitStack() as running:

        def started() -> subprocess.Popen[bytes]:
            process = subprocess.Popen(command, env={**os.environ, **variables}, stderr=subprocess.DEVNULL)
            running.callback(process.wait)
            running.callback(process.kill)
            return process

        yield started


def until(reached: Callable[[], bool], what: str) -> None:
    limit = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < limit, what
        time.sleep(0.02)
