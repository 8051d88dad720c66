"""Projects and whole databases on their way to another database, row by row, between SQLite and PostgreSQL."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import JSON, Connection, Table, insert, select
from sqlmodel import SQLModel

from app.domain.project import Task
from app.errors import FileFormatError
from db import project_rows
from db.backup import copy_database
from db.models.columns import UtcDateTime
from db.project_rows import PEOPLE, owner, tables
from db.unit_of_work import Database, replace_database, write_portable

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ROWS = 3  # of each table in each project
STATE: dict[str, Any] = {"placements": [], "key_questions": [], "sub_questions": [], "made_from": {}, "runs": {}}
HOLDS: dict[tuple[str, str], Any] = {("build_revision", "state"): STATE, ("scoring_run", "params"): {}}


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Database]:
    """Two projects whose rows lie among each other, in every table."""
    database = Database(f"sqlite:///{tmp_path}/source.db")
    with database.write() as work:
        fill(work.transfers._connection)
    yield database
    database.close()


def fill(connection: Connection) -> None:
    """Row 1, 3, 5 of each table are the first project's, 2, 4, 6 the second's; each refers to the one of its number."""
    for table in tables():
        rows = []
        for number in range(1, 2 * ROWS + 1):
            if table.name == "project" and number > 2:
                continue
            rows.append({column.name: value(table, column, number) for column in table.columns})
        connection.execute(insert(table), rows)
        for key in (key for key in table.foreign_keys if key.column.table is table):  # each to one that comes later
            for number in range(1, 2 * ROWS - 1):
                connection.execute(table.update().where(table.c.id == number).values({key.parent.name: number + 2}))


def value(table: Table, column: Any, number: int) -> Any:
    key = next(iter(column.foreign_keys), None)
    if column.name == "id":
        return number
    if key is not None:
        if key.column.table.name == "project":
            return 2 - number % 2
        return None if key.column.table is table else number
    if isinstance(column.type, JSON):
        return HOLDS.get((table.name, column.name), [])
    if isinstance(column.type, UtcDateTime):
        return NOON
    kind = column.type.python_type
    if kind in (int, float):
        return kind(number)
    if kind is bool:
        return number % 2 == 0
    return "" if column.name == "error_kind" else f"{table.name} {column.name} {number}"


def rows_of(database: Database) -> dict[str, list[dict[str, Any]]]:
    with database.read() as work:
        return {
            table.name: [
                dict(row) for row in work.transfers._connection.execute(select(table).order_by(table.c.id)).mappings()
            ]
            for table in tables()
        }


def carried(source: Database, database: Database, project: int, name: str) -> int:
    with source.read() as other, database.write() as work:
        audio = other.transfers.recordings(project)
        return work.transfers.copy_project(other.transfers, project, name, {one: f"new {one}" for one in audio[1:]})


def test_each_table_has_an_owner_so_that_a_project_takes_all_its_rows_along() -> None:
    assert {table.name for table in tables() if owner(table) is None} == {"project", "model_call", "person", "trail"}


def test_of_each_json_column_it_is_known_which_ids_it_holds() -> None:
    found = {(table.name, column.name) for table in tables() for column in table.c if isinstance(column.type, JSON)}
    assert found == set(project_rows.PLACES)


def test_each_row_of_a_project_arrives_with_all_it_refers_to_and_none_of_another(
    source: Database, database: Database
) -> None:
    carried(source, database, 1, "first")
    carried(source, database, 2, "second")
    before, after = rows_of(source), rows_of(database)
    assert all(before[name] and not after[name] for name in PEOPLE)  # who comes in where is each server's own
    for name, table in ((table.name, table) for table in tables() if table.name not in PEOPLE):
        mine = [row for row in before[name] if row["id"] % 2 == 0]
        assert len(after[name]) == len(before[name]), name
        moved = [row for row in after[name] if row["id"] > len(before[name]) - len(mine)]
        for old, new in zip(mine, moved, strict=True):
            for column in table.c:
                expected = old[column.name]
                if column.name == "id" or (column.foreign_keys and expected is not None):
                    target = name if column.name == "id" else next(iter(column.foreign_keys)).column.table.name
                    ids = [row["id"] for row in before[target] if row["id"] % 2 == 0]
                    if target in PEOPLE:
                        assert new[column.name] is None
                        continue
                    expected = len(before[target]) - len(ids) + 1 + ids.index(expected)
                elif (name, column.name) == ("project", "name"):
                    expected = "second"
                elif (name, column.name) == ("transcript", "audio"):
                    expected = "" if old["id"] == 2 else f"new {expected}"
                assert new[column.name] == expected, (name, column.name)


def test_what_is_written_afterwards_gets_ids_of_its_own(source: Database, database: Database) -> None:
    carried(source, database, 1, "first")
    with database.write() as work:
        assert work.projects.add("next", Task()).id == 2


def test_rows_that_do_not_fit_together_leave_nothing_behind(source: Database, database: Database) -> None:
    revisions = SQLModel.metadata.tables["build_revision"]
    with source.write() as work:
        work.transfers._connection.execute(revisions.update().values(state={"placements": "?"}))
    with pytest.raises(FileFormatError, match="nothing was changed"):
        carried(source, database, 1, "first")
    assert not any(rows_of(database).values())


def test_a_whole_database_goes_out_as_a_file_and_comes_back(
    source: Database, database: Database, tmp_path: Path
) -> None:
    copy_database(tmp_path / "source.db", tmp_path / "in.db")
    replace_database(tmp_path / "in.db", database)
    assert rows_of(database) == rows_of(source)
    write_portable(database, tmp_path / "out.db")
    again = Database(f"sqlite:///{tmp_path}/out.db")
    assert rows_of(again) == rows_of(source)
    again.close()
    replace_database(tmp_path / "out.db", database)  # in the place of what is there
    assert rows_of(database) == rows_of(source)
    with database.write() as work:
        assert work.projects.add("next", Task()).id == 3
