"""People and their part in projects."""

from sqlalchemy import update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from app.domain.name import quoted
from app.domain.people.actor import Actor, Membership, Role
from app.domain.people.person import Person, ProjectMember
from app.errors import ConflictError, NotFoundError
from db.models import JobRow, MembershipRow, ModelCallRow, PersonRow
from db.models.columns import now


class People:
    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, issuer: str, subject: str, name: str, owner: bool = False) -> Person:
        row = PersonRow(issuer=issuer, subject=subject, name=name, owner=owner)
        self._session.add(row)
        self._session.flush()
        return _person(row)

    def find(self, issuer: str, subject: str) -> Person | None:
        query = select(PersonRow).where(PersonRow.issuer == issuer, PersonRow.subject == subject)
        row = self._session.exec(query).first()
        return _person(row) if row else None

    def ensure(self, issuer: str, subject: str, name: str) -> Person:
        """The one who is known by this subject, from now on if not yet; where two meet somebody at once, one adds."""
        if found := self.find(issuer, subject):
            return found
        try:
            with self._session.begin_nested():
                return self.add(issuer, subject, name)
        except IntegrityError:
            found = self.find(issuer, subject)
            assert found is not None
            return found

    def get(self, person_id: int) -> Person:
        return _person(self._row(person_id))

    def owners(self) -> list[Person]:
        rows = self._session.exec(select(PersonRow).where(PersonRow.owner).order_by(col(PersonRow.id)))
        return [_person(row) for row in rows]

    def actor(self, person_id: int) -> Actor:
        """The person with their part in each project, as it is now."""
        row = self._row(person_id)
        rows = self._session.exec(select(MembershipRow).where(MembershipRow.person_id == person_id))
        memberships = {each.project_id: Membership(Role(each.role), each.name) for each in rows}
        return Actor(person_id, row.name, row.owner, memberships)

    def find_actor(self, person_id: int) -> Actor | None:
        """None for somebody who is no longer there."""
        return self.actor(person_id) if self._session.get(PersonRow, person_id) else None

    def join(self, person_id: int, project_id: int, role: Role, name: str) -> None:
        """Give a person a part in a project, or another role. Raises ConflictError where another has the name there."""
        there = self.member(project_id, name)
        if there is not None and there.person.id != person_id:
            raise ConflictError(f"Somebody else is called {quoted(name)} in this project.", "Choose another name.")
        row = self._membership(person_id, project_id)
        if row is None:
            row = MembershipRow(person_id=person_id, project_id=project_id, role=role.value, name=name)
            self._session.add(row)
        row.role, row.name = role.value, name
        self._session.flush()

    def leave(self, person_id: int, project_id: int) -> None:
        row = self._membership(person_id, project_id)
        if row is not None:
            self._session.delete(row)
            self._session.flush()

    def forget(self, person_id: int) -> None:
        """Nobody knows them any more; what they did stays, under the name that it has."""
        self._session.delete(self._row(person_id))
        self._session.flush()

    def become(self, person_id: int, other_id: int) -> None:
        """All parts of the first, an owner's too, are the other's from now on, with what they spent and what goes on
        for them, and the first is gone."""
        if person_id == other_id:
            return
        first, other = self._row(person_id), self._row(other_id)
        other.owner = other.owner or first.owner
        query = select(MembershipRow).where(MembershipRow.person_id == person_id)
        for row in self._session.exec(query).all():
            if self._membership(other_id, row.project_id) is None:
                row.person_id = other_id
        self._session.flush()
        for table in (ModelCallRow, JobRow):
            theirs = update(table).where(col(table.person_id) == person_id)
            self._session.execute(theirs.values(person_id=other_id))
        self._session.delete(first)
        self._session.flush()

    def members(self, project_id: int) -> list[ProjectMember]:
        """In the order they joined."""
        rows = self._session.exec(
            select(MembershipRow, PersonRow)
            .join(PersonRow, col(PersonRow.id) == MembershipRow.person_id)
            .where(MembershipRow.project_id == project_id)
            .order_by(col(MembershipRow.id))
        )
        return [
            ProjectMember(_person(person), project_id, Role(row.role), row.name, row.created_at) for row, person in rows
        ]

    def member(self, project_id: int, name: str) -> ProjectMember | None:
        return next((each for each in self.members(project_id) if each.name == name), None)

    def note_seen(self, person_id: int) -> None:
        self._row(person_id).seen_at = now()
        self._session.flush()

    def _row(self, person_id: int) -> PersonRow:
        row = self._session.get(PersonRow, person_id)
        if row is None:
            raise NotFoundError("This person is no longer there.", "Reload the page.")
        return row

    def _membership(self, person_id: int, project_id: int) -> MembershipRow | None:
        query = select(MembershipRow).where(
            MembershipRow.person_id == person_id, MembershipRow.project_id == project_id
        )
        return self._session.exec(query).first()


def _person(row: PersonRow) -> Person:
    assert row.id is not None
    return Person(row.id, row.issuer, row.subject, row.name, row.owner, row.seen_at)
