"""A database as an earlier version of the program left it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from sqlalchemy import Connection, MetaData, Table

from db.engine import create_empty, open_engines


@contextmanager
def database_at(address: str, revision: str) -> Iterator[tuple[Connection, MetaData]]:
    """A database brought up to this migration, for rows of that time, which are kept at the end of the block.

    It may be an empty one, or one of an earlier migration with rows of its own.
    """
    create_empty(address, revision)
    writer, reader = open_engines(address)
    try:
        with writer.begin() as connection:
            tables = MetaData()
            tables.reflect(connection)
            yield connection, tables
    finally:
        writer.dispose()
        reader.dispose()


def with_defaults(table: Table, **row: object) -> dict[str, object]:
    """The row, and something empty in every other column that needs a value."""
    empty: dict[type, object] = {str: "", int: 0, float: 0.0, bool: False, dict: {}, datetime: datetime.now(UTC)}
    needed = {c.name: empty.get(c.type.python_type, {}) for c in table.columns if not (c.nullable or c.primary_key)}
    return {**needed, **row}
