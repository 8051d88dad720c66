"""What is whose to do: the dimensions that experts were given, and who answers which drawn text."""

from collections.abc import Collection, Mapping

from sqlmodel import Session, col, delete, select

from db.models import AnswerShareRow, AssignmentRow, ContributorRow, DimensionRow


class Assignments:
    """Experts by the names they have in their project."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def given(self, project_id: int) -> dict[str, frozenset[int]]:
        """Expert -> the ids of the dimensions they were given; who isn't named here has them all."""
        found: dict[str, set[int]] = {}
        rows = self._session.exec(
            select(ContributorRow.name, AssignmentRow.dimension_id)
            .join(ContributorRow, col(ContributorRow.id) == AssignmentRow.contributor_id)
            .where(ContributorRow.project_id == project_id)
        )
        for name, dimension in rows:
            found.setdefault(name, set()).add(dimension)
        return {name: frozenset(dimensions) for name, dimensions in found.items()}

    def was_given(self, dimension_id: int, name: str) -> bool:
        """Whether this very dimension was given to this expert; False where all are theirs."""
        return dimension_id in self.given(self._project(dimension_id)).get(name, frozenset())

    def is_theirs(self, dimension_id: int, name: str) -> bool:
        """Whether they were given the dimension, or nothing in particular."""
        theirs = self.given(self._project(dimension_id)).get(name)
        return theirs is None or dimension_id in theirs

    def give(self, contributor_id: int, dimension_ids: Collection[int]) -> None:
        """These in place of what they were given before; none for all."""
        self._session.exec(delete(AssignmentRow).where(col(AssignmentRow.contributor_id) == contributor_id))
        for dimension in dimension_ids:
            self._session.add(AssignmentRow(contributor_id=contributor_id, dimension_id=dimension))
        self._session.flush()

    def overlap(self, dimension_id: int) -> int:
        """How many experts answer each drawn text; 0 for everybody."""
        return self._session.get_one(DimensionRow, dimension_id).overlap

    def set_overlap(self, dimension_id: int, experts: int) -> None:
        self._session.get_one(DimensionRow, dimension_id).overlap = experts
        self._session.flush()

    def shares(self, draw_id: int) -> dict[int, frozenset[str]]:
        """Text id -> whom it was given to; {} where everybody answers every text."""
        found: dict[int, set[str]] = {}
        rows = self._session.exec(
            select(AnswerShareRow.text_id, ContributorRow.name)
            .join(ContributorRow, col(ContributorRow.id) == AnswerShareRow.contributor_id)
            .where(AnswerShareRow.draw_id == draw_id)
        )
        for text, name in rows:
            found.setdefault(text, set()).add(name)
        return {text: frozenset(names) for text, names in found.items()}

    def share(self, draw_id: int, shares: Mapping[int, Collection[str]], contributors: Mapping[str, int]) -> None:
        """Whom each of these texts is given to from now on; {} leaves all as they are.

        contributors: the id of each who is named.
        """
        texts = list(shares)
        of_these = col(AnswerShareRow.text_id).in_(texts)
        self._session.exec(delete(AnswerShareRow).where(col(AnswerShareRow.draw_id) == draw_id, of_these))
        self._session.add_all(
            AnswerShareRow(draw_id=draw_id, text_id=text, contributor_id=contributors[name])
            for text in texts
            for name in sorted(shares[text])
        )
        self._session.flush()

    def share_no_more(self, draw_id: int) -> None:
        """Everybody answers every text again."""
        self._session.exec(delete(AnswerShareRow).where(col(AnswerShareRow.draw_id) == draw_id))

    def _project(self, dimension_id: int) -> int:
        return self._session.get_one(DimensionRow, dimension_id).project_id
