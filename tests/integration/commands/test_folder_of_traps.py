"""Started in a folder with modules of the names that we and our libraries import, no process of ours runs one; the
server ends without a traceback. A command loads what it needs and no more."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.services.runtime.workbench import Workbench
from tests.support.traps import set_traps, sprung

COMMAND = Path(sys.executable).with_name("interacteval")
PATIENCE = 120.0
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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return set_traps(tmp_path / "traps")


@pytest.fixture
def environment(tmp_path: Path) -> Mapping[str, str]:
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**ours, "INTERACTEVAL_HOME": str(tmp_path / "home")}


@contextmanager
def _started(folder: Path, environment: Mapping[str, str], *words: str) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [COMMAND, *words], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def _first_line(process: "subprocess.Popen[str]", holding: str = "") -> str:
    assert process.stdout is not None
    return next(line for line in process.stdout if line.strip() and holding in line)


def _said_until_the_end(process: "subprocess.Popen[str]") -> str:
    process.send_signal(signal.SIGTERM)
    return process.communicate(timeout=PATIENCE)[0]


def _run(folder: Path, environment: Mapping[str, str], *words: str) -> str:
    done = subprocess.run(
        [COMMAND, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _python(folder: Path, environment: Mapping[str, str], code: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-P", "-c", code]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=True
    )


def test_a_list_of_projects_loads_no_foreign_module_or_heavy_library(
    folder: Path, environment: Mapping[str, str], bench: Workbench
) -> None:
    done = _python(folder, {**environment, "INTERACTEVAL_DATABASE_URL": bench.database.address}, LIST)
    assert "Ready" in done.stdout
    loaded = set(json.loads(done.stderr))
    assert "sqlalchemy" in loaded  # what was asked is what would have loaded them
    assert not HEAVY & loaded
    assert sprung(folder) == []


@pytest.mark.long
def test_a_script_imports_the_library_and_no_foreign_module(folder: Path, environment: Mapping[str, str]) -> None:
    done = _python(folder, environment, "import interacteval; print(interacteval.__all__)")
    assert "Checklist" in done.stdout
    assert sprung(folder) == []


@pytest.mark.long
def test_demo_score_and_worker_run_no_foreign_module(
    folder: Path, environment: Mapping[str, str], tmp_path: Path
) -> None:
    assert json.loads(_run(folder, environment, "demo", "--json"))["dimensions"]
    rows = [f"text {row},source {row},reference {row},{row % 5 + 1}" for row in range(20)]
    (tmp_path / "own.csv").write_text("\n".join(["text,source,reference,fluency", *rows]), encoding="utf-8")
    _run(folder, environment, "import", str(tmp_path / "own.csv"), "--project", "Own")
    # Metrics are computed in processes of loky.
    assert json.loads(_run(folder, environment, "score", "--project", "Own", "--json", "--evaluator", "rouge-l"))
    with _started(folder, environment, "worker") as process:
        assert _first_line(process)
        _said_until_the_end(process)
    assert sprung(folder) == []


@pytest.mark.long
def test_the_server_runs_no_foreign_module_and_ends_without_a_traceback(
    folder: Path, environment: Mapping[str, str], tmp_path: Path
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with _started(folder, environment, "serve", "--port", str(port)) as process:
        link = _first_line(process, holding="?token=").split()[-1]  # printed once it answers
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        addresses = (link, *(f"http://127.0.0.1:{port}{path}" for path in ("/healthz", "/_stcore/host-config")))
        assert [browser.open(address, timeout=PATIENCE).status for address in addresses] == [200, 200, 200]
        (tmp_path / "home").rename(tmp_path / "gone")  # nothing can be written or removed there, by root either
        (tmp_path / "home").touch()
        said = _said_until_the_end(process)
    assert process.returncode == 0
    assert "Traceback" not in said
    assert "Error" not in said
    assert sprung(folder) == []
