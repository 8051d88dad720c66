"""people invite, list and revoke."""

from collections.abc import Callable

import pytest

from app.services.people.invitations import accept_invitation
from app.services.runtime.workbench import open_workbench
from app.settings import settings
from tests.support.projects import ready_to_score
from tests.support.small_project import document

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def project(run: Run) -> None:
    ready_to_score(open_workbench())


def test_a_link_is_printed_alone_and_lets_in_once(run: Run) -> None:
    status, out, err = run("people", "invite", "Ana", "--project", "Ready")
    assert (status, out.count("\n")) == (0, 1)
    assert out.startswith("http://localhost:8501/enter?key=")
    assert "For Ana alone" in err
    assert accept_invitation(open_workbench(), out.strip().rpartition("=")[2])[0] == "Ana"
    _, out, _ = run("people", "list", "--project", "Ready")
    assert out.splitlines()[1].split()[:3] == ["Ana", "expert", "used"]


def test_a_link_names_the_server_as_people_reach_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    invite = ("people", "invite", "Ana", "--project", "Ready", "--address", "http://127.0.0.1:9000/")
    assert run(*invite)[1].startswith("http://127.0.0.1:9000/enter?key=")
    monkeypatch.setenv("INTERACTEVAL_ADDRESS", "https://texts.example.org/judge/")
    settings.cache_clear()
    assert run(*invite)[1].startswith("https://texts.example.org/judge/enter?key=")


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("http://localhost:8501", True),
        ("http://127.0.0.1:9000/judge", True),
        ("http://[::1]:8501", True),
        ("http://192.168.1.7:8501", False),
        ("https://texts.example.org", False),
    ],
)
def test_a_link_that_opens_only_on_this_computer_says_so(run: Run, address: str, local: bool) -> None:
    _, out, said = run("people", "invite", "Ana", "--project", "Ready", "--address", address)
    assert out.startswith(f"{address}/enter?key=")
    assert ("INTERACTEVAL_ADDRESS" in said) == local


def test_invite_of_a_name_that_looks_like_another_says_so(run: Run) -> None:
    ours = ("--project", "Ready", "--address", "https://texts.example.org")
    _, _, plain = run("people", "invite", "Ana", *ours)
    _, out, said = run("people", "invite", "\u0410na", *ours)
    assert (out.count("\n"), plain.count("\n"), said.count("\n")) == (1, 1, 3)


def test_all_of_it_as_documents(run: Run) -> None:
    assert document(run("people", "list", "--project", "Ready", "--json")[1]) == []
    made = document(run("people", "invite", "Ana", "--project", "Ready", "--role", "reader", "--json")[1])
    assert isinstance(made, dict)
    assert set(made) == {"name", "link", "expires_at"}
    listed = document(run("people", "list", "--project", "Ready", "--json")[1])
    work = dict.fromkeys(("dimensions", "done", "tasks", "texts_done", "texts"))
    assert listed == [{"name": "Ana", "role": "reader", "link": "open", "last_there": None, **work}]
    assert document(run("people", "revoke", "Ana", "--project", "Ready", "--json")[1]) == {
        "name": "Ana",
        "project": "Ready",
    }


def test_who_did_what(run: Run) -> None:
    run("people", "invite", "Ana", "--project", "Ready")
    _, out, _ = run("people", "trail", "--project", "Ready")
    assert "invited somebody" in out.splitlines()[1]
    entries = document(run("people", "trail", "--project", "Ready", "--json")[1])
    assert isinstance(entries, list)
    assert [(one["act"], one["about"], one["project"]) for one in entries] == [("invited somebody", "Ana", "Ready")]
    table = run("people", "trail", "--csv")[1]
    assert table.lstrip("\ufeff").startswith("at,who,act,about,project")


def test_a_name_gives_way_to_a_pseudonym(run: Run) -> None:
    run("people", "invite", "Ana", "--project", "Ready")
    status, out, err = run("people", "pseudonym", "Ana", "--project", "Ready")
    assert (status, err) == (0, "")
    assert "Ana is Expert 1 in Ready now" in out
    assert document(run("people", "pseudonym", "Expert 1", "--project", "Ready", "--as", "P7", "--json")[1]) == {
        "name": "Expert 1",
        "project": "Ready",
        "pseudonym": "P7",
        "places": 4,
        "mentions": {},
        "elsewhere": 0,
    }
    assert "Ana" not in run("people", "trail", "--json")[1]
    status, _, err = run("people", "pseudonym", "Ana", "--project", "Ready")
    assert (status, "Nobody called “Ana”" in err) == (2, True)


def test_nobody_yet_and_nobody_of_this_name(run: Run) -> None:
    assert "Nobody was invited yet" in run("people", "list", "--project", "Ready")[1]
    status, _, err = run("people", "revoke", "Zoe", "--project", "Ready")
    assert (status, "Nobody called “Zoe”" in err) == (2, True)


NO_LINKS = (
    (),
    ("Ana",),
    ("--project", "Ready"),
    ("Ana", "--project", "Ready", "--owner"),
    ("Ana", "--project", "None"),
    ("Ana", "--project", "Ready", "--role", "king"),
    ("Ana", "--project", "Ready", "--days", "0"),
)


def test_what_can_not_be_a_link(run: Run, subtests: pytest.Subtests) -> None:
    for words in NO_LINKS:
        with subtests.test(words=words):
            status, out, err = run("people", "invite", *words)
            assert (status, out) == (2, "")
            assert err


def test_beyond_this_computer_the_server_does_not_start_unless_it_knows_people(run: Run) -> None:
    status, _, err = run("serve", "--host", "0.0.0.0")
    assert status == 2
    assert "INTERACTEVAL_ACCESS=invite" in err


def test_an_api_token_is_printed_once_and_listed_without_it(run: Run) -> None:
    make = ("api-token", "make", "nightly", "--project", "Ready", "--budget", "2")
    status, out, err = run(*make)
    assert (status, out.count("\n")) == (0, 1)
    assert out.startswith("iev_")
    assert out.strip() not in err
    assert run(*make)[0] == 2
    (row,) = document(run("api-token", "list", "--project", "Ready", "--json")[1])
    assert {name: row[name] for name in ("name", "state", "budget_usd", "spent_usd", "last_used")} == {
        "name": "nightly",
        "state": "open",
        "budget_usd": 2.0,
        "spent_usd": 0.0,
        "last_used": None,
    }
    assert out.strip() not in run("api-token", "list", "--project", "Ready")[1]
    assert run("api-token", "revoke", "nightly", "--project", "Ready")[0] == 0
    assert document(run("api-token", "list", "--project", "Ready", "--json")[1])[0]["state"] == "revoked"
    assert run("api-token", "revoke", "other", "--project", "Ready")[0] == 2
    assert "iev_" not in run("people", "trail", "--project", "Ready", "--csv")[1]
