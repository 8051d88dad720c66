"""Everything that is kept can be copied while others work, and put back."""

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.domain.project import Task
from app.errors import ConflictError, DatabaseError, FileFormatError, InputError, NotFoundError
from app.providers.credentials import Credentials
from app.services.runtime.backups import back_up, backup_bytes, restore
from app.services.runtime.workbench import Workbench
from app.settings import settings
from db.unit_of_work import Database


@pytest.fixture
def workbench() -> Iterator[Workbench]:
    database = Database(settings().url)
    with database.write() as work:
        work.projects.add("News", Task())
    yield Workbench(database, Credentials())
    database.close()


def projects(file: Path) -> list[str]:
    database = Database(f"sqlite:///{file}")
    with database.read() as work:
        names = [project.name for project in work.projects.all()]
    database.close()
    return sorted(names)


def test_what_was_backed_up_comes_back_and_what_it_replaces_is_kept(workbench: Workbench, tmp_path: Path) -> None:
    made = back_up(workbench, tmp_path / "friday.db")
    assert (made.projects, [path.name for path in tmp_path.glob("friday*")]) == (1, ["friday.db"])
    with workbench.database.write() as work:
        work.projects.add("Later", Task())
    done = restore(tmp_path / "friday.db")
    assert done.projects == 1
    assert projects(Path(done.replaced)) == ["Later", "News"]
    with workbench.database.read() as work:  # which had it open all the time
        assert [project.name for project in work.projects.all()] == ["News"]
    with workbench.database.write() as work:
        work.projects.add("Goes on", Task())
    assert projects(Path(done.file)) == ["Goes on", "News"]


def test_a_backup_made_while_others_write_is_whole(workbench: Workbench, tmp_path: Path) -> None:
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            with workbench.database.write() as work:  # always two at once
                work.projects.add(f"a{number}", Task())
                work.projects.add(f"b{number}", Task())
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(5):
            back_up(workbench, tmp_path / f"{number}.db")
    finally:
        stop.set()
        writer.join()
    for number in range(5):
        names = projects(tmp_path / f"{number}.db")
        assert sum(name[0] == "a" for name in names) == sum(name[0] == "b" for name in names)


def test_a_download_holds_the_same(workbench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "got.db").write_bytes(backup_bytes(workbench))
    assert projects(tmp_path / "got.db") == ["News"]


def test_a_damaged_database_is_replaced_and_moved_aside(workbench: Workbench, tmp_path: Path) -> None:
    back_up(workbench, tmp_path / "friday.db")
    workbench.database.close()
    file = settings().home / "workbench.db"
    broken = file.read_bytes()[:8192] + b"x" * 20_000
    file.write_bytes(broken)
    done = restore(tmp_path / "friday.db")
    assert projects(file) == ["News"]
    assert Path(done.replaced).read_bytes() == broken


def test_a_machine_without_a_database_takes_a_backup(workbench: Workbench, tmp_path: Path) -> None:
    back_up(workbench, tmp_path / "friday.db")
    workbench.database.close()
    for file in settings().home.iterdir():
        file.unlink()
    assert restore(tmp_path / "friday.db").replaced == ""
    assert projects(settings().home / "workbench.db") == ["News"]


def test_nothing_is_restored_while_a_run_is_going_on(workbench: Workbench, tmp_path: Path) -> None:
    with workbench.database.write() as work:
        run = work.runs.create(work.projects.get("News").id, "checklist", "rules", {}, [])
        work.runs.claim(run, "somebody")
    back_up(workbench, tmp_path / "friday.db")
    with pytest.raises(ConflictError, match="Run 1 is going on"):
        restore(tmp_path / "friday.db")


def test_what_is_no_backup_changes_nothing(workbench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "words.db").write_text("words")
    sqlite3.connect(tmp_path / "other.db").executescript("CREATE TABLE a (b); VACUUM;").connection.close()
    back_up(workbench, tmp_path / "cut.db")
    whole = (tmp_path / "cut.db").read_bytes()
    (tmp_path / "cut.db").write_bytes(whole[: len(whole) // 2])
    back_up(workbench, tmp_path / "newer.db")
    newer = sqlite3.connect(tmp_path / "newer.db")
    newer.execute("UPDATE alembic_version SET version_num = '9999'")
    newer.commit()
    newer.close()
    for name in ("words.db", "other.db", "cut.db", "newer.db"):
        with pytest.raises(FileFormatError):
            restore(tmp_path / name)
    with pytest.raises(NotFoundError):
        restore(tmp_path / "nowhere.db")
    with pytest.raises(InputError, match="database itself"):
        restore(settings().home / "workbench.db")
    with pytest.raises(InputError, match="database itself"):
        back_up(workbench, settings().home / "workbench.db")
    assert projects(settings().home / "workbench.db") == ["News"]
    assert not list(settings().home.glob("*replaced*"))


def test_a_damaged_database_is_not_backed_up_over_an_older_backup(workbench: Workbench, tmp_path: Path) -> None:
    back_up(workbench, tmp_path / "friday.db")
    older = (tmp_path / "friday.db").read_bytes()
    with workbench.database.read() as work:
        work.projects.all()
    file = settings().home / "workbench.db"
    workbench.database.close()
    file.write_bytes(file.read_bytes()[:8192] + b"x" * 20_000)
    with pytest.raises(DatabaseError):
        back_up(workbench, tmp_path / "friday.db")
    assert (tmp_path / "friday.db").read_bytes() == older
