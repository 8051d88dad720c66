"""The demo's texts and two experts' attributes through the whole flow: a finished project that has nothing more."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from filelock import FileLock

from app.providers.credentials import Credentials
from app.services.demo import run_demo
from app.services.runtime.workbench import Workbench
from db.unit_of_work import Database


def small_demo(home: Path, address: str = "") -> None:
    """Project “Demo” in the data folder `home`, or in the database at `address`.

    Made in a thread: Playwright's event loop may run in this one, and a run needs a loop of its own.
    """
    with ThreadPoolExecutor(1) as threads:
        threads.submit(_make, address or f"sqlite:///{home}/workbench.db").result()


def shared_demo(folders: pytest.TempPathFactory) -> Path:
    """A data folder with that project, to be copied: made by the first of the parallel test processes that asks."""
    base = folders.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "finished-demo"
    with FileLock(f"{shared}.lock"):
        if not shared.exists():
            made = folders.mktemp("demo")
            small_demo(made)
            made.rename(shared)
    return shared


def _make(address: str) -> None:
    database = Database(address)
    run_demo(Workbench(database, Credentials()))
    database.close()
