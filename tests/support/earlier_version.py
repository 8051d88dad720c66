"""A database as an earlier version of the program left it."""

from collections.abc import Iterator
from contextlib import contextmanager

from alembic import command
from sqlalchemy import Connection, MetaData

from db.engine import config, open_engines


@contextmanager
def database_at(address: str, revision: str) -> Iterator[tuple[Connection, MetaData]]:
    """An empty database brought up to this migration, for rows of that time; they are kept at the end of the block."""
    writer, reader = open_engines(address)
    try:
        with writer.begin() as connection:
            settings = config()
            settings.attributes["connection"] = connection
            command.upgrade(settings, revision)
        with writer.begin() as connection:
            tables = MetaData()
            tables.reflect(connection)
            yield connection, tables
    finally:
        writer.dispose()
        reader.dispose()
