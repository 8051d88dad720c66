"""Imports of texts, their reports, and uploaded files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, delete, exists, func, insert, literal, or_
from sqlalchemy import select as sql_select
from sqlmodel import SQLModel, col, select

from app.domain.project import Rating, Text
from app.errors import ConflictError
from db.models.columns import UtcDateTime, now
from db.models.people import PersonRow
from db.models.project import (
    CountedUploadRow,
    DimensionRow,
    ImportReportRow,
    JobFileBlockRow,
    JobFileRow,
    ProjectRow,
    RatingRow,
    StagedRatingRow,
    StagedTextRow,
    TextImportRow,
    TextRow,
)
from db.repositories.repository import Repository
from db.repositories.texts import text_columns

ABANDONED = timedelta(minutes=10)  # without a word: blocks follow each other within seconds
_FORGOTTEN_AT_ONCE = 5_000
_TURN = 7_403_552  # any number that nothing else takes a lock under
# For tables instead of objects: so a row takes half the time.
_STAGE_TEXT, _STAGE_RATING = (
    insert(SQLModel.metadata.tables[row.__tablename__]) for row in (StagedTextRow, StagedRatingRow)
)
_FIELDS = ("doc_id", "system_id", "item_id", "source", "text", "references", "extra")


@dataclass(frozen=True, slots=True)
class TextOfFile:
    """A text with its ratings; `row` as in the file, `position` from 0."""

    position: int
    row: int
    text: Text
    ratings: tuple[Rating, ...]


@dataclass(frozen=True, slots=True)
class AddedRows:
    """What an import added, and what it left out: (row of the file, reason)."""

    texts: int
    ratings: int
    left_out: tuple[tuple[int, str], ...]


class Imports(Repository):
    def begin(self, job_file: int | None = None) -> int:
        """Begin an import; return its id. job_file: the file that it reads, if that belongs to a job."""
        return self._add(TextImportRow(job_file_id=job_file))

    def add(self, import_id: int, block: Sequence[TextOfFile]) -> None:
        self._touch(import_id)
        if not block:
            return
        connection = self._session.connection()
        connection.execute(_STAGE_TEXT, [_staged(import_id, item) for item in block])
        ratings = [
            {
                "import_id": import_id,
                "position": item.position,
                "dimension": rating.dimension,
                "rater": rating.rater,
                "value": rating.value,
            }
            for item in block
            for rating in item.ratings
        ]
        if ratings:
            connection.execute(_STAGE_RATING, ratings)

    def lock_imports(self) -> None:
        """Make other imports wait until the end of the transaction, so that each sees what the one before added."""
        if self._session.get_bind().dialect.name == "postgresql":  # on SQLite there is one writer at a time anyway
            self._session.execute(sql_select(func.pg_advisory_xact_lock(_TURN)))

    def keep(self, import_id: int, project_id: int) -> AddedRows:
        """Add all texts and ratings to a project that has their dimensions. Existing ones stay unchanged."""
        self._touch(import_id)
        left_out = self._drop_texts_under_a_taken_key(import_id, project_id)
        new: Any = (
            sql_select(
                literal(project_id), literal(now(), UtcDateTime()), *(getattr(StagedTextRow, name) for name in _FIELDS)
            )
            .where(col(StagedTextRow.import_id) == import_id, ~exists().where(_same_key(project_id)))
            .order_by(col(StagedTextRow.position))
        )
        texts = self._insert(TextRow, ("project_id", "imported_at", *_FIELDS), new)
        values = (StagedTextRow.row, StagedRatingRow.rater, StagedRatingRow.value, DimensionRow.name)
        limits = (DimensionRow.low, DimensionRow.high, RatingRow.value)
        out = or_(col(RatingRow.value) != col(StagedRatingRow.value), and_(_unrated(), ~_on_scale()))
        rows = self._session.execute(
            _ratings(sql_select(*map(col, values), *map(col, limits)), import_id, project_id).where(out)
        )
        left_out += [(row, _reason(*rest)) for row, *rest in rows]
        ratings = self._add_ratings(import_id, project_id)
        return AddedRows(texts, ratings, tuple(left_out))

    def abandoned(self, job_file: int | None = None) -> list[int]:
        """Return imports of killed processes, or of processes that lost the job with this file to the caller."""
        left = col(TextImportRow.touched_at) < now() - ABANDONED
        if job_file is not None:
            left = or_(left, col(TextImportRow.job_file_id) == job_file)
        return list(self._session.exec(select(TextImportRow.id).where(left)))  # type: ignore[arg-type]

    def forget(self, import_id: int) -> bool:
        """Delete a part of what was read; return whether something is left."""
        for table in (StagedRatingRow, StagedTextRow):
            some = sql_select(col(table.id)).where(col(table.import_id) == import_id).limit(_FORGOTTEN_AT_ONCE)
            if self._session.execute(delete(table).where(col(table.id).in_(some))).rowcount:  # type: ignore[attr-defined]
                return True
        self._session.execute(delete(TextImportRow).where(col(TextImportRow.id) == import_id))
        return False

    def _touch(self, import_id: int) -> None:
        row = self._session.get(TextImportRow, import_id, with_for_update=True)
        if row is None:
            raise ConflictError("The import stood still for so long that it was given up.", "Import the file again.")
        row.touched_at = now()

    def _drop_texts_under_a_taken_key(self, import_id: int, project_id: int) -> list[tuple[int, str]]:
        staged = col(StagedTextRow.import_id) == import_id
        differs = or_(col(TextRow.text) != col(StagedTextRow.text), col(TextRow.source) != col(StagedTextRow.source))
        found = self._session.execute(
            sql_select(
                *(col(c) for c in (StagedTextRow.id, StagedTextRow.row)),
                *(col(c) for c in (StagedTextRow.doc_id, StagedTextRow.system_id, StagedTextRow.item_id)),
            )
            .join(TextRow, _same_key(project_id))
            .where(staged, differs)
        ).all()
        for start in range(0, len(found), 500):
            ids = [row[0] for row in found[start : start + 500]]
            self._session.execute(delete(StagedTextRow).where(col(StagedTextRow.id).in_(ids)))
        return [
            (row, f"another text is already stored under {' / '.join(part for part in key if part)}")
            for _, row, *key in found
        ]

    def _add_ratings(self, import_id: int, project_id: int) -> int:
        columns = (TextRow.id, DimensionRow.id, StagedRatingRow.rater, StagedRatingRow.value)
        new = (
            _ratings(sql_select(*map(col, columns)), import_id, project_id)
            .where(_unrated(), _on_scale())
            .order_by(col(StagedRatingRow.id))
        )
        return self._insert(RatingRow, ("text_id", "dimension_id", "rater", "value"), new)

    def _insert(self, table: type[SQLModel], names: Sequence[str], rows: Select[Any]) -> int:
        statement = insert(table).from_select(list(names), rows)
        result: Any = self._session.execute(statement, execution_options={"preserve_rowcount": True})
        return int(result.rowcount)


def _staged(import_id: int, item: TextOfFile) -> dict[str, Any]:
    return {"import_id": import_id, "position": item.position, "row": item.row, **text_columns(item.text)}


def _same_key(project_id: int) -> ColumnElement[bool]:
    """Return the condition for the project's text with a staged text's key."""
    return and_(
        col(TextRow.project_id) == project_id,
        col(TextRow.doc_id) == col(StagedTextRow.doc_id),
        col(TextRow.system_id) == col(StagedTextRow.system_id),
        col(TextRow.item_id) == col(StagedTextRow.item_id),
    )


def _ratings(columns: Any, import_id: int, project_id: int) -> Select[Any]:
    """Return a query of the import's ratings of texts in the project, each with the existing one, if any."""
    of_text = and_(
        col(StagedTextRow.import_id) == import_id, col(StagedTextRow.position) == col(StagedRatingRow.position)
    )
    of_dimension = and_(
        col(DimensionRow.project_id) == project_id, col(DimensionRow.name) == col(StagedRatingRow.dimension)
    )
    there = and_(
        col(RatingRow.text_id) == col(TextRow.id),
        col(RatingRow.dimension_id) == col(DimensionRow.id),
        col(RatingRow.rater) == col(StagedRatingRow.rater),
    )
    found: Select[Any] = (
        columns.select_from(StagedRatingRow)
        .join(StagedTextRow, of_text)
        .join(TextRow, _same_key(project_id))
        .join(DimensionRow, of_dimension)
        .outerjoin(RatingRow, there)
        .where(col(StagedRatingRow.import_id) == import_id)
    )
    return found


def _unrated() -> ColumnElement[bool]:
    return col(RatingRow.id).is_(None)


def _on_scale() -> ColumnElement[bool]:
    return col(StagedRatingRow.value).between(col(DimensionRow.low), col(DimensionRow.high))


def _reason(rater: str, value: float, dimension: str, low: float, high: float, known: float | None) -> str:
    if known is None:
        return f"rating {value:g} on {dimension} is outside {low:g} to {high:g}"
    return f"{rater} already rated this text {known:g} on {dimension}; {value:g} was left out"


class ImportReports(Repository):
    def keep(self, project_id: int, report: Mapping[str, Any]) -> None:
        """Replace the earlier report."""
        self._session.execute(delete(ImportReportRow).where(col(ImportReportRow.project_id) == project_id))
        self._add(ImportReportRow(project_id=project_id, report=dict(report)))

    def of(self, project: str) -> dict[str, Any] | None:
        """Return the report by the project's name; None without one."""
        query = select(ImportReportRow.report).where(col(ImportReportRow.project_id).in_(_ids(project)))
        found = self._session.exec(query).first()
        return dict(found) if found is not None else None

    def forget(self, project: str) -> None:
        self._session.execute(delete(ImportReportRow).where(col(ImportReportRow.project_id).in_(_ids(project))))


def _ids(project: str) -> Any:
    return select(ProjectRow.id).where(ProjectRow.name == project)


FORSAKEN = timedelta(minutes=10)  # without a word: blocks follow each other within seconds


@dataclass(frozen=True, slots=True)
class JobFile:
    """A job's file: `name` as its owner called it, `size` in bytes. `used`: what the job makes from it is saved."""

    name: str
    size: int
    used: bool


class JobFiles(Repository):
    def begin(self, name: str, size: int) -> int:
        return self._add(JobFileRow(name=name, size=size))

    def add(self, file_id: int, position: int, data: bytes) -> None:
        row = self._session.get(JobFileRow, file_id, with_for_update=True)
        if row is None:
            raise ConflictError("The upload stood still for so long that it was given up.", "Choose the file again.")
        row.touched_at = now()
        self._add(JobFileBlockRow(file_id=file_id, position=position, data=data))

    def assign_job(self, file_id: int, job_id: int) -> None:
        """Assign the file to this job. Raises ConflictError if it was given up meanwhile."""
        row = self._session.get(JobFileRow, file_id, with_for_update=True)
        if row is None:
            raise ConflictError("The upload stood still for so long that it was given up.", "Choose the file again.")
        row.job_id = job_id
        self._session.flush()

    def find(self, file_id: int) -> JobFile | None:
        row = self._session.get(JobFileRow, file_id)
        return JobFile(row.name, row.size, row.used) if row else None

    def block(self, file_id: int, position: int) -> bytes | None:
        """Return a block of the file; None after the last."""
        query = select(JobFileBlockRow.data).where(
            JobFileBlockRow.file_id == file_id, JobFileBlockRow.position == position
        )
        return self._session.exec(query).first()

    def use(self, file_id: int) -> bool:
        """Return whether this transaction is the only one of the job's that may save what is made from the file.

        Other transactions wait here until it is over.
        """
        row = self._session.get(JobFileRow, file_id, with_for_update=True, populate_existing=True)
        if row is None or row.used:
            return False
        row.used = True
        self._session.flush()
        return True

    def drop(self, file_id: int) -> None:
        self._session.execute(delete(JobFileRow).where(col(JobFileRow.id) == file_id))

    def delete_abandoned(self) -> None:
        """Delete files whose process was killed before a job began."""
        old = col(JobFileRow.touched_at) < now() - FORSAKEN
        self._session.execute(delete(JobFileRow).where(col(JobFileRow.job_id).is_(None), old))


class UploadCounts(Repository):
    def lock_imports(self, person_id: int) -> None:
        """Make others that count for this person wait until the end of the transaction."""
        self._session.get(PersonRow, person_id, with_for_update=True)

    def since(self, person_id: int, moment: datetime) -> int:
        """Return the bytes that the person sent since then."""
        query = select(func.coalesce(func.sum(CountedUploadRow.size), 0)).where(
            CountedUploadRow.person_id == person_id, CountedUploadRow.at > moment
        )
        return int(self._session.exec(query).one())

    def add(self, person_id: int, size: int) -> None:
        self._add(CountedUploadRow(person_id=person_id, size=size))

    def forget_before(self, moment: datetime) -> None:
        self._session.execute(delete(CountedUploadRow).where(col(CountedUploadRow.at) <= moment))
