"""All of a unit of work is kept, or nothing; nobody's update is lost."""

import threading

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError

from app.domain.project import Dimension, Task
from app.errors import ConflictError, NotFoundError
from app.settings import settings
from db.engine import explained
from db.models.project import ProjectRow
from db.unit_of_work import Database


def test_an_error_inside_leaves_everything_as_it_was(database: Database) -> None:
    with pytest.raises(ZeroDivisionError), database.write() as work:
        work.projects.add("Half", Task())
        raise ZeroDivisionError
    with database.read() as work:
        assert work.projects.all() == []


def test_reading_keeps_nothing(database: Database) -> None:
    with database.read() as work:
        work.projects.add("Unkept", Task())
    with database.read() as work:
        assert work.projects.find("Unkept") is None


def test_a_transaction_reads_what_it_has_changed(database: Database) -> None:
    with database.write() as work:
        project = work.projects.add("Before", Task())
        row = work.projects._session.get(ProjectRow, project.id)
        assert row is not None
        row.name = "After"
        assert [found.name for found in work.projects.all()] == ["After"]


def test_read_change_write_back_under_threads_loses_no_update(database: Database) -> None:
    threads, rounds = 6, 12
    with database.write() as work:
        project = work.projects.add("Counter", Task(description="0"))

    def count() -> None:
        for _ in range(rounds):
            with database.write() as work:
                session = work.projects._session
                session.execute(text("SELECT 1"))  # a read before the write is what makes plain BEGIN lose updates
                if session.get_bind().dialect.name == "postgresql":
                    session.execute(text("LOCK TABLE project IN EXCLUSIVE MODE"))
                task = work.projects.get("Counter").task
                work.projects.set_task(project.id, Task(description=str(int(task.description) + 1)))

    workers = [threading.Thread(target=count) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    with database.read() as work:
        assert work.projects.get("Counter").task.description == str(threads * rounds)


def test_two_connections_to_one_file_take_turns(address: str) -> None:
    first, second = Database(address), Database(address)
    with first.write() as work:
        project = work.projects.add("Shared", Task(description="0"))
    threads = []

    def count(database: Database) -> None:
        for _ in range(10):
            with database.write() as work:
                session = work.projects._session
                if session.get_bind().dialect.name == "postgresql":
                    session.execute(text("LOCK TABLE project IN EXCLUSIVE MODE"))
                before = int(work.projects.get("Shared").task.description)
                work.projects.set_task(project.id, Task(description=str(before + 1)))

    for database in (first, second, first, second):
        threads.append(threading.Thread(target=count, args=(database,)))
        threads[-1].start()
    for thread in threads:
        thread.join()
    with first.read() as work:
        assert work.projects.get("Shared").task.description == "40"
    first.close()
    second.close()


def test_names_are_unique_and_missing_ones_are_said(database: Database) -> None:
    with database.write() as work:
        project = work.projects.add("News", Task())
        work.projects.add_dimension(project.id, Dimension("coherence"))
    with pytest.raises(ConflictError, match="already a project"), database.write() as work:
        work.projects.add(" News ", Task())
    with pytest.raises(ConflictError, match="already a dimension"), database.write() as work:
        work.projects.add_dimension(project.id, Dimension("coherence"))
    with pytest.raises(NotFoundError, match="It has: coherence"), database.read() as work:
        work.projects.dimension(project.id, "fluency")


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        ('FATAL:  password authentication failed for user "u"', "db.inside:5432 refuses the user or the password"),
        ('FATAL:  role "u" does not exist', "db.inside:5432 refuses the user or the password"),
        ('connection failed: FATAL:  database "w" does not exist', "db.inside:5432 has no database “w”"),
        ("failed to resolve host 'db.inside': Name or service not known", "db.inside:5432 can't be found"),
        ("connection failed: Connection refused", "db.inside:5432 can't be reached: nothing answers"),
        ("something else", "db.inside:5432 reported an error"),
    ],
)
def test_what_is_wrong_with_the_address_of_a_server_is_told_apart(cause: str, said: str) -> None:
    server = create_engine("postgresql+psycopg://u:s3cret@db.inside/w")
    told = str(explained(OperationalError("", {}, Exception(cause)), server))
    assert (said in told, "s3cret" in told) == (True, False)


def test_where_people_sign_in_no_error_says_where_the_database_is(monkeypatch: pytest.MonkeyPatch) -> None:
    trouble = OperationalError("", {}, Exception("unable to open database file"))
    refused = OperationalError("", {}, Exception("connection refused"))
    file, server = create_engine("sqlite:////data/workbench.db"), create_engine("postgresql+psycopg://u:p@db.inside/w")
    assert "/data/workbench.db" in str(explained(trouble, file))
    assert "db.inside" in str(explained(refused, server))
    monkeypatch.setenv("INTERACTEVAL_ACCESS", "invite")
    settings.cache_clear()
    assert str(explained(trouble, file)).startswith("The database file can't be written.")
    assert str(explained(refused, server)).startswith("The database server can't be reached")
    settings.cache_clear()


def test_a_commit_is_on_the_disk_when_it_returns(database: Database) -> None:
    with database.write() as work:
        session = work.projects._session
        if session.get_bind().dialect.name == "postgresql":
            assert session.execute(text("SHOW synchronous_commit")).scalar() == "on"
        else:
            assert session.execute(text("PRAGMA synchronous")).scalar() == 2, "FULL"
