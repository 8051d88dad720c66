"""Names: where those of people stand in a project, and a pseudonym in their place."""

import json
from collections import Counter
from typing import Any

from sqlalchemy import JSON, ColumnElement, String, Table, Text, and_, cast, or_, update
from sqlalchemy import select as sql_select
from sqlmodel import Session, SQLModel

from app.domain.people.pseudonym import is_said_in, put_in_values
from db.models import JobRow, MembershipRow, PersonRow, TrailRow
from db.models.columns import FieldText
from db.project_rows import PEOPLE, of_project, tables
from db.written_names import PLACES, put_alone

_TABLES = SQLModel.metadata.tables
_TRAIL, _PEOPLE = _TABLES[TrailRow.__tablename__], _TABLES[PersonRow.__tablename__]
_PARTS, _JOBS = _TABLES[MembershipRow.__tablename__], _TABLES[JobRow.__tablename__]
_DATA = frozenset({"text", "rating"})  # what is judged is as it came: names in it are nobody's here


class PersonNames:
    def __init__(self, session: Session) -> None:
        self._connection = session.connection()

    def taken(self, project_id: int) -> set[str]:
        """Every name that stands alone in the project: of people, LLMs and raters."""
        found: set[str] = set()
        for (table_name, column), put in PLACES.items():
            if put is put_alone:
                table = _TABLES[table_name]
                query = sql_select(table.c[column]).where(_within(table, project_id)).distinct()
                found |= set(self._connection.scalars(query))
        return found - {""}

    def bearers(self, project_id: int, name: str) -> list[int]:
        """The ids of those who are, or were, called so in the project."""
        part = sql_select(_PARTS.c.person_id).where(_PARTS.c.project_id == project_id, _PARTS.c.name == name)
        acted = sql_select(_TRAIL.c.person_id).where(_TRAIL.c.project_id == project_id, _TRAIL.c.who == name)
        asked = _TABLES["invitation"].c
        invited = sql_select(asked.person_id).where(asked.project_id == project_id)
        called = and_(_PEOPLE.c.id.in_(invited), _PEOPLE.c.name == name)
        known = or_(_PEOPLE.c.id.in_(part), _PEOPLE.c.id.in_(acted), called)
        return list(self._connection.scalars(sql_select(_PEOPLE.c.id).where(known).order_by(_PEOPLE.c.id)))

    def replace(self, project_id: int, name: str, pseudonym: str) -> int:
        """In all places of the project; returns in how many."""
        return sum(
            self._replace(_TABLES[table], column, _within(_TABLES[table], project_id), name, pseudonym)
            for table, column in PLACES
        )

    def replace_acts(self, project_id: int, person_id: int, pseudonym: str) -> None:
        """Who did what this person did in the project, whatever they were called then."""
        theirs = and_(_TRAIL.c.project_id == project_id, _TRAIL.c.person_id == person_id)
        self._connection.execute(update(_TRAIL).where(theirs).values(who=pseudonym))

    def replace_person(self, person_id: int, name: str, pseudonym: str) -> None:
        """What the server itself calls them, and in what they did there or in projects that are gone."""
        self._connection.execute(update(_PEOPLE).where(_PEOPLE.c.id == person_id).values(name=pseudonym))
        theirs = and_(_TRAIL.c.project_id.is_(None), _TRAIL.c.person_id == person_id)
        self._connection.execute(update(_TRAIL).where(theirs).values(who=pseudonym))
        self._replace(_TRAIL, "about", theirs, name, pseudonym)

    def job_under_way(self, name: str) -> str:
        """The title of a job that will write the name when it is over; "" for none."""
        jobs = self._connection.execute(sql_select(_JOBS.c.params, _JOBS.c.title).where(_JOBS.c.ended_at.is_(None)))
        return next((title for params, title in jobs if put_in_values(params, name, "") != params), "")

    def replace_in_jobs(self, name: str, pseudonym: str) -> None:
        """Those that are over are no record, and of whichever project: the name goes from all."""
        for id_, params in self._connection.execute(sql_select(_JOBS.c.id, _JOBS.c.params)).all():
            if (new := put_in_values(params, name, pseudonym)) != params:
                self._connection.execute(update(_JOBS).where(_JOBS.c.id == id_).values(params=new))

    def mentions(self, project_id: int, name: str) -> Counter[str]:
        """Table -> how many of its rows still hold the name among other words, as somebody wrote it."""
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
        if put is put_alone:
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
