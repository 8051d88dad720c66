"""Rows on their way from one database to another: a project, or everything."""

from collections.abc import Iterator, Mapping
from itertools import islice
from math import inf
from time import monotonic
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, delete, func, insert, text, true, update
from sqlalchemy import select as sql_select
from sqlalchemy.exc import OperationalError, StatementError
from sqlmodel import Session, SQLModel

from app.errors import FileFormatError
from db.models import TranscriptRow
from db.project_rows import PROJECT, of_project, tables
from db.stored_ids import PLACES, Ids

ROWS_AT_ONCE = 1000
_TRANSCRIPTS = SQLModel.metadata.tables[TranscriptRow.__tablename__]
Row = dict[str, Any]


class Transfers:
    """`take_project` and `take_all` copy from another database with the same tables, in one transaction of this one."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def take_project(
        self, other: "Transfers", project_id: int, name: str, recordings: Mapping[str, str], end: float = inf
    ) -> int:
        """All rows of a project, with new ids and under this name; returns its new id.

        recordings: the names of voice recordings there and here; those that aren't named are gone. end: on the clock of
        `time.monotonic`. Raises FileFormatError where rows don't fit together, or at the end of the time.
        """
        try:
            return self._taken(other, project_id, name, recordings, end)
        except (KeyError, TypeError, ValueError, AttributeError, StatementError) as error:
            if isinstance(error, OperationalError):  # the disk is full, say
                raise
            raise FileFormatError(
                "The project's rows don't fit together; nothing was changed.", "Export it again, or name another file."
            ) from error

    def take_all(self, other: "Transfers") -> None:
        """All rows, with the ids they have, in the place of all that is here."""
        everywhere = list(tables())
        if self._connection.dialect.name == "postgresql":  # SQLite has one writer anyway
            names = ", ".join(f'"{table.name}"' for table in everywhere)
            self._connection.execute(text(f"LOCK TABLE {names} IN ACCESS EXCLUSIVE MODE"))
        for table in reversed(everywhere):
            self._connection.execute(delete(table))
        for table in everywhere:
            self._add(table, other.rows(table, true()))
            self._count_on(table)

    def recordings(self, project_id: int) -> list[str]:
        """The names of the project's voice recordings."""
        return [row["audio"] for row in self.rows(_TRANSCRIPTS, of_project(_TRANSCRIPTS, project_id)) if row["audio"]]

    def hold_still(self) -> None:
        """What others write from now on isn't seen; to be called before anything else is read."""
        if self._session.get_bind().dialect.name == "postgresql":
            self._session.connection(execution_options={"isolation_level": "REPEATABLE READ"})

    def ids(self, table: Table, which: ColumnElement[bool]) -> list[int]:
        """Ascending."""
        return list(self._connection.scalars(sql_select(table.c.id).where(which).order_by(table.c.id)))

    def rows(self, table: Table, which: ColumnElement[bool]) -> Iterator[Row]:
        """In the order of their ids, some at a time in memory."""
        query = sql_select(table).where(which).order_by(table.c.id).execution_options(yield_per=ROWS_AT_ONCE)
        for row in self._connection.execute(query).mappings():
            yield dict(row)

    def _taken(self, other: "Transfers", project_id: int, name: str, recordings: Mapping[str, str], end: float) -> int:
        ids: dict[str, dict[int, int]] = {}
        for table in tables():
            known = other.ids(table, of_project(table, project_id))
            ids[table.name] = dict(zip(known, self._new_ids(table, len(known)), strict=True))
        for table in tables():
            there = _until(end, other.rows(table, of_project(table, project_id)))
            rows = (_moved(table, row, ids) for row in there)
            if table is PROJECT:
                rows = ({**row, "name": name} for row in rows)
            if table is _TRANSCRIPTS:
                rows = ({**row, "audio": recordings.get(row["audio"], "")} for row in rows)
            self._add(table, rows)
        return ids[PROJECT.name][project_id]

    @property
    def _connection(self) -> Connection:
        return self._session.connection()

    def _add(self, table: Table, rows: Iterator[Row]) -> None:
        """A row may refer to one of its own table that comes after it: such links are made when all are there."""
        own = [key.parent.name for key in table.foreign_keys if key.column.table is table]
        links: list[Row] = []
        while block := list(islice(rows, ROWS_AT_ONCE)):
            links += [row for row in block if any(row[name] is not None for name in own)]
            self._connection.execute(insert(table), [{**row, **dict.fromkeys(own)} for row in block])
        for row in links:
            linked = {name: row[name] for name in own}
            self._connection.execute(update(table).where(table.c.id == row["id"]).values(linked))

    def _new_ids(self, table: Table, count: int) -> list[int]:
        """Ids that nobody else gets."""
        if self._sequence(table) is None:  # SQLite: this transaction is the only one that writes
            newest = self._connection.scalar(sql_select(func.max(table.c.id))) or 0
            return list(range(newest + 1, newest + 1 + count))
        series = sql_select(func.nextval(self._sequence(table))).select_from(func.generate_series(1, count))
        return list(self._connection.scalars(series))

    def _count_on(self, table: Table) -> None:
        """The next id that the database gives comes after those taken over."""
        if (sequence := self._sequence(table)) is not None:
            newest = sql_select(func.coalesce(func.max(table.c.id), 0) + 1).scalar_subquery()
            self._connection.execute(sql_select(func.setval(sequence, newest, False)))

    def _sequence(self, table: Table) -> str | None:
        if self._connection.dialect.name != "postgresql":
            return None
        return self._connection.scalar(sql_select(func.pg_get_serial_sequence(f'"{table.name}"', "id")))


def _until(end: float, rows: Iterator[Row]) -> Iterator[Row]:
    for row in rows:
        if monotonic() > end:
            raise FileFormatError("The project takes too long to copy; nothing was changed.", "Divide the project.")
        yield row


def _moved(table: Table, row: Row, ids: Ids) -> Row:
    """The row with the ids of here. What it refers to without need and isn't the project's is left out."""
    moved = {**row, "id": ids[table.name][row["id"]]}
    for key in table.foreign_keys:
        column, there = key.parent, row[key.parent.name]
        if there is not None:
            known = ids[key.column.table.name]
            moved[column.name] = known.get(there) if column.nullable else known[there]
    for (name, column_name), replaced in PLACES.items():
        if name == table.name:
            moved[column_name] = replaced(row[column_name], ids)
    return moved
