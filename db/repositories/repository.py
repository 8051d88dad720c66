"""Base of all repositories: adding and finding rows, and making values from them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import Row as FoundRow
from sqlalchemy import Select, Table, bindparam, inspect, select
from sqlmodel import Session, SQLModel

from app.errors import NotFoundError

Row = TypeVar("Row", bound=SQLModel)
Value = TypeVar("Value")
Query = Select[*tuple[Any, ...]]


def table_of(rows: type[SQLModel]) -> Table:
    """Return the table of these rows, for queries that are built once."""
    return SQLModel.metadata.tables[str(rows.__tablename__)]


def rows_of(session: Session, query: Query, **values: Any) -> Sequence[Any]:
    """Return the rows of a query that was built once; `values` are those of its parameters. What this transaction added
    or changed is saved before, as for any other query.

    Most screens make dozens of queries, and to build one takes longer than to run it: three rows take 0.14 ms this way,
    and 0.62 ms where the query is built for them and they become objects.
    """
    return session.execute(query, values).all()


@cache
def _row_query(rows: type[SQLModel]) -> Query:
    table = table_of(rows)
    return select(table).where(table.c.id == bindparam("id"))


class Repository:
    def __init__(self, session: Session) -> None:
        self._session = session

    def _add(self, row: SQLModel) -> int:
        """Insert the row, and return its id; 0 for a table that is not numbered."""
        self._session.add(row)
        self._session.flush()
        return int(getattr(row, "id", None) or 0)

    def _add_all(self, rows: Sequence[SQLModel]) -> list[int]:
        """Insert the rows of a numbered table in one go, and return their ids."""
        self._session.add_all(rows)
        self._session.flush()
        return [int(row.id) for row in rows]  # type: ignore[attr-defined]

    def _by_id(self, table: type[SQLModel], id_: int, gone: str, hint: str = "Reload the page.") -> Any:
        """Return the columns of the row of this id, for reading only. Raises NotFoundError(gone, hint)."""
        found = rows_of(self._session, _row_query(table), id=id_)
        if not found:
            raise NotFoundError(gone, hint)
        return found[0]

    def _found(
        self, table: type[Row], id_: int, gone: str, hint: str = "Reload the page.", *, lock: bool = False
    ) -> Row:
        """Return the row of this id, which may be changed. lock: until the end of the transaction. Raises
        NotFoundError(gone, hint)."""
        row = self._session.get(table, id_, with_for_update=lock or None)
        if row is None:
            raise NotFoundError(gone, hint)
        return row


def grouped(pairs: Iterable[Any]) -> dict[Any, list[Any]]:
    """Return key -> the values of its (key, value) pairs, both in the order they come."""
    found: dict[Any, list[Any]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def value_of(kind: type[Value], row: Any, /, **others: Any) -> Value:
    """Return the frozen value that a row of a table or query holds: each field is in the column of its name, or of its
    name with `_id`.

    Lists become tuples. others: the fields that no column holds as they are. Raises AttributeError for a field that is
    in neither.
    """
    source = row._fields if isinstance(row, FoundRow) else type(row)
    for name, column in _columns(kind, source):  # type: ignore[arg-type]
        if name not in others:
            found = getattr(row, column)
            others[name] = tuple(found) if isinstance(found, list) else found
    return kind(**others)


@cache
def _columns(kind: Any, source: type[SQLModel] | tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    there = source if isinstance(source, tuple) else {column.key for column in inspect(source).column_attrs}
    names = [field.name for field in fields(kind) if field.init]
    return tuple((name, name if name in there else f"{name}_id") for name in names)


def columns_of(value: Any, *without: str) -> dict[str, Any]:
    """Return the fields of a value as columns of the same names: enums as their values, and what JSON columns hold."""
    return {field.name: _stored(getattr(value, field.name)) for field in fields(value) if field.name not in without}


def _stored(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_stored(one) for one in value]
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
