"""The guide is open to everybody, says what to do where it isn't built, and gives nothing else of the disk."""

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from app.domain.sign_in import AccessMode
from app.entrance.server_pages import Gate, guide_routes
from tests.integration.entrance.conftest import Set


@pytest.fixture
def built(tmp_path: Path) -> Path:
    folder = tmp_path / "static" / "guide"
    (folder / "reference").mkdir(parents=True)
    (folder / "index.html").write_text("<h1>Start here</h1>", encoding="utf-8")
    (folder / "reference" / "commands.html").write_text("<h1>Commands</h1>", encoding="utf-8")
    (tmp_path / "static" / "secret.txt").write_text("planted", encoding="utf-8")
    return folder


def client(folder: Path) -> TestClient:
    guarded = [Middleware(Gate, mode=AccessMode.INVITE)]
    return TestClient(Starlette(routes=guide_routes(folder), middleware=guarded), client=("203.0.113.9", 5))


@pytest.mark.parametrize(
    ("path", "words"), [("/guide", "Start"), ("/guide/", "Start"), ("/guide/reference/commands.html", "Commands")]
)
def test_a_stranger_reads_it(set_up: Set, built: Path, path: str, words: str) -> None:
    answer = client(built).get(path)
    assert answer.status_code == 200
    assert words in answer.text
    assert "default-src 'self'" in answer.headers["content-security-policy"]


def test_where_it_is_not_built_the_answer_says_how(set_up: Set, tmp_path: Path) -> None:
    answer = client(tmp_path / "nowhere").get("/guide/experts.html")
    assert answer.status_code == 404
    assert "make docs" in answer.text


def test_it_appears_once_it_is_built_while_the_server_runs(set_up: Set, tmp_path: Path) -> None:
    folder = tmp_path / "later"
    asked = client(folder)
    assert asked.get("/guide/").status_code == 404
    folder.mkdir()
    (folder / "index.html").write_text("<h1>Start here</h1>", encoding="utf-8")
    assert asked.get("/guide/").status_code == 200


@pytest.mark.parametrize("path", ["/guide/../secret.txt", "/guide/%2e%2e/secret.txt", "/guide/..%2fsecret.txt"])
def test_nothing_beside_it_is_given(set_up: Set, built: Path, path: str) -> None:
    answer = client(built).get(path)
    assert answer.status_code in (401, 404)
    assert "planted" not in answer.text


def test_a_neighbouring_name_is_not_open(set_up: Set, built: Path) -> None:
    assert client(built).get("/guides").status_code == 401
