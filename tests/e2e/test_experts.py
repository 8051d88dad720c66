"""Three experts at once on one project, each in a browser of their own: nothing is lost and nothing shown too early."""

import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from app.services.attributes import attributes_of
from app.services.projects import dimensions_named, get_project
from app.services.workbench import Workbench
from db.unit_of_work import Database
from tests.e2e.conftest import PATIENCE_MS, App

NAMES = ("Ada", "Bo", "Cy")
POINTS = (
    "{} asks whether one sentence follows from another.",
    "{} says <b>bold</b> <script>alert('{}')</script> *stars* :red[red].",
    "{} يقرأ النص من اليمين 🎈",
    "{} goes on: " + "long " * 1000 + "end",
)


@pytest.fixture
def experts(browser: Browser, app: App) -> Iterator[dict[str, Page]]:
    """A tab for each, in contexts that share nothing."""
    expect.set_options(timeout=PATIENCE_MS)
    app.command("demo")
    with ExitStack() as opened:
        tabs = {}
        for name in NAMES:
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            opened.callback(context.close)
            tabs[name] = context.new_page()
            tabs[name].set_default_timeout(PATIENCE_MS)
        yield tabs


def _at(page: Page, key: str) -> Locator:
    return page.locator(f".st-key-{key}")


def _begin(page: Page, app: App, name: str) -> None:
    page.goto(f"{app.url}/think_aloud?project=Demo")
    _at(page, "expert_typed").get_by_role("textbox").fill(name)
    _at(page, "expert_start").get_by_role("button").click()
    expect(page.get_by_role("textbox", name="What do you look for?")).to_be_visible()


def _say(page: Page, words: str) -> None:
    line = page.get_by_role("textbox", name="What do you look for?")
    line.fill(words)
    line.press("Enter")


def _shown(page: Page, words: str) -> None:
    expect(_at(page, "own_rows").get_by_text(words.strip(), exact=True)).to_be_visible()


def _screen(page: Page, name: str) -> None:
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=name, exact=True).click()
    expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()


def _written(app: App) -> dict[str, list[str]]:
    database = Database(f"sqlite:///{app.home}/workbench.db")
    workbench = Workbench(database, credentials=None)  # type: ignore[arg-type]
    project, dimension = get_project(workbench, "Demo"), dimensions_named(workbench, "Demo", "all")[0]
    found = attributes_of(workbench, project.id, dimension.id)
    database.close()
    return {name: [a.text for a in found if a.contributor == name] for name in NAMES}


def test_three_experts_lose_nothing_and_see_nothing_too_early(experts: dict[str, Page], app: App) -> None:
    said = {name: [point.replace("{}", name) for point in POINTS] for name in NAMES}
    for name, page in experts.items():
        _begin(page, app, name)
    for turn in range(len(POINTS)):  # all at once: nobody waits for the others' answers
        for name, page in experts.items():
            _say(page, said[name][turn])
        for name, page in experts.items():
            _shown(page, said[name][turn])
    assert _written(app) == said
    for name, page in experts.items():
        others = [words for other in NAMES if other != name for words in said[other]]
        for words in others[:2]:
            expect(page.get_by_text(words)).to_have_count(0)
        page.reload()
        _shown(page, said[name][0])
        _screen(page, "Attributes")
        expect(page.get_by_text("still hidden from you")).to_be_visible()
        page.reload()
        expect(page.get_by_text("still hidden from you")).to_be_visible()

    ada = experts["Ada"]
    _screen(ada, "Think aloud")
    _at(ada, "say_done").get_by_role("button").click()
    expect(ada.get_by_text("See what others wrote")).to_be_visible()
    _screen(ada, "Attributes")
    expect(ada.get_by_text("39 of 39 attributes")).to_be_visible()
    experts["Bo"].reload()
    expect(experts["Bo"].get_by_text("still hidden from you")).to_be_visible()

    context = experts["Cy"].context
    experts["Cy"].close()
    again = context.new_page()
    again.goto(f"{app.url}/think_aloud?project=Demo&expert=Cy")
    _shown(again, said["Cy"][0])
    assert _written(app) == said


def test_a_save_shows_at_once_among_two_hundred(experts: dict[str, Page], app: App) -> None:
    file = app.home / "ada.txt"
    file.write_text("\n".join(f"Point {number} of Ada." for number in range(200)), encoding="utf-8")
    where = ["--project", "Demo", "--dimension", "coherence", "--contributor", "Ada", "--kind", "human"]
    app.command("attributes", "add", str(file), *where)
    page = experts["Ada"]
    _begin(page, app, "Ada")
    seconds = []
    for number in range(8):
        started = time.perf_counter()
        _say(page, f"New point {number}.")
        _shown(page, f"New point {number}.")
        seconds.append(time.perf_counter() - started)
    print("seconds from Enter to the row:", [round(s, 3) for s in seconds])  # noqa: T201
    assert sorted(seconds)[len(seconds) // 2] < 1.0
