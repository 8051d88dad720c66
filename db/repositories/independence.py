"""Experts who said "done", on each dimension."""

from datetime import datetime

from sqlalchemy import func
from sqlmodel import col, select

from app.domain.attribute import AttributeStatus, ContributorKind, ExpertProgress
from db.models.checklist import PreferenceRow
from db.models.columns import now
from db.models.project import DimensionRow
from db.models.think_aloud import AttributeRow, ContributorRow, ThinkAloudDoneRow, written_about
from db.repositories.repository import Repository

_REMOVED = (AttributeStatus.EXCLUDED.value, AttributeStatus.WITHDRAWN.value)


class Independence(Repository):
    def is_done(self, dimension_id: int, contributor_id: int) -> bool:
        row = self._row(dimension_id, contributor_id)
        return row is not None and row.done

    def is_done_by(self, dimension_id: int, name: str) -> bool:
        """Return whether the expert of this name said "done"; False for an unknown name."""
        found = self._session.exec(
            select(ThinkAloudDoneRow.done)
            .join(ContributorRow, col(ContributorRow.id) == ThinkAloudDoneRow.contributor_id)
            .where(ThinkAloudDoneRow.dimension_id == dimension_id, ContributorRow.name == name)
            .where(ContributorRow.kind == ContributorKind.HUMAN.value)
        ).first()
        return bool(found)

    def is_thinking(self, dimension_id: int, name: str) -> bool:
        """Return whether the expert of this name has begun to think aloud on the dimension, and hasn't said "done"
        since. A reason for preferring one text of a pair doesn't count as beginning."""
        reasons = select(PreferenceRow.attribute_id).where(col(PreferenceRow.attribute_id).is_not(None))
        begun = (
            select(AttributeRow.id)
            .join(ContributorRow, col(ContributorRow.id) == AttributeRow.contributor_id)
            .where(written_about == dimension_id, ContributorRow.name == name)
            .where(ContributorRow.kind == ContributorKind.HUMAN.value, col(AttributeRow.id).not_in(reasons))
        )
        return self._session.exec(begun.limit(1)).first() is not None and not self.is_done_by(dimension_id, name)

    def set_done(self, dimension_id: int, contributor_id: int, done: bool) -> None:
        row = self._row(dimension_id, contributor_id)
        if row is None and done:
            row = ThinkAloudDoneRow(dimension_id=dimension_id, contributor_id=contributor_id)
            self._session.add(row)
        if row is not None:
            row.done = done
            row.last_done_at = now() if done else row.last_done_at
            self._session.flush()

    def note_seen(self, dimension_id: int, contributor_id: int) -> None:
        """Record that what this person writes from now on is written after others' attributes could be seen, without
        "done"."""
        if self._row(dimension_id, contributor_id) is None:
            self._add(ThinkAloudDoneRow(dimension_id=dimension_id, contributor_id=contributor_id, done=False))

    def is_revealed(self, attribute_id: int) -> bool:
        """Return whether its author has said "done" since it was written, or a facilitator has moved it."""
        attribute = self._session.get_one(AttributeRow, attribute_id)
        if attribute.original_dimension_id is not None:
            return True
        done = self._row(attribute.dimension_id, attribute.contributor_id)
        return done is not None and done.last_done_at is not None and attribute.created_at <= done.last_done_at

    def progress(self, project_id: int) -> list[ExpertProgress]:
        """Return every person and dimension with attributes or "done", in the order of people and dimensions."""
        written = self._written(project_id)
        done = {(row.contributor_id, row.dimension_id): row for row in self._done_rows(project_id)}
        late = self._late(project_id)
        people = self._session.exec(
            select(ContributorRow)
            .where(ContributorRow.project_id == project_id, ContributorRow.kind == ContributorKind.HUMAN.value)
            .order_by(col(ContributorRow.id))
        ).all()
        dimensions = self._session.exec(
            select(DimensionRow)
            .where(DimensionRow.project_id == project_id)
            .order_by(col(DimensionRow.position), col(DimensionRow.id))
        ).all()
        found = []
        for person in people:
            for dimension in dimensions:
                place = (int(person.id or 0), int(dimension.id or 0))
                count, last = written.get(place, (0, None))
                row = done.get(place)
                finished = row is not None and row.done
                if count or finished:
                    found.append(
                        ExpertProgress(
                            person.name,
                            dimension.name,
                            count,
                            finished,
                            late.get(place, 0),
                            last,
                            person.role,
                            person.background,
                        )
                    )
        return found

    def _row(self, dimension_id: int, contributor_id: int) -> ThinkAloudDoneRow | None:
        return self._session.exec(
            select(ThinkAloudDoneRow).where(
                ThinkAloudDoneRow.dimension_id == dimension_id, ThinkAloudDoneRow.contributor_id == contributor_id
            )
        ).first()

    def _done_rows(self, project_id: int) -> list[ThinkAloudDoneRow]:
        query = select(ThinkAloudDoneRow).join(DimensionRow, col(DimensionRow.id) == ThinkAloudDoneRow.dimension_id)
        return list(self._session.exec(query.where(DimensionRow.project_id == project_id)))

    def _written(self, project_id: int) -> dict[tuple[int, int], tuple[int, datetime]]:
        rows = self._session.exec(
            select(
                AttributeRow.contributor_id,
                written_about,
                func.count(col(AttributeRow.id)),
                func.max(AttributeRow.created_at),
            )
            .join(DimensionRow, col(DimensionRow.id) == written_about)
            .where(DimensionRow.project_id == project_id, col(AttributeRow.status).not_in(_REMOVED))
            .group_by(col(AttributeRow.contributor_id), written_about)
        )
        return {(person, dimension): (count, last) for person, dimension, count, last in rows}

    def _late(self, project_id: int) -> dict[tuple[int, int], int]:
        """Return how many attributes were written after the expert had first said "done"."""
        rows = self._session.exec(
            select(AttributeRow.contributor_id, written_about, func.count(col(AttributeRow.id)))
            .join(
                ThinkAloudDoneRow,
                (col(ThinkAloudDoneRow.dimension_id) == written_about)
                & (col(ThinkAloudDoneRow.contributor_id) == AttributeRow.contributor_id),
            )
            .join(DimensionRow, col(DimensionRow.id) == written_about)
            .where(
                DimensionRow.project_id == project_id,
                col(AttributeRow.status).not_in(_REMOVED),
                col(AttributeRow.created_at) > ThinkAloudDoneRow.first_done_at,
            )
            .group_by(col(AttributeRow.contributor_id), written_about)
        )
        return {(person, dimension): count for person, dimension, count in rows}
