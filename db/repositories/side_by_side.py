"""Blind comparisons of people's and LLMs' attributes, one for each expert and dimension."""

from collections.abc import Sequence

from sqlmodel import Session, col, select

from app.domain.side_by_side import SideBySide as Comparison
from app.errors import NotFoundError
from db.models import AttributeRow, ContributorRow, SideBySideAnswerRow, SideBySideRow
from db.models.columns import now
from db.models.think_aloud import written_about


class SideBySideComparisons:
    def __init__(self, session: Session) -> None:
        self._session = session

    def add(
        self, dimension_id: int, contributor_id: int, people_are_a: bool, people: Sequence[str], llms: Sequence[str]
    ) -> None:
        self._session.add(
            SideBySideRow(
                dimension_id=dimension_id,
                contributor_id=contributor_id,
                people_are_a=people_are_a,
                people=list(people),
                llms=list(llms),
            )
        )
        self._session.flush()

    def of(self, dimension_id: int) -> list[Comparison]:
        """Every expert's, in the order they began."""
        rows = self._session.exec(
            select(SideBySideRow, ContributorRow)
            .join(ContributorRow, col(ContributorRow.id) == SideBySideRow.contributor_id)
            .where(SideBySideRow.dimension_id == dimension_id)
            .order_by(col(SideBySideRow.id))
        )
        return [self._comparison(row, person) for row, person in rows]

    def get(self, comparison_id: int) -> Comparison:
        row = self._row(comparison_id)
        return self._comparison(row, self._session.get_one(ContributorRow, row.contributor_id))

    def answer(self, comparison_id: int, question: str, text: str) -> None:
        row = self._session.exec(
            select(SideBySideAnswerRow).where(
                SideBySideAnswerRow.side_by_side_id == comparison_id, SideBySideAnswerRow.question == question
            )
        ).first()
        if row is None:
            row = SideBySideAnswerRow(side_by_side_id=comparison_id, question=question)
            self._session.add(row)
        row.text, row.saved_at = text, now()
        self._session.flush()

    def reveal(self, comparison_id: int) -> None:
        row = self._row(comparison_id)
        row.revealed_at = row.revealed_at or now()

    def _row(self, comparison_id: int) -> SideBySideRow:
        row = self._session.get(SideBySideRow, comparison_id)
        if row is None:
            raise NotFoundError("This comparison is no longer there.", "Reload the page.")
        return row

    def _comparison(self, row: SideBySideRow, person: ContributorRow) -> Comparison:
        answers = self._session.exec(
            select(SideBySideAnswerRow).where(SideBySideAnswerRow.side_by_side_id == int(row.id or 0))
        )
        return Comparison(
            int(row.id or 0),
            person.name,
            row.people_are_a,
            tuple(row.people),
            tuple(row.llms),
            {answer.question: answer.text for answer in answers},
            row.revealed_at,
            not self._wrote_before(row),
        )

    def _wrote_before(self, row: SideBySideRow) -> bool:
        """Whether the expert had written on the dimension by then, wherever that was moved since."""
        found = select(AttributeRow.id).where(
            AttributeRow.contributor_id == row.contributor_id,
            written_about == row.dimension_id,
            col(AttributeRow.created_at) <= row.created_at,
        )
        return self._session.exec(found.limit(1)).first() is not None
