"""The guard of tests/unit/conftest.py: no database, nothing that listens, and a test that hides it fails."""

import asyncio
import socket
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.support.repository import ROOT
from tests.support.unit_guard import NoUnitTestError, guarded


@pytest.mark.parametrize("database", [":memory:", "file"])
def test_a_database_is_refused(database: str, tmp_path: Path) -> None:
    with guarded() as opened, pytest.raises(NoUnitTestError, match=r"tests/integration/, at the same path"):
        sqlite3.connect(database.replace("file", str(tmp_path / "file.db")))
    assert len(opened) == 1


def test_a_socket_to_listen_at_is_refused() -> None:
    with (
        guarded() as opened,
        socket.socket() as sock,
        pytest.raises(NoUnitTestError, match="a socket to listen at"),
    ):
        sock.bind(("127.0.0.1", 0))
    assert len(opened) == 1


def test_threads_of_the_test_are_guarded_and_those_from_before_are_not() -> None:
    go, done = threading.Event(), threading.Event()

    def open_one() -> None:
        go.wait()
        sqlite3.connect(":memory:").close()
        done.set()

    earlier = threading.Thread(target=open_one)
    earlier.start()
    with guarded() as opened:
        go.set()
        earlier.join()
        assert done.is_set()
        assert opened == []
        refused: list[BaseException] = []

        def open_another() -> None:
            try:
                sqlite3.connect(":memory:")
            except NoUnitTestError as error:
                refused.append(error)

        own = threading.Thread(target=open_another)
        own.start()
        own.join()
    assert len(opened) == len(refused) == 1


def test_an_event_loop_is_no_server_and_afterwards_all_is_open_again() -> None:
    with guarded() as opened:
        asyncio.run(asyncio.sleep(0))
    sqlite3.connect(":memory:").close()
    assert opened == []


def test_a_unit_test_that_swallows_the_refusal_fails(tmp_path: Path) -> None:
    secretive = tmp_path / "test_secretive.py"
    secretive.write_text(
        "import contextlib, sqlite3\n"
        "def test_it():\n"
        "    with contextlib.suppress(Exception):\n"
        "        sqlite3.connect(':memory:')\n"
        "def test_other(): pass\n"
    )
    command = ["-m", "pytest", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path)]
    options = ["-p", "tests.conftest", "-p", "tests.unit.conftest", "-p", "no:cacheprovider", str(secretive)]
    run = subprocess.run([sys.executable, *command, *options], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 1, run.stdout + run.stderr
    assert "2 passed, 1 error" in run.stdout
    assert "Tests that need a database or a server live in tests/integration/" in run.stdout
