"""A team's server as it is deployed: PostgreSQL, two web processes and two workers, Caddy before them. One of each is
killed while everybody works."""

import json
import os
import signal
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlparse

import pytest
from playwright.sync_api import Browser, Page, expect

from app.domain.job import JobStatus
from app.limits import CONCURRENCY, texts_at_once
from app.services.attributes.attributes import attributes_of
from app.services.background.jobs import living_workers
from app.services.data.projects import dimensions_named, get_project
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, get_run
from app.services.scoring.scoring_jobs import begin_scoring, job_key
from db.unit_of_work import Database
from tests.e2e.conftest import CONSOLE, App, shown
from tests.e2e.screen import PATIENCE_MS, at, click, settled
from tests.support.background import PATIENCE, wait_for
from tests.support.caddy import caddy_before, free_port
from tests.support.demo.small import small_demo
from tests.support.modern_vendors import ModernVendors, modern_vendors
from tests.support.oidc_provider import CLIENT, SECRET, oidc_provider
from tests.support.postgres import new_postgres, postgres_server

pytestmark = pytest.mark.long

NAMES = ("Ada", "Bo", "Cy")
SLOW = "slow=8"


@dataclass
class Team:
    """`web` are the processes behind `url`; `bench` looks into their database."""

    url: str
    web: list[App]
    workers: list[subprocess.Popen[bytes]]
    bench: Workbench
    vendors: ModernVendors

    def written(self) -> dict[str, list[str]]:
        """What is kept on the demo's first dimension, by contributor."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        project, dimension = get_project(self.bench, "Demo"), dimensions_named(self.bench, "Demo", "all")[0]
        for attribute in attributes_of(self.bench, project.id, dimension.id):
            found[attribute.contributor].append(attribute.text)
        return found

    def asked(self) -> int:
        return int(self.vendors.state(SLOW).get("requests", 0))


@pytest.fixture(params=["invite", "oidc"])
def access(request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """How people come in, as the servers are told."""
    if request.param == "invite":
        yield {"INTERACTEVAL_ACCESS": "invite"}
        return
    with oidc_provider() as provider:
        yield {
            "INTERACTEVAL_ACCESS": "oidc",
            "INTERACTEVAL_OIDC_DISCOVERY": provider.discovery,
            "INTERACTEVAL_OIDC_CLIENT": CLIENT,
            "INTERACTEVAL_OIDC_SECRET": SECRET,
            "INTERACTEVAL_OIDC_ALLOWED": "lab.example",
        }


@pytest.fixture(scope="module")
def demo_database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A PostgreSQL server's address, and the name of a database there with the demo, for each team to have a copy."""
    with postgres_server(tmp_path_factory.mktemp("runtime")) as server:
        address = new_postgres(server)
        small_demo(tmp_path_factory.mktemp("demo"), address)
        yield server, urlparse(address).path.removeprefix("/")


@pytest.fixture
def team(
    tmp_path: Path,
    demo_database: tuple[str, str],
    access: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Team]:
    monkeypatch.setattr("app.services.background.jobs.WORKER_TIMEOUT", timedelta(days=1))  # machines may be slow
    with ExitStack() as running:
        vendors = running.enter_context(modern_vendors())
        address = new_postgres(*demo_database)
        port, ports = free_port(), [free_port(), free_port()]
        url = f"http://127.0.0.1:{port}"
        variables = {
            "INTERACTEVAL_DATABASE_URL": address,
            **access,
            "INTERACTEVAL_ADDRESS": url,
            "INTERACTEVAL_COOKIE_SECRET": "of the test",
            "OPENAI_BASE_URL": vendors.address("openai", SLOW),
            "OPENAI_API_KEY": "sk-local",
        }
        web = [App(tmp_path, one, variables) for one in ports]
        for one in web:
            one.start()
            running.callback(_end, one)
        workers = []
        for _ in range(2):
            worker = subprocess.Popen([CONSOLE, "worker"], env=web[0]._environment(), stderr=subprocess.DEVNULL)
            running.callback(worker.wait)
            running.callback(worker.kill)
            workers.append(worker)
        running.enter_context(caddy_before(ports, port, tmp_path))
        bench = Workbench(Database(address), vendors.credentials(SLOW))
        running.callback(bench.database.close)
        yield Team(url, web, workers, bench, vendors)


def _end(one: App) -> None:
    if one.process is not None and one.process.poll() is None:
        one.stop()


def begin(page: Page, team: Team, name: str) -> None:
    """Come in by a link of one's own, having said who one is where a provider asks, and begin to think aloud."""
    words = ("people", "invite", name, "--project", "Demo", "--json")
    page.goto(str(json.loads(team.web[0].command(*words))["link"]))
    if team.web[0].environment["INTERACTEVAL_ACCESS"] == "oidc":
        page.get_by_role("link", name="Sign in").click()
        page.get_by_label("Your name").fill(name)
        page.get_by_role("button", name="Go on").click()
    page.get_by_role("button", name="Come in").click()
    expect(page.get_by_role("heading", level=1, name="My work", exact=True)).to_be_visible()
    settled(page)
    line = page.get_by_role("textbox", name="What do you look for?")
    click(at(page, "my_think_aloud_1").get_by_role("button"), shows=line)


def say(page: Page, words: str) -> None:
    line = page.get_by_role("textbox", name="What do you look for?")
    line.fill(words)
    line.press("Enter")
    shown(page, words)


def points(name: str, numbers: range) -> list[str]:
    return [f"Point {number} of {name}." for number in numbers]


def test_nothing_is_lost_when_a_web_process_and_a_worker_are_killed(team: Team, browser: Browser) -> None:
    expect.set_options(timeout=PATIENCE_MS)
    with ExitStack() as opened:
        pages = {}
        for name in NAMES:
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            opened.callback(context.close)
            pages[name] = context.new_page()
            pages[name].set_default_timeout(PATIENCE_MS)
            begin(pages[name], team, name)
        assert len(living_workers(team.bench)) == 2
        for name in NAMES:
            for words in points(name, range(3)):
                say(pages[name], words)
        served_by = {name: _sticky(pages[name]) for name in NAMES}
        run = _score(team)
        _kill_the_worker_at_work(team)
        killed = team.web[0].process
        assert killed is not None
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait()
        for name in NAMES:
            page = pages[name]
            page.goto(f"{team.url}/think_aloud?project=Demo&dimension=coherence")
            for words in points(name, range(3)):
                shown(page, words)
            for words in points(name, range(3, 6)):
                say(page, words)
            for other in NAMES:
                expect(page.get_by_text(f"of {other}.")).to_have_count(6 if other == name else 0)
        found = team.written()
        assert {name: found[name] for name in NAMES} == {name: points(name, range(6)) for name in NAMES}
        assert all(served_by.values())
        job = wait_for(job_key(1), team.bench)
        assert job is not None
        assert (job.status, job.bound) == (JobStatus.DONE, False)
        scored = get_run(team.bench, run)
        assert scored.done == scored.all
        assert scored.all <= team.asked() <= scored.all + texts_at_once(CONCURRENCY)


def _score(team: Team) -> int:
    coherence = dimensions_named(team.bench, "Demo", "coherence")[0]
    project = get_project(team.bench, "Demo")
    options = RunOptions((coherence,), "openai:gpt-4o")
    with ThreadPoolExecutor(1) as aside:  # Playwright's event loop runs in this thread, and no other can start there
        return aside.submit(begin_scoring, team.bench, project.id, options).result()[0]


def _kill_the_worker_at_work(team: Team) -> None:
    """Known by the process number in its name; killed while replies are under way."""
    limit = time.monotonic() + PATIENCE
    while not team.asked():
        assert time.monotonic() < limit, "no worker asks anything"
        time.sleep(0.02)
    with team.bench.database.read() as work:
        writers = work.jobs.writers()
    (at_work,) = (one for one in team.workers if any(f"|{one.pid}-" in writer for writer in writers))
    at_work.kill()


def _sticky(page: Page) -> str:
    """The web process that Caddy keeps this browser at."""
    cookies = page.context.cookies()
    return next((str(one.get("value")) for one in cookies if one.get("name") == "interacteval_server"), "")
