"""The guard of tests/conftest.py lets nothing out, and fails a test that hides its attempt."""

import asyncio
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.network_guard import NetworkRefusedError, is_local

ROOT = Path(__file__).resolve().parents[2]
ELSEWHERE = "192.0.2.1"  # reserved for documentation (RFC 5737): leads nowhere, should a guard fail


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "::1", "localhost", "0.0.0.0", b"localhost", None])
def test_this_machine_is_local(host: object) -> None:
    assert is_local(host)


@pytest.mark.parametrize("host", [ELSEWHERE, "10.0.0.1", "2001:db8::1", "example.org", "localhost.example.org"])
def test_anything_else_is_not(host: object) -> None:
    assert not is_local(host)


@pytest.mark.parametrize("method", ["connect", "connect_ex"])
def test_a_connection_beyond_is_refused(method: str, network_attempts: list[str]) -> None:
    with socket.socket() as sock, pytest.raises(NetworkRefusedError):
        getattr(sock, method)((ELSEWHERE, 80))
    assert network_attempts == [ELSEWHERE]
    network_attempts.clear()


def test_a_datagram_beyond_is_refused(network_attempts: list[str]) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as sock, pytest.raises(NetworkRefusedError):
        sock.sendto(b"?", (ELSEWHERE, 53))
    network_attempts.clear()


def test_a_name_is_not_looked_up(network_attempts: list[str]) -> None:
    with pytest.raises(NetworkRefusedError):
        socket.create_connection(("example.org", 80))
    assert network_attempts == ["example.org"]
    network_attempts.clear()


def test_asyncio_is_guarded_too(network_attempts: list[str]) -> None:
    with pytest.raises(NetworkRefusedError):
        asyncio.run(asyncio.open_connection(ELSEWHERE, 80))
    assert ELSEWHERE in network_attempts
    network_attempts.clear()


def test_a_server_on_this_machine_is_reached() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as client,
        server.accept()[0] as accepted,
    ):
        client.sendall(b"hello")
        assert accepted.recv(5) == b"hello"


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no Unix sockets here")
def test_unix_sockets_are_allowed() -> None:
    one, other = socket.socketpair(socket.AF_UNIX)
    with one, other:
        one.sendall(b"hello")
        assert other.recv(5) == b"hello"


def test_a_process_that_a_test_starts_is_guarded_too() -> None:
    code = f"import socket; socket.create_connection(({ELSEWHERE!r}, 80), timeout=5)"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert child.returncode == 1
    assert "NetworkRefusedError" in child.stderr


def test_a_test_that_swallows_the_refusal_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH")  # so that only the inner run's own conftest stands guard
    secretive = tmp_path / "test_secretive.py"
    secretive.write_text(
        "import contextlib, socket\n"
        "def test_it():\n"
        "    with contextlib.suppress(OSError), socket.socket() as sock:\n"
        f"        sock.connect(({ELSEWHERE!r}, 80))\n"
    )
    command = ["-m", "pytest", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path)]
    options = ["-p", "tests.conftest", "-p", "no:cacheprovider", str(secretive)]
    run = subprocess.run([sys.executable, *command, *options], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 1, run.stdout + run.stderr
    assert f"reached beyond this machine: {ELSEWHERE}" in run.stdout
