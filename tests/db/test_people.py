"""People, links and sign-ins, on both databases."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from app.domain.job import NewJob
from app.domain.model_call import RecordedCall
from app.domain.project import Task
from app.domain.roles_and_rights import Membership, Role
from app.errors import ConflictError, NotFoundError
from db.repositories.people import _PARENTS
from db.unit_of_work import Database

SOON = datetime.now(UTC) + timedelta(days=1)


def test_a_person_has_one_part_in_a_project_and_a_project_one_person_of_a_name(database: Database) -> None:
    with database.write() as work:
        project = work.projects.add("P", Task()).id
        ana, ben = work.people.add("invite", "1", "Ana"), work.people.add("invite", "2", "Ben")
        work.people.join(ana.id, project, Role.EXPERT, "Ana")
        work.people.join(ana.id, project, Role.READER, "Ana B.")
        assert work.people.actor(ana.id).memberships == {project: Membership(Role.READER, "Ana B.")}
        with pytest.raises(ConflictError, match="Somebody else is called “Ana B"):
            work.people.join(ben.id, project, Role.EXPERT, "Ana B.")
        work.people.leave(ana.id, project)
        assert work.people.members(project) == []


def test_a_link_is_used_once(database: Database) -> None:
    with database.write() as work:
        ana = work.people.add("invite", "1", "Ana")
        link = work.invitations.add(ana.id, None, "h1", "Fay", SOON)
        assert (work.invitations.use(link.id), work.invitations.use(link.id)) == (True, False)
        found = work.invitations.find("h1")
        assert found is not None
        assert found.used_at is not None
        assert work.invitations.find("h2") is None


def test_whoever_turns_out_to_be_known_brings_their_projects(database: Database) -> None:
    with database.write() as work:
        first, second = work.projects.add("A", Task()).id, work.projects.add("B", Task()).id
        ana, again = work.people.add("invite", "1", "Ana"), work.people.add("invite", "2", "Ana")
        work.people.join(ana.id, first, Role.EXPERT, "Ana")
        work.people.join(again.id, second, Role.READER, "Ana")
        work.people.merge_into(again.id, ana.id)
        assert work.people.actor(ana.id).memberships.keys() == {first, second}
        with pytest.raises(NotFoundError):
            work.people.get(again.id)


def test_somebody_whom_two_requests_meet_at_once_is_kept_once(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.write() as work:
        ana = work.people.ensure("proxy", "ana", "Ana")
    with database.write() as work:
        seen = iter([None, ana])  # the other one added her after this one had looked
        monkeypatch.setattr(work.people, "find", lambda *_: next(seen))
        assert work.people.ensure("proxy", "ana", "Ana") == ana
        ben = work.people.add("proxy", "ben", "Ben")
    with database.read() as work:
        assert work.people.get(ben.id).name == "Ben"


def test_a_deleted_project_takes_the_parts_in_it_along(database: Database) -> None:
    with database.write() as work:
        project = work.projects.add("P", Task()).id
        ana = work.people.add("invite", "1", "Ana")
        work.people.join(ana.id, project, Role.EXPERT, "Ana")
        work.invitations.add(ana.id, project, "h", "Fay", SOON)
        work.projects.delete(project)
    with database.read() as work:
        assert work.people.actor(ana.id).memberships == {}
        assert work.invitations.find("h") is None


def test_a_sign_in_ends_by_time_and_by_hand(database: Database) -> None:
    with database.write() as work:
        ana = work.people.add("invite", "1", "Ana")
        work.sign_ins.begin(ana.id, "past", datetime.now(UTC) - timedelta(seconds=1))
        work.sign_ins.begin(ana.id, "one", SOON)
        work.sign_ins.begin(ana.id, "two", SOON)
        assert [work.sign_ins.person(each) for each in ("past", "one", "none")] == [None, ana.id, None]
        work.sign_ins.end("one")
        assert [work.sign_ins.person(each) for each in ("one", "two")] == [None, ana.id]
        work.sign_ins.end_all(ana.id)
        assert work.sign_ins.person("two") is None


MONTH = datetime.now(UTC) - timedelta(days=1)


def test_what_a_person_spent_is_theirs_until_they_are_gone_and_goes_over_to_whom_they_turn_out_to_be(
    database: Database,
) -> None:
    with database.write() as work:
        project = work.projects.add("P", Task()).id
        ana, ben, again = (work.people.add("invite", one, one).id for one in ("Ana", "Ben", "Again"))
        paid = [
            RecordedCall(str(at), "openai:m", "p@1", "p", cost_usd=cost, project=project, person=person)
            for at, (person, cost) in enumerate([(ana, 1.0), (again, 2.0), (ben, 4.0), (None, 8.0), (ana, None)])
        ]
        work.calls.add(paid)
        assert [work.calls.spent_since(MONTH, person=one) for one in (ana, ben, again)] == [1.0, 4.0, 2.0]
        work.people.merge_into(again, ana)
        assert work.calls.spent_since(MONTH, person=ana) == 3.0
        work.calls.add([RecordedCall("late", "openai:m", "p@1", "p", cost_usd=16.0, project=project, person=again)])
        assert work.calls.spent_since(MONTH, person=ana) == 3.0
        assert work.calls.spent_since(MONTH, project=project) == 31.0
        found = work.calls.find("0")
        assert found is not None
        assert found.person == ana


def test_a_job_goes_on_for_whom_its_person_turns_out_to_be(database: Database) -> None:
    with database.write() as work:
        ana, again = work.people.add("invite", "1", "Ana"), work.people.add("invite", "2", "Ana")
        work.jobs.add(NewJob("k", "ScoringJob", {}, "Scoring", again.id), "")
        work.people.merge_into(again.id, ana.id)
        job = work.jobs.newest("k")
        assert job is not None
        assert job.person == ana.id


@pytest.mark.parametrize("kind", _PARENTS)
def test_parent_of_each_kind_of_thing_is_held_by_a_foreign_key(kind: str) -> None:
    """So `Places.of` needs not look whether the project at the end is there."""
    model, column, parent = _PARENTS[kind]
    above = "project" if parent == "project" else _PARENTS[parent][0].__tablename__
    held = model.metadata.tables[str(model.__tablename__)].c[column]
    assert ({str(key.column) for key in held.foreign_keys}, held.nullable) == ({f"{above}.id"}, False)


def test_a_tokens_money_is_set_aside_until_none_is_left(database: Database) -> None:
    with database.write() as work:
        project = work.projects.add("P", Task()).id
        token = work.api_tokens.add(project, None, "nightly", "h", SOON, 0.01).id
    with database.write() as one:
        assert one.api_tokens.set_aside(token, 0.006)
    with database.write() as other:
        assert not other.api_tokens.set_aside(token, 0.006)
        assert other.api_tokens.set_aside(token, 0.004)
        other.api_tokens.settle(token, 0.004, 0.001)
        assert other.api_tokens.get(token).left_usd == pytest.approx(0.003)
        other.api_tokens.revoke(token)
        assert not other.api_tokens.set_aside(token, 0.001)


def test_several_connections_set_no_more_aside_than_there_is(database: Database) -> None:
    with database.write() as work:
        project = work.projects.add("P", Task()).id
        token = work.api_tokens.add(project, None, "nightly", "h", SOON, 1.0).id

    def set_aside(_: int) -> bool:
        own = Database(database.address)
        try:
            with own.write() as work:
                return work.api_tokens.set_aside(token, 0.3)
        finally:
            own.close()

    with ThreadPoolExecutor(5) as threads:
        assert sum(threads.map(set_aside, range(5))) == 3
    with database.read() as work:
        assert work.api_tokens.get(token).spent_usd == pytest.approx(0.9)


def test_a_deleted_project_takes_its_tokens_along(database: Database) -> None:
    with database.write() as work:
        project = work.projects.add("P", Task()).id
        work.api_tokens.add(project, None, "nightly", "h", SOON, 1.0)
        work.projects.delete(project)
    with database.read() as work:
        assert work.api_tokens.find("h") is None
