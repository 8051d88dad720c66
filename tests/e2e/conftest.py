"""The app as a person has it: served by the console command, seen in a real browser. Failures leave a screenshot."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.cookies import SimpleCookie
from importlib.resources import as_file, files
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

from app.corpora import demo_data
from app.domain.roles_and_rights import Role
from app.providers.credentials import Credentials
from app.services.attributes.attributes import attributes_of
from app.services.data.project_transfer import import_project
from app.services.data.projects import dimensions_named, get_project
from app.services.demo import BUNDLE, DEMO_PROJECT
from app.services.people.invitations import invite
from app.services.people.ways_to_sign_in import link_of
from app.services.runtime.workbench import Workbench
from db.unit_of_work import Database
from tests.e2e.screen import PATIENCE_MS, at, click, settled
from tests.support import network_guard
from tests.support.background import PATIENCE
from tests.support.browser import LAUNCH_ARGUMENTS, find_browser
from tests.support.demo.small import shared_demo
from tests.support.repository import ROOT
from tests.support.traps import set_traps, sprung

SCREENSHOTS = ROOT / "test-results"
HERE = Path(__file__).parent
ATTEMPTS = "attempts"
FAILED = pytest.StashKey[bool]()
CONSOLE = str(Path(sys.executable).with_name("interacteval"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests in a browser come last, as others can't run beside Playwright's event loop."""
    items.sort(key=lambda item: item.path.is_relative_to(HERE))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    return report


@dataclass
class App:
    """A running server on a home folder of its own; `restart` is what a machine does that was switched off and on."""

    home: Path
    port: int
    environment: dict[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    folder: Path | None = None  # where it is started
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        with (self.home / "server.log").open("ab") as log:
            command = [CONSOLE, "serve", "--port", str(self.port), *self.options]
            self.process = subprocess.Popen(command, cwd=self.folder, env=self._environment(), stdout=log, stderr=log)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=1):
                    return
            except OSError:
                time.sleep(0.2)
        pytest.fail(f"the server did not start: {(self.home / 'server.log').read_text()}")

    @property
    def link(self) -> str:
        """What the server printed to open; its address where it printed none (people sign in, or --no-token)."""
        printed = re.findall(
            rf"http://\S+:{self.port}/\?token=\S+", (self.home / "server.log").read_text(encoding="utf-8")
        )
        return str(printed[-1]) if printed else self.url

    def cookies(self) -> dict[str, str]:
        """Those of a browser that opened the link."""
        with urllib.request.urlopen(self.link) as answer:
            kept = SimpleCookie("\n".join(answer.headers.get_all("Set-Cookie", [])))
        return {name: morsel.value for name, morsel in kept.items()}

    def let_in(self, context: BrowserContext) -> BrowserContext:
        """As if the person had opened the link: one that signs in otherwise needs nothing."""
        if self.link != self.url:
            for name, value in self.cookies().items():
                context.add_cookies([{"name": name, "value": value, "url": self.url}])
        return context

    def command(self, *words: str) -> str:
        """The command line, on the data of the server that runs or will; returns what it printed."""
        done = subprocess.run([CONSOLE, *words], env=self._environment(), check=True, capture_output=True, text=True)
        return done.stdout

    def invitation(self, name: str) -> str:
        """Invite an expert to the demo, as `people invite` does but without starting it, and return their link."""
        with opened(self) as workbench:
            made = invite(workbench, get_project(workbench, "Demo").id, name, Role.EXPERT)
        return link_of(made.token, self.url)

    def _environment(self) -> dict[str, str]:
        """The code beside these tests is what is served, also where the command comes from another copy of it."""
        path = os.pathsep.join((os.environ["PYTHONPATH"], str(ROOT)))
        return {**os.environ, "PYTHONPATH": path, "INTERACTEVAL_HOME": str(self.home), **self.environment}

    def stop(self) -> None:
        """Nothing is left running, also where it never answered or doesn't heed the signal."""
        assert self.process is not None
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise


@contextmanager
def served(home: Path, environment: Mapping[str, str], *options: str, folder: Path | None = None) -> Iterator[App]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    running = App(home, port, dict(environment), options, folder)
    try:
        running.start()
        yield running
    finally:
        running.stop()


@pytest.fixture
def environment() -> dict[str, str]:
    """What the server is started with; a file of tests with an LLM's stand-in gives its address here."""
    return {}


@pytest.fixture
def app(tmp_path: Path, environment: dict[str, str]) -> Iterator[App]:
    with served(tmp_path, environment) as running:
        yield running


@pytest.fixture(scope="session")
def demo_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_demo(tmp_path_factory)


@pytest.fixture
def demo(demo_home: Path, tmp_path: Path) -> None:
    """The demo is there when the server starts: made once, copied for each test that uses this fixture."""
    assert not list(tmp_path.glob("*.db")), "use this fixture before the app"
    shutil.copytree(demo_home, tmp_path, dirs_exist_ok=True)


@pytest.fixture(scope="session")
def served_demo(demo_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """One server on a copy of the demo for many files, whose tests touch what no other does: to start one takes as long
    as some of them. Such a file has it as its `app`. Where it tried to go beyond this machine is in `ATTEMPTS`. It is
    started in a folder full of foreign modules, and runs none of them."""
    home = tmp_path_factory.mktemp(f"served-{'a-home-whose-path-is-wider-than-a-phone-' * 3}")
    shutil.copytree(demo_home, home, dirs_exist_ok=True)
    traps = set_traps(tmp_path_factory.mktemp("traps") / "folder")
    with served(home, {network_guard.LOG: str(home / ATTEMPTS)}, folder=traps) as running:
        yield running
    assert sprung(traps) == []


@pytest.fixture(scope="session")
def served_team(demo_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """As served_demo, for people who come in by invitation."""
    home = tmp_path_factory.mktemp("team")
    shutil.copytree(demo_home, home, dirs_exist_ok=True)
    with served(home, {"INTERACTEVAL_ACCESS": "invite"}) as running:
        yield running


@pytest.fixture(scope="module")
def served_bundle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """As served_demo, with the project that people get who press “Try the demo”."""
    home = tmp_path_factory.mktemp("bundle")
    with as_file(files(demo_data).joinpath(BUNDLE)) as file, opened(App(home, 0)) as workbench:
        import_project(workbench, file, DEMO_PROJECT)
    with served(home, {}) as running:
        yield running


@pytest.fixture(scope="session")
def browser_path() -> str:
    path = find_browser()  # asked before Playwright starts
    if path is None:
        pytest.fail("No browser was found; `make browser` installs one.")
    return path


@pytest.fixture(scope="session")
def playwright_(browser_path: str) -> Iterator[Playwright]:
    """While it is there its event loop runs in this thread, and no other test can start one."""
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright_: Playwright, browser_path: str) -> Iterator[Browser]:
    """Its pages move nothing, as for people who ask their system for less motion: that saves a tenth of the CPU."""
    launched = playwright_.chromium.launch(executable_path=browser_path, args=list(LAUNCH_ARGUMENTS))
    launched.new_context = partial(launched.new_context, reduced_motion="reduce")  # type: ignore[method-assign]
    yield launched
    launched.close()


@pytest.fixture(scope="session")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One for all tests: a new one reads Streamlit's scripts anew, for three times the CPU of a screen."""
    opened = browser.new_context(viewport={"width": 1280, "height": 900})
    yield opened
    opened.close()


@pytest.fixture
def scheme() -> Literal["light", "dark"]:
    """What a person's computer is set to; a test in the dark says so."""
    return "light"


@pytest.fixture
def page(
    context: BrowserContext, app: App, scheme: Literal["light", "dark"], request: pytest.FixtureRequest
) -> Iterator[Page]:
    """A tab of a person with nothing remembered. Whatever the page tries to fetch elsewhere fails the test."""
    expect.set_options(timeout=PATIENCE_MS)
    context.clear_cookies()
    opened = app.let_in(context).new_page()
    context.new_cdp_session(opened).send(
        "Storage.clearDataForOrigin", {"origin": app.url, "storageTypes": "local_storage"}
    )
    opened.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    opened.set_default_timeout(PATIENCE_MS)
    elsewhere: list[str] = []
    opened.on("request", lambda asked: None if _is_local(asked.url, app.url) else elsewhere.append(asked.url))
    yield opened
    if FAILED in request.node.stash:
        SCREENSHOTS.mkdir(exist_ok=True)
        opened.screenshot(path=SCREENSHOTS / f"{request.node.name}.png", full_page=True)
    for tab in context.pages:
        tab.close()
    assert elsewhere == []


def _is_local(asked: str, own: str) -> bool:
    return asked.startswith((own, own.replace("http", "ws", 1), "data:", "blob:", "about:"))


def begin(page: Page, app: App, name: str) -> None:
    """Somebody opens the demo's Think aloud and says who they are."""
    page.goto(f"{app.url}/think_aloud?project=Demo")
    field = at(page, "expert_typed").get_by_role("textbox")
    expect(field).to_be_visible()
    settled(page)
    field.fill(name)
    line = page.get_by_role("textbox", name="What do you look for?")
    click(at(page, "expert_start").get_by_role("button"), shows=line)


def shown(page: Page, words: str) -> None:
    """Among what this expert has written."""
    expect(at(page, "own_rows").get_by_text(words.strip(), exact=True)).to_be_visible()
    settled(page)


@contextmanager
def opened(app: App) -> Iterator[Workbench]:
    """The data of the server, which runs or will."""
    database = Database(f"sqlite:///{app.home}/workbench.db")
    yield Workbench(database, Credentials())
    database.close()


def written(app: App) -> dict[str, list[str]]:
    """What the database holds on the demo's first dimension, by contributor."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    with opened(app) as workbench:
        project, dimension = get_project(workbench, "Demo"), dimensions_named(workbench, "Demo", "all")[0]
        for attribute in attributes_of(workbench, project.id, dimension.id):
            found[attribute.contributor].append(attribute.text)
    return found
