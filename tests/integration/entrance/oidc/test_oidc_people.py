"""Who comes in by a provider: people on the list, as themselves, and with a part in a project by a link."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from app.domain.roles_and_rights import Role
from app.services.people.invitations import accept_invitation, invite, invite_owner, revoke_access
from app.services.people.ways_to_sign_in import SIGN_IN_COOKIE
from app.services.runtime.workbench import Workbench
from tests.support.oidc_browser import HOST, at_provider, browser, is_in, refused, sign_in
from tests.support.oidc_provider import (
    OidcProviderServer,
)

Set = Callable[..., None]


def test_an_address_that_the_provider_calls_unverified_counts_for_nothing(
    bench: Workbench, provider: OidcProviderServer, subtests: pytest.Subtests
) -> None:
    for verified in (False, "false", 0, "no"):
        ana = browser()
        with subtests.test(repr(verified)):
            refused(ana, sign_in(provider, ana, email_verified=verified), "gives no address of yours", 403)
    for verified in (True, "true", None):
        ana = browser()
        sign_in(provider, ana, email_verified=verified)
        assert is_in(ana), verified


LISTED = "ana@x.example, @lab.example, Group.example"
ADDRESSES: list[tuple[object, bool]] = [
    ("ana@x.example", True),
    ("ANA@X.Example", True),
    ("bea@lab.example", True),
    ("cy@group.example", True),
    ("bea@x.example", False),
    ("ana@evil-lab.example", False),
    ("ana@evil.lab.example", False),
    ("ana@lab.example.evil", False),
    ("ana@lab.example@evil.example", False),
    ("ana@evil.example@lab.example", False),
    ('"ana@evil.example"@lab.example', False),
    ("ana@evil.example\n@lab.example", False),
    ("ana @lab.example", False),
    ("@lab.example", False),
    ("lab.example", False),
    ("", False),
    (None, False),
    (["ana@lab.example"], False),
    ("a" * 300 + "@lab.example", False),
]


def test_only_listed_addresses_and_whole_domains_come_in(
    bench: Workbench, provider: OidcProviderServer, set_up: Set, subtests: pytest.Subtests
) -> None:
    set_up(oidc_allowed=LISTED)
    for number, (address, comes_in) in enumerate(ADDRESSES):
        one = browser()
        with subtests.test(repr(address)):
            answer = sign_in(provider, one, email=address, sub=f"person-{number}")
            assert (answer.status_code, is_in(one)) == ((303, True) if comes_in else (403, False))


def test_whoever_is_not_on_the_list_is_told_whom_to_ask_and_can_be_somebody_else(
    bench: Workbench, provider: OidcProviderServer
) -> None:
    one = browser()
    answer = sign_in(provider, one, email="ana@private.example")
    refused(one, answer, "ana@private.example isn't on the list of those who may come in. Ask the office", 403)
    assert "other=yes" in answer.text
    assert "prompt=select_account" in at_provider(one, "/sign-in?other=yes")
    with bench.database.read() as work:
        assert work.people.find(provider.address, "ana-1") is None


def test_what_a_person_is_called_elsewhere_is_shown_as_text(bench: Workbench, provider: OidcProviderServer) -> None:
    one = browser()
    page = sign_in(provider, one, email="<b>x</b>@evil.example")
    assert "<b>" not in page.text
    provider.claims |= {"email": "ana@lab.example", "name": "line\nbreak"}
    assert sign_in(provider, one).status_code == 303
    with bench.database.read() as work:
        person = work.people.find(provider.address, "ana-1")
        assert person is not None
        assert person.name == "ana@lab.example"


def test_whoever_is_taken_off_the_list_is_out_at_the_next_click(
    bench: Workbench, provider: OidcProviderServer, set_up: Set
) -> None:
    ana = browser()
    sign_in(provider, ana)
    set_up(oidc_allowed="bea@lab.example")
    assert not is_in(ana)
    set_up(oidc_allowed="ana@lab.example")
    assert is_in(ana)


def test_whoever_is_in_acts_as_they_themselves(bench: Workbench, provider: OidcProviderServer) -> None:
    """The same subject at another address is the same person, and the same address under another subject another."""
    one, two, three = browser(), browser(), browser()
    sign_in(provider, one)
    sign_in(provider, two, email="silva@lab.example")
    sign_in(provider, three, sub="new-3")
    with bench.database.read() as work:
        people = [work.people.find(provider.address, subject) for subject in ("ana-1", "new-3")]
    assert all(people)
    assert len({person.id for person in people if person}) == 2
    assert replace(bench).actor.owner


def link(bench: Workbench, name: str = "Ana", role: Role = Role.EXPERT) -> str:
    return f"/enter?key={invite(bench, 1, name, role).token}"


def test_a_link_alone_signs_nobody_in(bench: Workbench, provider: OidcProviderServer) -> None:
    stranger, address = browser(), link(bench)
    for answer in (stranger.get(address), stranger.post(address, headers={"Origin": HOST})):
        assert (answer.status_code, "set-cookie" in answer.headers) == (401, False)
        assert "Sign in first" in answer.text
        assert "Ana" not in answer.text
    assert not is_in(stranger)
    ana = browser()
    sign_in(provider, ana)
    assert "Welcome, Ana" in ana.get(address).text  # it wasn't used up


def test_a_link_leads_through_the_provider_and_gives_the_part(bench: Workbench, provider: OidcProviderServer) -> None:
    ana, address = browser(), link(bench)
    page = ana.get(address)
    begin = page.text.partition('href="')[2].partition('"')[0].replace("&amp;", "&").removeprefix(HOST)
    answer = sign_in(provider, ana, begin)
    assert answer.headers["location"] == HOST + address
    assert "You are signed in as Ana Silva." in ana.get(address).text
    cookie = ana.cookies[SIGN_IN_COOKIE]
    answer = ana.post(address, headers={"Origin": HOST})
    assert (answer.status_code, "set-cookie" in answer.headers, ana.cookies[SIGN_IN_COOKIE]) == (303, False, cookie)
    with bench.database.read() as work:
        person = work.people.find(provider.address, "ana-1")
        assert person is not None
        assert (work.people.actor(person.id).memberships[1].role, person.name) == (Role.EXPERT, "Ana Silva")
    revoke_access(bench, 1, "Ana")
    assert not is_in(ana)  # signed out, and free to sign in again without a part
    sign_in(provider, ana)
    assert is_in(ana)


def test_whoever_came_in_by_links_before_is_handed_on_by_a_new_one(
    bench: Workbench, provider: OidcProviderServer
) -> None:
    """Else a team that changes its way in would lose its people, and the server its owner."""
    accept_invitation(bench, invite(bench, 1, "Ana", Role.EXPERT).token)
    accept_invitation(bench, invite_owner(bench).token)
    ana, bea = browser(), browser()
    sign_in(provider, ana)
    sign_in(provider, bea, sub="bea-2", email="bea@lab.example")
    assert ana.post(link(bench)).status_code == 303
    assert ana.post(f"/enter?key={invite_owner(bench).token}").status_code == 303
    with bench.database.read() as work:
        (owner,) = work.people.owners()
        assert owner.issuer == provider.address
        assert (owner.subject, work.people.actor(owner.id).memberships[1].name) == ("ana-1", "Ana")
    assert "who was here before" in bea.post(link(bench)).text  # Ana is the provider's now


def test_nobody_with_a_part_takes_another_ones_place_in_the_project(
    bench: Workbench, provider: OidcProviderServer
) -> None:
    accept_invitation(bench, invite(bench, 1, "Ana", Role.EXPERT).token)
    bea = browser()
    sign_in(provider, bea)
    assert bea.post(link(bench, "Bea", Role.READER)).status_code == 303
    answer = bea.post(link(bench, "Ana"))
    assert (answer.status_code, "This link is for" in answer.text) == (403, True)
