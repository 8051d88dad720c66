"""Which rows of which table belong to a project: found by the foreign keys, so that a new table needs no word here."""

from collections.abc import Iterator

from sqlalchemy import ColumnElement, ForeignKey, Table, and_, false, or_, select
from sqlmodel import SQLModel

from db.models import (
    CallIntentRow,
    CallUseRow,
    CountedUploadRow,
    ImportReportRow,
    InvitationRow,
    JobFileBlockRow,
    JobFileRow,
    JobRow,
    MembershipRow,
    ModelCallRow,
    PersonRow,
    ProjectRow,
    ScoringRunRow,
    SignInRow,
    StagedRatingRow,
    StagedTextRow,
    TextImportRow,
    TrailRow,
    WorkerRow,
)

_TABLES = SQLModel.metadata.tables
PROJECT = _TABLES[ProjectRow.__tablename__]
_CALLS, _USES = _TABLES[ModelCallRow.__tablename__], _TABLES[CallUseRow.__tablename__]
_RUNS = _TABLES[ScoringRunRow.__tablename__]
# What has been read of files whose import is not done yet: it becomes a project's, or goes. And work of this very
# moment, with those who do it, what they are told of it, and how much they sent today.
_UNDER_WAY = {
    row.__tablename__
    for row in (
        CallIntentRow,
        TextImportRow,
        StagedTextRow,
        StagedRatingRow,
        JobRow,
        WorkerRow,
        JobFileRow,
        JobFileBlockRow,
        ImportReportRow,
        CountedUploadRow,
    )
}

_TRAIL = _TABLES[TrailRow.__tablename__]  # it stays when its project goes, so that none owns it
# Who comes in where is the server's: a project that is taken to another one lets nobody in there.
PEOPLE = frozenset(row.__tablename__ for row in (PersonRow, MembershipRow, InvitationRow, SignInRow))


def tables() -> Iterator[Table]:
    """All that hold what people made, each after those that it refers to."""
    for table in SQLModel.metadata.sorted_tables:
        if table.name not in _UNDER_WAY:
            yield table


def of_project(table: Table, project_id: int) -> ColumnElement[bool]:
    """The rows of a project; of the ledger also the replies that it rests on and another project paid for."""
    if table.name in PEOPLE:
        return false()
    if table is _TRAIL:
        return table.c.project_id == project_id
    if table is PROJECT:
        return table.c.id == project_id
    if table is _CALLS:
        runs = select(_RUNS.c.id).where(_RUNS.c.project_id == project_id)
        used = select(_USES.c.digest).where(_USES.c.project_id == project_id)
        rests_on = and_(table.c.digest.in_(used), table.c.error_kind == "", table.c.usable)
        return or_(table.c.project_id == project_id, table.c.run_id.in_(runs), rests_on)
    key = owner(table)
    if key is None:
        return false()
    above = key.column.table
    return key.parent.in_(select(above.c.id).where(of_project(above, project_id)))


def owner(table: Table) -> ForeignKey | None:
    """The key to the row that each row of the table goes with."""
    keys = (key for key in table.foreign_keys if key.ondelete == "CASCADE" and not key.parent.nullable)
    return min(keys, key=lambda key: key.parent.name, default=None)
