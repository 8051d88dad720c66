"""New SQLite databases as copies of one that was migrated once, so that few tests wait for migrations."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Engine, make_url

from db import engine
from db.engine import open_engines


@cache
def _template() -> bytes:
    with TemporaryDirectory() as folder:
        writer, reader = open_engines(f"sqlite:///{folder}/template.db")
        engine.upgrade(writer, reader, lambda _: None)
        reader.dispose()
        writer.dispose()
        with closing(sqlite3.connect(f"{folder}/template.db")) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")  # a database in memory can have no other
            return connection.serialize()


def upgrade(writer: Engine, reader: Engine, before: Callable[[str], None]) -> None:
    """`db.engine.upgrade`, which finds nothing to do where the file was empty."""
    file = Path(writer.url.database or "") if writer.dialect.name == "sqlite" else None
    if file is not None and file.exists() and not _has_tables(file):
        with closing(sqlite3.connect(":memory:")) as template, closing(sqlite3.connect(file)) as made:
            template.deserialize(_template())
            template.backup(made)
    engine.upgrade(writer, reader, before)


@cache
def _empty(revision: str) -> bytes:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "empty.db"
        engine.create_empty(f"sqlite:///{file}", revision)
        return file.read_bytes()


def create_empty(address: str, to: str) -> None:
    """`db.engine.create_empty`, once for each revision."""
    Path(make_url(address).database or "").write_bytes(_empty(to))


def _has_tables(file: Path) -> bool:
    with closing(sqlite3.connect(file)) as connection:
        return bool(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
