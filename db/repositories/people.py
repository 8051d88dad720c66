"""People, their memberships, where things belong, names and assignments."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import JSON, ColumnElement, String, Table, Text, and_, bindparam, cast, or_, update
from sqlalchemy import select as sql_select
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, SQLModel, col, delete, select

from app.domain.attribute import ContributorKind
from app.domain.checklist import ChecklistStatus
from app.domain.condition import renamed
from app.domain.people import Person, ProjectMember, is_said_in, replace_name_in_json, replace_name_in_text
from app.domain.roles_and_rights import Actor, Membership, ResourceLocation, Role
from app.domain.storable_text import quoted
from app.errors import ConflictError, NotFoundError
from db.models.checklist import (
    AnswerShareRow,
    AssignmentRow,
    BuildRow,
    ChecklistRow,
    ComponentRow,
    DecisionRow,
    ImprovementRow,
    ProposalRow,
    QuestionCommentRow,
    QuestionRow,
    RoomRow,
    SideBySideRow,
)
from db.models.columns import FieldText, now
from db.models.people import ApiTokenRow, AuditLogRow, MembershipRow, PersonRow
from db.models.project import DimensionRow, JobRow, ProjectRow, TextRow
from db.models.run import ModelCallRow, ScoringRunRow
from db.models.think_aloud import AttributeRow, ContributorRow, ProposedAttributeRow, TranscriptRow
from db.project_rows import PEOPLE, of_project, tables
from db.repositories.repository import Query, Repository, rows_of, table_of, value_of

_NO_SUCH_PERSON = "This person is no longer there."
# Built once, as `_place_query` is: every use case asks.
_PERSON, _MEMBERSHIP = table_of(PersonRow), table_of(MembershipRow)
_ACTOR = (
    sql_select(_PERSON.c.name, _PERSON.c.owner, _MEMBERSHIP.c.project_id, _MEMBERSHIP.c.role, _MEMBERSHIP.c.name)
    .join_from(_PERSON, _MEMBERSHIP, _MEMBERSHIP.c.person_id == _PERSON.c.id, isouter=True)
    .where(_PERSON.c.id == bindparam("person"))
)

_ID_OF_PROJECT = sql_select(table_of(ProjectRow).c.id).where(table_of(ProjectRow).c.name == bindparam("name"))


class People(Repository):
    def add(self, issuer: str, subject: str, name: str, owner: bool = False) -> Person:
        row = PersonRow(issuer=issuer, subject=subject, name=name, owner=owner)
        self._add(row)
        return _person(row)

    def find(self, issuer: str, subject: str) -> Person | None:
        query = select(PersonRow).where(PersonRow.issuer == issuer, PersonRow.subject == subject)
        row = self._session.exec(query).first()
        return _person(row) if row else None

    def ensure(self, issuer: str, subject: str, name: str) -> Person:
        """Return the person with this subject, added if new; if two processes add the same person, one does."""
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
        """Return the person with their present role in each project."""
        found = self.find_actor(person_id)
        if found is None:
            raise NotFoundError(_NO_SUCH_PERSON, "Reload the page.")
        return found

    def find_actor(self, person_id: int) -> Actor | None:
        """Return the person as `actor`; None if deleted. One query, since every use case asks."""
        rows = rows_of(self._session, _ACTOR, person=person_id)
        if not rows:
            return None
        name, owner = rows[0][:2]
        parts = {project: Membership(Role(role), own) for _, _, project, role, own in rows if project is not None}
        return Actor(person_id, name, owner, parts)

    def join(self, person_id: int, project_id: int, role: Role, name: str) -> None:
        """Give a person a role in a project, or another role. Raises ConflictError if somebody else has the name
        there."""
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
        """Delete the person; what they did stays, under the name that it has."""
        self._session.delete(self._row(person_id))
        self._session.flush()

    def merge_into(self, person_id: int, other_id: int) -> None:
        """Transfer the first person's memberships, ownership, spending and running jobs to the other, and delete the
        first."""
        if person_id == other_id:
            return
        first, other = self._row(person_id), self._row(other_id)
        other.owner = other.owner or first.owner
        query = select(MembershipRow).where(MembershipRow.person_id == person_id)
        for row in self._session.exec(query).all():
            if self._membership(other_id, row.project_id) is None:
                row.person_id = other_id
        self._session.flush()
        for table in (ModelCallRow, JobRow, ApiTokenRow):
            theirs = update(table).where(col(table.person_id) == person_id)
            self._session.execute(theirs.values(person_id=other_id))
        self._session.delete(first)
        self._session.flush()

    def members(self, project_id: int) -> list[ProjectMember]:
        """Return the members in the order they joined."""
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
        return self._found(PersonRow, person_id, _NO_SUCH_PERSON)

    def _membership(self, person_id: int, project_id: int) -> MembershipRow | None:
        query = select(MembershipRow).where(
            MembershipRow.person_id == person_id, MembershipRow.project_id == project_id
        )
        return self._session.exec(query).first()


def _person(row: PersonRow) -> Person:
    return value_of(Person, row)


_PARENTS: Mapping[str, tuple[type[SQLModel], str, str]] = {
    "attribute": (AttributeRow, "dimension_id", "dimension"),
    "build": (BuildRow, "dimension_id", "dimension"),
    "checklist": (ChecklistRow, "dimension_id", "dimension"),
    "comment": (QuestionCommentRow, "question_id", "question"),
    "comparison": (SideBySideRow, "dimension_id", "dimension"),
    "component": (ComponentRow, "checklist_id", "checklist"),
    "decision": (DecisionRow, "question_id", "question"),
    "dimension": (DimensionRow, "project_id", "project"),
    "improvement": (ImprovementRow, "question_id", "question"),
    "proposal": (ProposalRow, "checklist_id", "checklist"),
    "proposed attribute": (ProposedAttributeRow, "transcript_id", "transcript"),
    "question": (QuestionRow, "checklist_id", "checklist"),
    "room": (RoomRow, "question_id", "question"),
    "run": (ScoringRunRow, "project_id", "project"),
    "text": (TextRow, "project_id", "project"),
    "transcript": (TranscriptRow, "dimension_id", "dimension"),
}
"""Kind of thing -> its table, the column that refers to its parent, and the parent's kind."""

_LOOKED_AT = ("contributor_id", "status")
_NO_PERSON = "\0"
"""Author of what an LLM wrote: no person has this name, whatever the LLM is called."""


class _AncestorSearch(NamedTuple):
    """A row on the way up to its project, with what was found below."""

    id: int
    dimension: int | None = None
    author: str = ""
    draft: bool = False


@cache
def _place_query(model: type[SQLModel], parent: str) -> Query:
    """Return the query for the rows with these `ids`, with the columns that `ResourceLocations` reads."""
    columns = table_of(model).c
    wanted = [columns[name] for name in dict.fromkeys(("id", parent, *_LOOKED_AT)) if name in columns]
    return sql_select(*wanted).where(columns["id"].in_(bindparam("ids", expanding=True)))


class ResourceLocations(Repository):
    def of(self, kind: str, ids: Iterable[int]) -> set[ResourceLocation]:
        """Return the places of these things. Raises NotFoundError if one of them doesn't exist."""
        found = {_AncestorSearch(one) for one in ids}
        if kind == "project":  # what is part of another has it: foreign keys see to that
            self._rows(ProjectRow, {each.id for each in found})
        while kind != "project":
            model, column, parent = _PARENTS[kind]
            rows = self._rows(model, {each.id for each in found}, column)
            found = {self._above(each, kind, rows[each.id], column) for each in found}
            kind = parent
        return {ResourceLocation(each.id, each.dimension, each.author, each.draft) for each in found}

    def _above(self, below: _AncestorSearch, kind: str, row: Any, column: str) -> _AncestorSearch:
        return _AncestorSearch(
            getattr(row, column),
            below.id if kind == "dimension" else below.dimension,
            below.author or self._author(row),
            below.draft or kind == "build" or (kind == "checklist" and row.status == ChecklistStatus.DRAFT.value),
        )

    def named(self, project: str) -> set[ResourceLocation]:
        """Return the place of the project of this name; none where there is no such project."""
        return {ResourceLocation(row.id) for row in rows_of(self._session, _ID_OF_PROJECT, name=project)}

    def _rows(self, model: type[SQLModel], ids: set[int], parent: str = "id") -> dict[int, Any]:
        """Return the rows with the columns that `_above` reads. Raises NotFoundError if one is missing."""
        found = {row.id: row for row in rows_of(self._session, _place_query(model, parent), ids=list(ids))}
        if found.keys() != ids:
            raise NotFoundError("This is no longer there.", "Go to Overview and open it from there.")
        return found

    def _author(self, row: Any) -> str:
        contributor = getattr(row, "contributor_id", None)
        if contributor is None:
            return ""
        found = self._session.get_one(ContributorRow, contributor)
        return found.name if found.kind == ContributorKind.HUMAN.value else _NO_PERSON


Put = Callable[[Any, str, str], Any]
"""(present value, name, pseudonym) -> new value."""


def replace_whole_name(value: str, name: str, pseudonym: str) -> str:
    return pseudonym if value == name else value


def replace_name_in_build(state: dict[str, Any], name: str, pseudonym: str) -> dict[str, Any]:
    return {**state, "condition": renamed(state["condition"], name, pseudonym)}


PLACES: Mapping[tuple[str, str], Put] = {
    ("anchor_set", "frozen_by"): replace_whole_name,
    ("attribute", "reworded_by"): replace_whole_name,
    ("build", "condition"): renamed,
    ("build_revision", "state"): replace_name_in_build,
    ("build_revision", "who"): replace_whole_name,
    ("checklist", "condition"): renamed,
    ("checklist_change", "who"): replace_whole_name,
    ("contributor", "name"): replace_whole_name,
    ("decision", "decided_by"): replace_whole_name,
    ("decision", "undone_by"): replace_whole_name,
    ("invitation", "made_by"): replace_whole_name,
    ("locked_look", "who"): replace_whole_name,
    ("locked_split", "locked_by"): replace_whole_name,
    ("locked_split", "opened_by"): replace_whole_name,
    ("membership", "name"): replace_whole_name,
    ("pair_draw", "drawn_by"): replace_whole_name,
    ("preference", "rater"): replace_whole_name,
    ("question_comment", "who"): replace_whole_name,
    ("question_improvement", "decided_by"): replace_whole_name,
    ("question_improvement", "made_by"): replace_whole_name,
    ("question_proposal", "decided_by"): replace_whole_name,
    ("rating", "rater"): replace_whole_name,
    ("room", "closed_by"): replace_whole_name,
    ("room", "opened_by"): replace_whole_name,
    ("scoring_run", "params"): replace_name_in_json,
    ("trail", "about"): replace_name_in_text,
    ("trail", "who"): replace_whole_name,
}
"""Table and column -> how a name is replaced there. A person's own row, and jobs, don't belong to a project."""


_TABLES = SQLModel.metadata.tables
_TRAIL, _JOBS = table_of(AuditLogRow), table_of(JobRow)
_DATA = frozenset({"text", "rating"})  # what is judged is as it came: names in it are nobody's here


class PersonNames:
    def __init__(self, session: Session) -> None:
        self._connection = session.connection()

    def taken(self, project_id: int) -> set[str]:
        """Return every name in the project that stands alone in a field: of people, LLMs and raters."""
        found: set[str] = set()
        for (table_name, column), put in PLACES.items():
            if put is replace_whole_name:
                table = _TABLES[table_name]
                query = sql_select(table.c[column]).where(_within(table, project_id)).distinct()
                found |= set(self._connection.scalars(query))
        return found - {""}

    def bearers(self, project_id: int, name: str) -> list[int]:
        """Return the ids of people who have, or had, this name in the project."""
        part = sql_select(_MEMBERSHIP.c.person_id).where(
            _MEMBERSHIP.c.project_id == project_id, _MEMBERSHIP.c.name == name
        )
        acted = sql_select(_TRAIL.c.person_id).where(_TRAIL.c.project_id == project_id, _TRAIL.c.who == name)
        asked = _TABLES["invitation"].c
        invited = sql_select(asked.person_id).where(asked.project_id == project_id)
        called = and_(_PERSON.c.id.in_(invited), _PERSON.c.name == name)
        known = or_(_PERSON.c.id.in_(part), _PERSON.c.id.in_(acted), called)
        return list(self._connection.scalars(sql_select(_PERSON.c.id).where(known).order_by(_PERSON.c.id)))

    def replace(self, project_id: int, name: str, pseudonym: str) -> int:
        """Replace a name everywhere in the project; return the number of places."""
        return sum(
            self._replace(_TABLES[table], column, _within(_TABLES[table], project_id), name, pseudonym)
            for table, column in PLACES
        )

    def replace_acts(self, project_id: int, person_id: int, pseudonym: str) -> None:
        """Replace the person's names in the project's audit log, whatever they were called then."""
        theirs = and_(_TRAIL.c.project_id == project_id, _TRAIL.c.person_id == person_id)
        self._connection.execute(update(_TRAIL).where(theirs).values(who=pseudonym))

    def replace_person(self, person_id: int, name: str, pseudonym: str) -> None:
        """Replace the name that the server has for them, also in its audit log and that of deleted projects."""
        self._connection.execute(update(_PERSON).where(_PERSON.c.id == person_id).values(name=pseudonym))
        theirs = and_(_TRAIL.c.project_id.is_(None), _TRAIL.c.person_id == person_id)
        self._connection.execute(update(_TRAIL).where(theirs).values(who=pseudonym))
        self._replace(_TRAIL, "about", theirs, name, pseudonym)

    def job_under_way(self, name: str) -> str:
        """Return the title of a job that will write the name when it is over; "" for none."""
        jobs = self._connection.execute(sql_select(_JOBS.c.params, _JOBS.c.title).where(_JOBS.c.ended_at.is_(None)))
        return next((title for params, title in jobs if replace_name_in_json(params, name, "") != params), "")

    def replace_in_jobs(self, name: str, pseudonym: str) -> None:
        """Replace the name in the jobs of all projects: they are no record."""
        for id_, params in self._connection.execute(sql_select(_JOBS.c.id, _JOBS.c.params)).all():
            if (new := replace_name_in_json(params, name, pseudonym)) != params:
                self._connection.execute(update(_JOBS).where(_JOBS.c.id == id_).values(params=new))

    def mentions(self, project_id: int, name: str) -> Counter[str]:
        """Return table -> how many of its rows still contain the name among other words that somebody wrote."""
        found: Counter[str] = Counter()
        for table in tables():
            columns = [column for column in table.c if isinstance(column.type, String | FieldText | JSON)]
            if not columns or table.name in _DATA | PEOPLE:
                continue
            written = {name, json.dumps(name)[1:-1]}  # JSON is stored with or without its characters spelt out
            holds = [cast(one, Text).contains(form, autoescape=True) for one in columns for form in written]
            rows = self._connection.execute(sql_select(*columns).where(of_project(table, project_id), or_(*holds)))
            if count := sum(any(is_said_in(_plain(value), name) for value in row) for row in rows):
                found[table.name] = count
        return found

    def _replace(self, table: Table, column: str, which: ColumnElement[bool], name: str, pseudonym: str) -> int:
        put, place, changed = PLACES[table.name, column], table.c[column], 0
        if put is replace_whole_name:
            query = update(table).where(which, place == name)
            return self._connection.execute(query.values({column: pseudonym})).rowcount
        for id_, value in self._connection.execute(sql_select(table.c.id, place).where(which)).all():
            if (new := put(value, name, pseudonym)) != value:
                self._connection.execute(update(table).where(table.c.id == id_).values({column: new}))
                changed += 1
        return changed


def _within(table: Table, project_id: int) -> ColumnElement[bool]:
    return table.c.project_id == project_id if table.name in PEOPLE else of_project(table, project_id)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class Assignments(Repository):
    """Assignments of experts, by their names in the project."""

    def given(self, project_id: int) -> dict[str, frozenset[int]]:
        """Return expert -> the ids of their assigned dimensions; experts not in it have all."""
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
        """Return whether this dimension was assigned to this expert; False for an expert without assignments."""
        return dimension_id in self.given(self._project(dimension_id)).get(name, frozenset())

    def is_assigned(self, dimension_id: int, name: str) -> bool:
        """Return whether the dimension is assigned to them, or they have no assignments."""
        theirs = self.given(self._project(dimension_id)).get(name)
        return theirs is None or dimension_id in theirs

    def assign_dimensions(self, contributor_id: int, dimension_ids: Collection[int]) -> None:
        """Assign these dimensions in place of earlier ones; none for all."""
        self._session.exec(delete(AssignmentRow).where(col(AssignmentRow.contributor_id) == contributor_id))
        for dimension in dimension_ids:
            self._session.add(AssignmentRow(contributor_id=contributor_id, dimension_id=dimension))
        self._session.flush()

    def overlap(self, dimension_id: int) -> int:
        """Return how many experts answer each drawn text; 0 for everybody."""
        return self._session.get_one(DimensionRow, dimension_id).overlap

    def set_overlap(self, dimension_id: int, experts: int) -> None:
        self._session.get_one(DimensionRow, dimension_id).overlap = experts
        self._session.flush()

    def shares(self, draw_id: int) -> dict[int, frozenset[str]]:
        """Return text id -> its assigned experts; {} if everybody answers every text."""
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
        """Assign each of these texts to these experts; {} changes nothing.

        contributors: name -> id.
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

    def remove_shares(self, draw_id: int) -> None:
        """Remove the assignments: everybody answers every text again."""
        self._session.exec(delete(AnswerShareRow).where(col(AnswerShareRow.draw_id) == draw_id))

    def _project(self, dimension_id: int) -> int:
        return self._session.get_one(DimensionRow, dimension_id).project_id
