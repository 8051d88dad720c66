"""A backup holds all that is kept, whatever kind of database it comes from and goes to."""

import os
from pathlib import Path

import pytest

from app.domain.project import Dimension, Task, Text
from app.domain.run import RunDimension
from app.errors import ConflictError, FileFormatError
from app.providers.credentials import Credentials
from app.services.runtime.backups import SERVER, WriterLock, back_up, restore
from app.services.runtime.workbench import Workbench
from app.settings import settings
from db.backup import copy_before_migration
from db.unit_of_work import Database
from tests.support.postgres import SQLITE_ONLY


@pytest.fixture(autouse=True)
def _in_use(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERACTEVAL_DATABASE_URL", address)
    settings.cache_clear()


def names(database: Database) -> list[str]:
    with database.read() as work:
        return sorted(project.name for project in work.projects.all())


def test_what_was_backed_up_comes_back_and_what_it_replaces_is_kept(database: Database, tmp_path: Path) -> None:
    with database.write() as work:
        project = work.projects.add("News", Task())
        work.texts.add_many(project.id, [Text("d1", "A ferry.", extra={"length": 2})])
    made = back_up(Workbench(database, Credentials()), tmp_path / "friday.db")
    assert made.projects == 1
    with database.write() as work:
        work.projects.add("Later", Task())
    done = restore(tmp_path / "friday.db")
    assert (done.projects, names(database)) == (1, ["News"])
    kept = Database(f"sqlite:///{done.replaced}")
    assert names(kept) == ["Later", "News"]
    kept.close()
    with database.write() as work:
        assert work.texts.all(project.id)[0].extra == {"length": 2}
        assert work.projects.add("Goes on", Task()).id not in (project.id,)


def test_nothing_is_put_back_under_a_run_that_goes_on(database: Database, tmp_path: Path) -> None:
    with database.write() as work:
        project = work.projects.add("News", Task())
        dimension = work.projects.add_dimension(project.id, Dimension("order"))
        work.texts.add_many(project.id, [Text("d1", "A ferry.")])
        (text,) = (text.id for text in work.texts.all(project.id))
        plan = [RunDimension(dimension.id, None, texts=(text,))]
    back_up(Workbench(database, Credentials()), tmp_path / "friday.db")
    with database.write() as work:
        run = work.runs.create(project.id, "checklist", "rules", {}, plan)
        work.runs.claim(run, "somebody")
    with pytest.raises(ConflictError, match=f"Run {run} is going on"):
        restore(tmp_path / "friday.db")
    assert names(database) == ["News"]


def test_what_is_no_backup_changes_nothing(database: Database, tmp_path: Path) -> None:
    with database.write() as work:
        work.projects.add("News", Task())
    (tmp_path / "notes.db").write_text("notes", encoding="utf-8")
    with pytest.raises(FileFormatError):
        restore(tmp_path / "notes.db")
    assert names(database) == ["News"]


def test_nothing_is_put_back_under_web_processes_and_workers_unless_they_may_be_there(
    database: Database, tmp_path: Path
) -> None:
    back_up(Workbench(database, Credentials()), tmp_path / "friday.db")
    sign = WriterLock(SERVER)
    sign.acquire()
    with pytest.raises(ConflictError, match=r"Web processes \(1\).*--anyway"):
        restore(tmp_path / "friday.db")
    assert restore(tmp_path / "friday.db", anyway=True).projects == 0
    sign.release_lock()  # as one that was killed does
    assert restore(tmp_path / "friday.db").projects == 0
    with database.write() as work:
        work.jobs.worker_seen("elsewhere|1-2")
    with pytest.raises(ConflictError, match=r"workers \(1\)"):
        restore(tmp_path / "friday.db")
    assert restore(tmp_path / "friday.db", anyway=True).projects == 0


@SQLITE_ONLY
def test_database_and_copies_are_created_for_this_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERACTEVAL_DATABASE_URL", f"sqlite:///{tmp_path}/open.db")
    settings.cache_clear()
    before = os.umask(0)
    try:
        database = Database(settings().url)
        with database.write() as work:
            work.projects.add("News", Task())
        back_up(Workbench(database, Credentials()), tmp_path / "friday.db")
        copy_before_migration(tmp_path / "open.db", "0001")
        beside = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.glob("open*")}
        database.close()
        restore(tmp_path / "friday.db")
    finally:
        os.umask(before)
    assert {"open.db", "open.db-wal", "open.db-shm"} <= beside.keys()
    assert set(beside.values()) == {0o600}
    assert {path.stat().st_mode & 0o777 for path in tmp_path.glob("*.db*")} == {0o600}


@SQLITE_ONLY
def test_database_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    file = tmp_path / "old.db"
    file.touch()
    file.chmod(0o644)
    Database(f"sqlite:///{file}").close()
    assert file.stat().st_mode & 0o777 == 0o600
