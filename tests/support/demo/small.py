"""The demo's texts and two experts' attributes through the whole flow: a finished project that has nothing more."""

from pathlib import Path

from app.providers.credentials import Credentials
from app.services.demo import run_demo
from app.services.runtime.workbench import Workbench
from db.unit_of_work import Database


def small_demo(home: Path, address: str = "") -> None:
    """Project “Demo” in the data folder `home`, or in the database at `address`."""
    database = Database(address or f"sqlite:///{home}/workbench.db")
    run_demo(Workbench(database, Credentials()))
    database.close()
