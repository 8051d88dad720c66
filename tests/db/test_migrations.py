"""Databases are made, brought up to date, and refused when they come from a newer program."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import MetaData, text
from sqlmodel import SQLModel

import db.models  # noqa: F401  registers the tables
from app.errors import DatabaseError
from db import engine
from db.engine import open_engines
from db.unit_of_work import Database
from tests.support.earlier_version import database_at, with_defaults


def test_migrations_make_the_models_once_and_refuse_a_newer_version(empty_address: str) -> None:
    Database(empty_address).close()
    writer, _ = open_engines(empty_address)
    with writer.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, SQLModel.metadata) == []
    before = _contents(empty_address)
    assert before["alembic_version"]
    Database(empty_address).close()
    assert _contents(empty_address) == before
    with writer.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DatabaseError, match="newer version"):
        Database(empty_address)
    with writer.connect() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == "9999"
    writer.dispose()


def _contents(address: str) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables."""
    writer, _ = open_engines(address)
    with writer.connect() as connection:
        tables = MetaData()
        tables.reflect(connection)
        found = {
            name: [tuple(row) for row in connection.execute(table.select())] for name, table in tables.tables.items()
        }
    writer.dispose()
    return found


def test_the_names_of_the_files_tell_the_revisions_in_their_order() -> None:
    scripts = ScriptDirectory.from_config(engine.config())
    assert [script.revision for script in scripts.walk_revisions()] == [*reversed(engine.revisions())]


def test_an_address_that_names_no_database_is_one_sentence() -> None:
    with pytest.raises(DatabaseError, match="address can't be used"):
        Database("nonsense")


def test_update_keeps_the_last_few_copies_and_needs_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On SQLite; a server has its own backups. The last migration stands for all."""
    monkeypatch.setattr("db.backup.KEPT_COPIES", kept := 2)
    file, earlier = tmp_path / "work[1].db", engine.revisions()[-2]
    with database_at(f"sqlite:///{file}", earlier) as (connection, metadata):
        project = metadata.tables["project"]
        connection.execute(
            project.insert(), [with_defaults(project, id=n, name=name) for n, name in ((1, "A"), (2, "B"))]
        )

    def full(_source: Path, target: Path) -> None:
        target.write_bytes(b"half")
        raise DatabaseError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("db.backup.copy_database", full)
        with pytest.raises(DatabaseError, match="disk is full"):
            Database(f"sqlite:///{file}")
    assert not list(tmp_path.glob("*before-update*"))
    assert _revision_of(file) == earlier

    older, copies = file.read_bytes(), []
    for _ in range(kept + 1):
        for part in tmp_path.glob("work[[]1].db*"):
            part.unlink()
        file.write_bytes(older)
        Database(f"sqlite:///{file}").close()
        copies.append(max(tmp_path.glob(f"*-before-update-{earlier}-*.db")))
    assert sorted(tmp_path.glob("*before-update*")) == copies[-kept:]
    assert _revision_of(copies[-1]) == earlier
    with closing(sqlite3.connect(copies[-1])) as copy:
        assert copy.execute("SELECT name FROM project ORDER BY id").fetchall() == [("A",), ("B",)]
    Database(f"sqlite:///{file}").close()
    assert len(list(tmp_path.glob("*before-update*"))) == kept, "nothing to update, nothing to keep"


def _revision_of(file: Path) -> str:
    with closing(sqlite3.connect(file)) as database:
        return str(database.execute("SELECT version_num FROM alembic_version").fetchone()[0])
