"""Links that let people in: once, not for ever, and only whom they are for."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlmodel import select

from app.domain.attribute import ContributorKind
from app.domain.project import Task
from app.domain.roles_and_rights import NOBODY, Right, Role
from app.errors import ConflictError, InputError, NotAllowedError, NotFoundError
from app.services.data.projects import create_project, list_projects
from app.services.people.invitations import (
    accept_invitation,
    invite,
    invite_owner,
    members_of,
    offer_owner_link,
    owner_has_signed_in,
    read_invitation,
    revoke_access,
    used_invitation,
)
from app.services.people.sign_ins import actor_of_cookie, actor_of_proxy, end_sign_in, signed_cookie, token_in
from app.services.runtime.workbench import Workbench
from db.models.columns import now
from db.models.people import InvitationRow, SignInRow

PROJECT = 1


def came_in(bench: Workbench, name: str, role: Role = Role.EXPERT) -> str:
    """The cookie of somebody who was invited and opened their link."""
    return accept_invitation(bench, invite(bench, PROJECT, name, role).token)[1]


def test_a_link_lets_in_once_and_the_browser_is_known_from_then_on(bench: Workbench) -> None:
    link = invite(bench, PROJECT, "  Ana ", Role.EXPERT)
    assert (link.name, read_invitation(bench, link.token).name) == ("Ana", "Ana")
    name, cookie = accept_invitation(bench, link.token)
    actor = actor_of_cookie(bench, cookie)
    assert (name, actor.name, actor.owner) == ("Ana", "Ana", False)
    assert actor.memberships[PROJECT].role is Role.EXPERT
    with pytest.raises(NotAllowedError, match="used already"):
        accept_invitation(bench, link.token)


def test_neither_link_nor_cookie_stands_in_the_database(bench: Workbench) -> None:
    link = invite(bench, PROJECT, "Ana", Role.EXPERT)
    _, cookie = accept_invitation(bench, link.token)
    bench.database.close()
    assert bench.database.file is not None
    kept = b"".join(part.read_bytes() for part in bench.database.file.parent.glob(bench.database.file.name + "*"))
    assert link.token.encode() not in kept
    assert token_in(cookie)
    assert token_in(cookie).encode() not in kept


def test_a_made_up_token_or_cookie_is_nobodys(bench: Workbench) -> None:
    cookie = came_in(bench, "Ana")
    for made_up in ("", "x", "a.b.c", "é" * 50, "x" * 100_000):
        assert actor_of_cookie(bench, made_up) == NOBODY
        assert actor_of_cookie(bench, signed_cookie(made_up)) == NOBODY
        with pytest.raises(NotAllowedError, match="isn't one of this server's"):
            accept_invitation(bench, made_up)
    body, _, signature = cookie.rpartition(".")
    assert actor_of_cookie(bench, f"{body}.{signature[::-1]}") == NOBODY, "another server's signature"
    assert actor_of_cookie(bench, token_in(cookie)) == NOBODY, "the token alone, without a signature"


def test_an_old_link_and_an_old_sign_in_let_nobody_in(bench: Workbench) -> None:
    cookie = came_in(bench, "Ana")
    link = invite(bench, PROJECT, "Ben", Role.READER, days=1)
    with bench.database.write() as work:
        for kind in (InvitationRow, SignInRow):
            for row in work._session.exec(select(kind)):
                row.expires_at = now() - timedelta(seconds=1)
    with pytest.raises(NotAllowedError, match="too old"):
        accept_invitation(bench, link.token)
    assert actor_of_cookie(bench, cookie) == NOBODY


def test_a_new_link_takes_the_place_of_the_one_that_was_not_opened(bench: Workbench) -> None:
    first = invite(bench, PROJECT, "Ana", Role.EXPERT)
    second = invite(bench, PROJECT, "Ana", Role.FACILITATOR)
    with pytest.raises(NotAllowedError, match="revoked"):
        accept_invitation(bench, first.token)
    assert actor_of_cookie(bench, accept_invitation(bench, second.token)[1]).has(Right.FACILITATE, PROJECT)
    assert len(members_of(bench, PROJECT)) == 1


def test_whoever_has_lost_their_part_is_out_at_the_next_click_and_what_they_wrote_stays(bench: Workbench) -> None:
    cookie = came_in(bench, "Ana")
    with bench.database.write() as work:
        person = work.think_aloud.contributor(PROJECT, "Ana", ContributorKind.HUMAN)
        work.think_aloud.add_attributes(1, person.id, ["Order."])
    revoke_access(bench, PROJECT, "Ana")
    assert actor_of_cookie(bench, cookie) == NOBODY
    with bench.database.read() as work:
        assert [one.text for one in work.think_aloud.attributes(PROJECT, 1)] == ["Order."]
    with pytest.raises(NotFoundError, match="Nobody called “Ana”"):
        revoke_access(bench, PROJECT, "Ana")


def test_the_same_name_in_the_same_browser_is_one_person_with_both_projects(bench: Workbench) -> None:
    other = create_project(bench, "Other", Task("summary", "article")).id
    cookie = came_in(bench, "Ana")
    _, second = accept_invitation(bench, invite(bench, other, "Ana", Role.READER).token, actor_of_cookie(bench, cookie))
    actor = actor_of_cookie(bench, second)
    assert {project: one.role for project, one in actor.memberships.items()} == {
        PROJECT: Role.EXPERT,
        other: Role.READER,
    }
    assert actor.person == actor_of_cookie(bench, cookie).person
    revoke_access(bench, other, "Ana")
    assert actor_of_cookie(bench, second).memberships.keys() == {PROJECT}


def test_another_name_is_another_person_and_signing_out_ends_one_browser(bench: Workbench) -> None:
    cookie = came_in(bench, "Ana")
    ana = actor_of_cookie(bench, cookie)
    _, second = accept_invitation(bench, invite(bench, PROJECT, "Ben", Role.EXPERT).token, ana)
    assert (actor_of_cookie(bench, cookie).name, actor_of_cookie(bench, second).name) == ("Ana", "Ben")
    elsewhere = came_in(bench, "Ana")
    end_sign_in(bench, cookie)
    end_sign_in(bench, "made up")
    assert (actor_of_cookie(bench, cookie), actor_of_cookie(bench, elsewhere).name) == (NOBODY, "Ana")


def test_the_owners_link_opens_everything(bench: Workbench) -> None:
    assert not owner_has_signed_in(bench)
    link = invite_owner(bench)
    _, cookie = accept_invitation(bench, link.token)
    owner = replace(bench, actor=actor_of_cookie(bench, cookie))
    assert (owner.actor.owner, owner_has_signed_in(bench)) == (True, True)
    assert [project.name for project in list_projects(owner)] == ["Ready"]
    assert accept_invitation(bench, invite_owner(bench).token)[1] != cookie


def test_owner_link_of_a_second_web_process_leaves_the_first_open(bench: Workbench) -> None:
    first, second = offer_owner_link(bench).token, offer_owner_link(bench).token
    accept_invitation(bench, first)
    with pytest.raises(NotAllowedError):
        accept_invitation(bench, second)


def test_a_facilitator_invites_to_their_project_and_keeps_their_own_role(bench: Workbench) -> None:
    other = create_project(bench, "Other", Task("summary", "article")).id
    fay = replace(bench, actor=actor_of_cookie(bench, came_in(bench, "Fay", Role.FACILITATOR)))
    invite(fay, PROJECT, "Ana", Role.EXPERT)
    assert [(m.name, m.role, m.invitation.made_by if m.invitation else "") for m in members_of(fay, PROJECT)] == [
        ("Fay", Role.FACILITATOR, ""),
        ("Ana", Role.EXPERT, "Fay"),
    ]
    with pytest.raises(NotAllowedError):
        invite(fay, other, "Ana", Role.EXPERT)
    with pytest.raises(InputError, match="your own part"):
        revoke_access(fay, PROJECT, "Fay")
    with pytest.raises(InputError, match="your own role"):
        invite(fay, PROJECT, "Fay", Role.READER)
    assert invite(fay, PROJECT, "Fay", Role.FACILITATOR).name == "Fay"


def test_nobody_makes_a_link_to_more_than_they_may_see(bench: Workbench) -> None:
    other = create_project(bench, "Other", Task("summary", "article")).id
    fay = replace(bench, actor=actor_of_cookie(bench, came_in(bench, "Fay", Role.FACILITATOR)))
    ana = actor_of_cookie(bench, came_in(bench, "Ana"))
    invite(fay, PROJECT, "Ana", Role.EXPERT)
    accept_invitation(bench, invite(bench, other, "Ana", Role.READER).token, ana)
    with pytest.raises(NotAllowedError, match="other projects"):
        invite(fay, PROJECT, "Ana", Role.EXPERT)
    invite(bench, PROJECT, "Ana", Role.EXPERT)
    with bench.database.write() as work:
        owner = work.people.add("invite", "olga", "Olga", owner=True)
        work.people.join(owner.id, PROJECT, Role.READER, "Olga")
    with pytest.raises(NotAllowedError):
        invite(fay, PROJECT, "Olga", Role.READER)


def test_a_link_kept_from_before_opens_nothing_that_came_later(bench: Workbench) -> None:
    other = create_project(bench, "Other", Task("summary", "article")).id
    ana = actor_of_cookie(bench, came_in(bench, "Ana"))
    kept = invite(bench, PROJECT, "Ana", Role.EXPERT)
    accept_invitation(bench, invite(bench, other, "Ana", Role.FACILITATOR).token, ana)
    with pytest.raises(NotAllowedError, match="revoked"):
        accept_invitation(bench, kept.token)


def test_a_link_to_somebody_who_was_here_moves_nothing_of_theirs(bench: Workbench) -> None:
    """Not to whom a proxy vouches for, and not to a browser that is signed in under the same name."""
    other = create_project(bench, "Other", Task("summary", "article")).id
    ana, bea = actor_of_proxy(bench, "ana@example.org"), actor_of_proxy(bench, "bea@example.org")
    accept_invitation(bench, invite(bench, PROJECT, "Ana", Role.EXPERT).token, ana)
    again = invite(bench, PROJECT, "Ana", Role.EXPERT).token
    for act in (read_invitation, accept_invitation):
        with pytest.raises(NotAllowedError, match="This link is for “ana@"):
            act(bench, again, bea)
    assert read_invitation(bench, again, ana).name == "ana@example.org"
    assert not used_invitation(bench, again, ana)
    accept_invitation(bench, again, ana)
    assert (used_invitation(bench, again, ana), used_invitation(bench, again, bea)) == (True, False)
    cookies = [accept_invitation(bench, invite(bench, one, "Cy", Role.READER).token)[1] for one in (PROJECT, other)]
    first, second = (actor_of_cookie(bench, cookie) for cookie in cookies)
    accept_invitation(bench, invite(bench, other, "Cy", Role.READER).token, first)
    assert [set(actor_of_cookie(bench, cookie).memberships) for cookie in cookies] == [{PROJECT}, {other}]
    assert first.person != second.person


def test_what_can_not_be_a_link_is_refused_and_nothing_stored(bench: Workbench) -> None:
    with bench.database.write() as work:
        work.think_aloud.contributor(PROJECT, "gpt", ContributorKind.LLM)
    for name, days in (("", 14), ("Ana", 0), ("Ana", 366)):
        with pytest.raises(InputError):
            invite(bench, PROJECT, name, Role.EXPERT, days)
    with pytest.raises(ConflictError):
        invite(bench, PROJECT, "gpt", Role.EXPERT)
    assert members_of(bench, PROJECT) == []


def test_whomever_a_proxy_vouches_for_is_who_they_are(bench: Workbench) -> None:
    ana = actor_of_proxy(bench, "Ana@Example.org ")
    assert (ana.name, ana.memberships) == ("Ana@Example.org", {})
    assert actor_of_proxy(bench, "ana@example.org").person == ana.person
    assert accept_invitation(bench, invite(bench, PROJECT, "Ana", Role.EXPERT).token, ana) == ("Ana@Example.org", "")
    now_ = actor_of_proxy(bench, "ana@example.org")
    assert (now_.person, now_.name_in(PROJECT), now_.owner) == (ana.person, "Ana", False)
    accept_invitation(bench, invite_owner(bench).token, now_)
    assert actor_of_proxy(bench, "ana@example.org").owner
    assert owner_has_signed_in(bench)


def test_invite_of_a_name_that_looks_like_a_members_says_so(bench: Workbench) -> None:
    invite(bench, PROJECT, "Ana", Role.EXPERT)
    cyrillic = invite(bench, PROJECT, "\u0410na", Role.EXPERT)
    assert len(cyrillic.remarks) == 2, "two scripts, and like Ana"
    assert any("Ana" in remark for remark in invite(bench, PROJECT, "An\u200ba", Role.READER).remarks)
    assert invite(bench, PROJECT, "Ben", Role.EXPERT).remarks == ()
