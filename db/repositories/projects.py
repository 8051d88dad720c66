"""Projects and their dimensions."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from math import inf
from time import monotonic
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    bindparam,
    delete,
    func,
    insert,
    or_,
    text,
    true,
    update,
)
from sqlalchemy import select as sql_select
from sqlalchemy.exc import OperationalError, StatementError
from sqlmodel import SQLModel, col, select

from app.domain.model_call import OwnPrompt
from app.domain.project import Dimension, Project, Task
from app.domain.storable_text import checked_name, quoted
from app.errors import ConflictError, FileFormatError, InputError, NotFoundError
from db.models.project import DimensionRow, OwnPromptRow, ProjectRow
from db.models.think_aloud import ThinkAloudSampleRow, TranscriptRow
from db.project_rows import PLACES, PROJECT, Ids, of_project, tables
from db.repositories.repository import Query, Repository, columns_of, rows_of, table_of, value_of

_PROJECTS, _DIMENSIONS, _PROMPTS = table_of(ProjectRow), table_of(DimensionRow), table_of(OwnPromptRow)
_NEWEST_FIRST = sql_select(_PROJECTS).order_by(_PROJECTS.c.created_at.desc())
_NAMED = sql_select(_PROJECTS).where(_PROJECTS.c.name == bindparam("name"))
_PROJECT_OF_DIMENSION = sql_select(_PROJECTS).where(
    _PROJECTS.c.id == _DIMENSIONS.c.project_id, _DIMENSIONS.c.id == bindparam("dimension")
)
_DIMENSIONS_OF_PROJECT = (
    sql_select(_DIMENSIONS)
    .where(_DIMENSIONS.c.project_id == bindparam("project"))
    .order_by(_DIMENSIONS.c.position, _DIMENSIONS.c.id)
)
_PROMPTS_OF_PROJECT = (
    sql_select(_PROMPTS).where(_PROMPTS.c.project_id == bindparam("project")).order_by(_PROMPTS.c.id.desc())
)
_NO_DIMENSION = ("This dimension is no longer there.", "Choose another.")


class Projects(Repository):
    def all(self) -> list[Project]:
        """Return the projects, newest first."""
        return [_project(row) for row in rows_of(self._session, _NEWEST_FIRST)]

    def find(self, name: str) -> Project | None:
        rows = rows_of(self._session, _NAMED, name=name)
        return _project(rows[0]) if rows else None

    def get(self, name: str) -> Project:
        project = self.find(name)
        if project is None:
            raise NotFoundError(f"There is no project {quoted(name)}.", "`interacteval project list` shows them.")
        return project

    def by_id(self, project_id: int) -> Project:
        row = self._by_id(
            ProjectRow, project_id, "This project is no longer there.", "Go to Overview and choose another."
        )
        return _project(row)

    def add(self, name: str, task: Task, notice: str = "") -> Project:
        cleaned = checked_name(name, "project")
        if self.find(cleaned):
            raise ConflictError(f"There is already a project “{cleaned}”.", "Choose another name.")
        row = ProjectRow(name=cleaned, notice=notice, **columns_of(task))
        self._add(row)
        return _project(row)

    def set_task(self, project_id: int, task: Task) -> None:
        row = self._session.get_one(ProjectRow, project_id)
        for name, value in columns_of(task).items():
            setattr(row, name, value)

    def human_systems(self, project_id: int) -> tuple[str, ...]:
        """Return which of the project's systems are people."""
        return tuple(self._session.get_one(ProjectRow, project_id).human_systems)

    def set_human_systems(self, project_id: int, systems: Sequence[str]) -> None:
        self._session.get_one(ProjectRow, project_id).human_systems = list(systems)

    def set_research(self, project_id: int, on: bool) -> None:
        self._session.get_one(ProjectRow, project_id).research = on

    def set_follow_up(self, project_id: int, model: str) -> None:
        self._session.get_one(ProjectRow, project_id).follow_up = model

    def delete(self, project_id: int) -> None:
        self._session.delete(self._session.get_one(ProjectRow, project_id))

    def dimensions(self, project_id: int) -> list[Dimension]:
        return [_dimension(row) for row in rows_of(self._session, _DIMENSIONS_OF_PROJECT, project=project_id)]

    def dimension(self, project_id: int, name: str) -> Dimension:
        """Return the dimension of this name; case is ignored unless two names differ only in it."""
        found = self.dimensions(project_id)
        exact = [d for d in found if d.name == name] or [d for d in found if d.name.lower() == name.lower()]
        if not exact:
            add = "It has none yet. Add one on Texts, or with `interacteval dimension add`."
            names = ", ".join(d.name for d in found)
            raise NotFoundError(
                f"There is no dimension {quoted(name)} in this project.", f"It has: {names}." if names else add
            )
        return exact[0]

    def dimension_by_id(self, dimension_id: int) -> Dimension:
        return _dimension(self._by_id(DimensionRow, dimension_id, *_NO_DIMENSION))

    def project_of(self, dimension_id: int) -> Project:
        rows = rows_of(self._session, _PROJECT_OF_DIMENSION, dimension=dimension_id)
        if not rows:
            raise NotFoundError(*_NO_DIMENSION)
        return _project(rows[0])

    def add_dimension(self, project_id: int, dimension: Dimension) -> Dimension:
        name = _dimension_name(dimension.name)
        if any(d.name == name for d in self.dimensions(project_id)):
            raise ConflictError(f"There is already a dimension “{name}”.", "Choose another name.")
        last = self._session.exec(
            select(func.max(DimensionRow.position)).where(DimensionRow.project_id == project_id)
        ).one()
        row = DimensionRow(
            project_id=project_id,
            name=name,
            rubric=dimension.rubric,
            low=dimension.low,
            high=dimension.high,
            position=0 if last is None else last + 1,
        )
        _check_range(row)
        self._add(row)
        return _dimension(row)

    def set_dimension(self, dimension: Dimension) -> None:
        """Overwrite name, rubric and range of the dimension with this id."""
        row = self._session.get_one(DimensionRow, dimension.id)
        name = row.name if dimension.name == row.name else _dimension_name(dimension.name)
        if any(d.name == name and d.id != dimension.id for d in self.dimensions(row.project_id)):
            raise ConflictError(f"There is already a dimension “{name}”.", "Choose another name.")
        row.name, row.rubric = name, dimension.rubric
        row.low, row.high = dimension.low, dimension.high
        _check_range(row)

    def used_dimensions(self, project_id: int) -> frozenset[int]:
        """Return the ids of the dimensions that have more than a rubric and the samples drawn for it."""
        return frozenset(row[0] for row in rows_of(self._session, _used_dimensions(), project=project_id))

    def delete_unused_dimension(self, dimension_id: int) -> None:
        """Delete a dimension with its samples. Raises ConflictError if it is used."""
        row = self._found(DimensionRow, dimension_id, *_NO_DIMENSION, lock=True)
        if dimension_id in self.used_dimensions(row.project_id):
            raise ConflictError(
                f"“{row.name}” stays: people or models have worked on it.",
                "Only a dimension without ratings, attributes, checklists and scores can be deleted.",
            )
        self._session.delete(row)


@cache
def _used_dimensions() -> Query:
    """Return the query of a project's dimensions to which rows of any table but that of samples refer."""
    referring = (
        key.parent
        for table in SQLModel.metadata.sorted_tables
        for key in table.foreign_keys
        if key.column is _DIMENSIONS.c.id and table is not table_of(ThinkAloudSampleRow)
    )
    used = or_(*(sql_select(one).where(one == _DIMENSIONS.c.id).exists() for one in referring))
    return sql_select(_DIMENSIONS.c.id).where(_DIMENSIONS.c.project_id == bindparam("project"), used)


def _dimension_name(name: str) -> str:
    return checked_name(name, "dimension", "Give it one, for example coherence.")


def _check_range(row: DimensionRow) -> None:
    if not row.low < row.high:
        raise InputError(
            f"The lowest score of “{row.name}” ({row.low:g}) is not below its highest ({row.high:g}).",
            "Give the range of the ratings, for example 1 to 5.",
        )


def _project(row: Any) -> Project:
    return value_of(Project, row, task=value_of(Task, row))


def _dimension(row: Any) -> Dimension:
    return value_of(Dimension, row)


class OwnPrompts(Repository):
    def versions(self, project_id: int, name: str | None = None) -> list[OwnPrompt]:
        """Return wordings, newest first; of one prompt, else of all."""
        rows = rows_of(self._session, _PROMPTS_OF_PROJECT, project=project_id)
        return [value_of(OwnPrompt, row) for row in rows if name in (None, row.name)]

    def add(self, project_id: int, name: str, source: str, digest: str) -> int:
        """Save a wording and use it from now on; return its number."""
        rows = self._rows(project_id, name)
        number = max((row.number for row in rows), default=0) + 1
        for row in rows:
            row.in_use = False
        self._add(
            OwnPromptRow(project_id=project_id, name=name, number=number, source=source, digest=digest, in_use=True)
        )
        return number

    def use(self, project_id: int, name: str, number: int) -> None:
        """Set the wording used from now on; 0 for the built-in one."""
        rows = self._rows(project_id, name)
        if number and number not in {row.number for row in rows}:
            raise NotFoundError(f"There is no wording {number} of the prompt {name}.", "Choose one from the list.")
        for row in rows:
            row.in_use = row.number == number
        self._session.flush()

    def sources(self, project_id: int, numbers: Mapping[str, int]) -> dict[str, str]:
        """Return prompt name -> text of the wording of that number."""
        found = {(prompt.name, prompt.number): prompt.source for prompt in self.versions(project_id)}
        return {name: found[name, number] for name, number in numbers.items() if (name, number) in found}

    def _rows(self, project_id: int, name: str) -> list[OwnPromptRow]:
        query = select(OwnPromptRow).where(OwnPromptRow.project_id == project_id, OwnPromptRow.name == name)
        return list(self._session.exec(query.order_by(col(OwnPromptRow.id).desc())))


ROWS_AT_ONCE = 1000
_TRANSCRIPTS = table_of(TranscriptRow)
Row = dict[str, Any]


class Transfers(Repository):
    """Copies between databases with the same tables, each in one transaction of this one."""

    def copy_project(
        self, other: "Transfers", project_id: int, name: str, recordings: Mapping[str, str], end: float = inf
    ) -> int:
        """Copy all rows of a project, with new ids and under this name; return its new id.

        recordings: names of voice recordings there -> here; others are dropped. end: on the clock of `time.monotonic`.
        Raises FileFormatError if rows don't fit together, or the time is over.
        """
        try:
            return self._taken(other, project_id, name, recordings, end)
        except (KeyError, TypeError, ValueError, AttributeError, StatementError) as error:
            if isinstance(error, OperationalError):  # the disk is full, say
                raise
            raise FileFormatError(
                "The project's rows don't fit together; nothing was changed.", "Export it again, or name another file."
            ) from error

    def replace_all(self, other: "Transfers") -> None:
        """Replace everything here by all rows, with their ids."""
        everywhere = list(tables())
        if self._connection.dialect.name == "postgresql":  # SQLite has one writer anyway
            names = ", ".join(f'"{table.name}"' for table in everywhere)
            self._connection.execute(text(f"LOCK TABLE {names} IN ACCESS EXCLUSIVE MODE"))
        for table in reversed(everywhere):
            self._connection.execute(delete(table))
        for table in everywhere:
            self._insert(table, other.rows(table, true()))
            if (sequence := self._sequence(table)) is not None:
                newest = sql_select(func.coalesce(func.max(table.c.id), 0) + 1).scalar_subquery()
                self._connection.execute(sql_select(func.setval(sequence, newest, False)))

    def recordings(self, project_id: int) -> list[str]:
        """Return the names of the project's voice recordings."""
        return [row["audio"] for row in self.rows(_TRANSCRIPTS, of_project(_TRANSCRIPTS, project_id)) if row["audio"]]

    def read_snapshot(self) -> None:
        """Read from one snapshot from now on; to be called before anything else is read."""
        if self._session.get_bind().dialect.name == "postgresql":
            self._session.connection(execution_options={"isolation_level": "REPEATABLE READ"})

    def ids(self, table: Table, which: ColumnElement[bool]) -> list[int]:
        """Return the ids, ascending."""
        return list(self._connection.scalars(sql_select(table.c.id).where(which).order_by(table.c.id)))

    def rows(self, table: Table, which: ColumnElement[bool]) -> Iterator[Row]:
        """Yield rows by id, some at a time in memory."""
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
            self._insert(table, rows)
        return ids[PROJECT.name][project_id]

    @property
    def _connection(self) -> Connection:
        return self._session.connection()

    def _insert(self, table: Table, rows: Iterator[Row]) -> None:
        """Insert rows. A row may refer to a later one of its own table: such references are set when all rows exist."""
        own = [key.parent.name for key in table.foreign_keys if key.column.table is table]
        links: list[Row] = []
        while block := list(islice(rows, ROWS_AT_ONCE)):
            links += [row for row in block if any(row[name] is not None for name in own)]
            self._connection.execute(insert(table), [{**row, **dict.fromkeys(own)} for row in block])
        for row in links:
            linked = {name: row[name] for name in own}
            self._connection.execute(update(table).where(table.c.id == row["id"]).values(linked))

    def _new_ids(self, table: Table, count: int) -> list[int]:
        """Return new ids that nobody else gets."""
        if self._sequence(table) is None:  # SQLite: this transaction is the only one that writes
            newest = self._connection.scalar(sql_select(func.max(table.c.id))) or 0
            return list(range(newest + 1, newest + 1 + count))
        series = sql_select(func.nextval(self._sequence(table))).select_from(func.generate_series(1, count))
        return list(self._connection.scalars(series))

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
    """Return the row with the new ids. Optional references out of the project are dropped."""
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
