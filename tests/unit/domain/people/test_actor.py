"""What each role may, and how long a link waits."""

from datetime import UTC, datetime, timedelta

import pytest

from app.domain.people import Invitation, LinkState
from app.domain.roles_and_rights import LOCAL_OWNER, NOBODY, RIGHTS, Actor, Membership, Right, Role

HERE, THERE = 1, 2
MAKING = datetime(2026, 11, 1, tzinfo=UTC)


def actor(role: Role) -> Actor:
    return Actor(5, "Ana Silva", memberships={HERE: Membership(role, "Ana")})


def test_only_facilitators_run_a_project_and_no_role_runs_the_server() -> None:
    assert [role for role in Role if Right.FACILITATE in RIGHTS[role]] == [Role.FACILITATOR]
    assert [role for role in Role if Right.SERVE in RIGHTS[role]] == []
    assert not RIGHTS[Role.READER] & {Right.TAKE_PART, Right.EDIT}
    assert Right.READ not in RIGHTS[Role.EXPERT]


@pytest.mark.parametrize("role", list(Role))
def test_a_right_is_one_of_a_project(role: Role) -> None:
    assert actor(role).has(Right.SEE, HERE)
    assert not any(actor(role).has(right, THERE) for right in Right if right is not Right.ARRIVE)


def test_what_no_project_decides_takes_the_role_in_any() -> None:
    assert [role for role in Role if actor(role).has(Right.SET_UP, None)] == [Role.FACILITATOR]
    assert Actor(5, "Sue").has(Right.ENTER, None)
    assert not NOBODY.has(Right.ENTER, None)
    assert NOBODY.has(Right.ARRIVE, None)


def test_the_owner_may_everything_everywhere() -> None:
    for owner in (LOCAL_OWNER, Actor(1, "Olga", owner=True)):
        assert all(owner.has(right, project) for right in Right for project in (None, HERE, THERE))


def test_a_person_has_a_name_in_each_project() -> None:
    assert (actor(Role.EXPERT).name_in(HERE), actor(Role.EXPERT).name_in(THERE)) == ("Ana", "Ana Silva")


def test_a_link_waits_until_its_time_is_over_and_says_what_became_of_it() -> None:
    until = MAKING + timedelta(days=14)
    link = Invitation(1, 5, "Ana", HERE, "Fay", MAKING, until)
    assert link.state(until - timedelta(seconds=1)) is LinkState.OPEN
    assert link.state(until) is LinkState.EXPIRED
    used = Invitation(1, 5, "Ana", HERE, "Fay", MAKING, until, used_at=MAKING)
    assert used.state(until) is LinkState.USED
    taken = Invitation(1, 5, "Ana", HERE, "Fay", MAKING, until, used_at=MAKING, revoked_at=MAKING)
    assert taken.state(MAKING) is LinkState.REVOKED
