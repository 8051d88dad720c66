"""The app as a person has it: served by the console command, seen in a real browser. Failures leave a screenshot."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.support.browser import LAUNCH_ARGUMENTS, find_browser

SCREENSHOTS = Path(__file__).resolve().parents[2] / "test-results"
PATIENCE_MS = 30_000
CONSOLE = str(Path(sys.executable).with_name("interacteval"))


@dataclass
class App:
    """A running server on a home folder of its own; `restart` is what a machine does that was switched off and on."""

    home: Path
    port: int
    environment: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        with (self.home / "server.log").open("ab") as log:
            command = [CONSOLE, "serve", "--port", str(self.port)]
            self.process = subprocess.Popen(command, env=self._environment(), stdout=log, stderr=log)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=1):
                    return
            except OSError:
                time.sleep(0.2)
        pytest.fail(f"the server did not start: {(self.home / 'server.log').read_text()}")

    def command(self, *words: str) -> None:
        """The command line beside the running server, on the same data."""
        subprocess.run([CONSOLE, *words], env=self._environment(), check=True, capture_output=True)

    def _environment(self) -> dict[str, str]:
        return {**os.environ, "INTERACTEVAL_HOME": str(self.home), **self.environment}

    def stop(self) -> None:
        assert self.process is not None
        self.process.terminate()
        self.process.wait(20)


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    running = App(tmp_path, port)
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = find_browser()
    if path is None:
        pytest.fail("No browser was found; `make browser` installs one.")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=list(LAUNCH_ARGUMENTS))
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Browser, app: App, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A tab of a person with nothing remembered. Whatever the page tries to fetch elsewhere fails the test."""
    expect.set_options(timeout=PATIENCE_MS)
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE_MS)
    elsewhere: list[str] = []
    opened.on("request", lambda asked: None if _is_local(asked.url, app.url) else elsewhere.append(asked.url))
    yield opened
    SCREENSHOTS.mkdir(exist_ok=True)
    opened.screenshot(path=SCREENSHOTS / f"{request.node.name}.png", full_page=True)
    context.close()
    assert elsewhere == []


def _is_local(asked: str, own: str) -> bool:
    return asked.startswith((own, own.replace("http", "ws", 1), "data:", "blob:", "about:"))
