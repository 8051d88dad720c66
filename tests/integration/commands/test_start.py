"""A command loads what it needs and no more; the server lets in whom it should, and ends without a traceback."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.services.runtime.workbench import Workbench

HEAVY = {"alembic", "altair", "anthropic", "openai", "pandas", "scipy", "sklearn", "streamlit"}
LIST = """
import json, sys
from app.cli import run
sys.argv = ["interacteval", "project", "list", "--json"]
try:
    run()
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def test_a_list_of_projects_loads_no_heavy_library(bench: Workbench) -> None:
    environment = {**os.environ, "INTERACTEVAL_DATABASE_URL": bench.database.address}
    done = subprocess.run([sys.executable, "-c", LIST], env=environment, capture_output=True, text=True, check=True)
    assert "Ready" in done.stdout
    loaded = set(json.loads(done.stderr))
    assert "sqlalchemy" in loaded  # what was asked is what would have loaded them
    assert not HEAVY & loaded


PATIENCE = 120.0
Serve = Callable[..., tuple["subprocess.Popen[str]", str]]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts `interacteval serve` with these options, and waits until it answers: the process and its address."""
    started = []

    def start(*options: str) -> tuple["subprocess.Popen[str]", str]:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [str(Path(sys.executable).with_name("interacteval")), "serve", "--port", str(port), *options]
        environment = {**os.environ, "INTERACTEVAL_HOME": str(tmp_path / "served")}
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path
        )
        started.append(process)
        address, end = f"http://127.0.0.1:{port}", time.monotonic() + PATIENCE
        while not _answers(f"{address}/healthz"):
            assert process.poll() is None, process.communicate()[0]
            assert time.monotonic() < end
            time.sleep(0.1)
        return process, address

    yield start
    for process in started:
        process.kill()
        process.communicate()


def _answers(address: str) -> int:
    """The status, 0 where nobody answers."""
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except urllib.error.URLError:
        return 0


def test_serve_lets_nobody_in_without_the_link(serve: Serve) -> None:
    _, address = serve()
    assert (_answers(address), _answers(f"{address}/_stcore/host-config")) == (401, 401)


def test_serve_without_token_that_cannot_write_ends_without_a_traceback(serve: Serve, tmp_path: Path) -> None:
    process, address = serve("--no-token")
    assert (_answers(address), _answers(f"{address}/_stcore/host-config")) == (200, 200)
    (tmp_path / "served").rename(tmp_path / "gone")  # nothing can be written or removed there, by root either
    (tmp_path / "served").touch()
    process.send_signal(signal.SIGTERM)
    said = process.communicate(timeout=PATIENCE)[0]
    assert process.returncode == 0
    assert "Traceback" not in said
    assert "Error" not in said
