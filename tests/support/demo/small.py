"""The demo's texts and two experts' attributes through the whole flow: a finished project that has nothing more."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

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


def _make(address: str) -> None:
    database = Database(address)
    run_demo(Workbench(database, Credentials()))
    database.close()
