"""From traces to failure rates: thirty replies that nobody rated, a facilitator at a desk, an expert with a phone."""

import csv
import json
import random
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from app.domain.checklist_score import Answer
from app.domain.project import Verdict
from app.providers.credentials import Credentials
from app.services.checklists.expert_answers import own_sheet
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.samples import give_verdict
from db.unit_of_work import Database
from tests.e2e.conftest import App
from tests.e2e.screen import PATIENCE_MS, at, button, click, settled
from tests.e2e.walk import Walk
from tests.support.answering import answer_all

POINTS = (
    "Every sentence is complete, with a verb and an end.",
    "There are no grammatical errors.",
    "Nothing is said twice.",
)


@pytest.fixture
def environment() -> dict[str, str]:
    return {"INTERACTEVAL_ACCESS": "invite"}


@pytest.fixture
def desk(browser: Browser, app: App) -> Iterator[Page]:
    expect.set_options(timeout=PATIENCE_MS)
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    _come_in(page, _link(app, "--owner"))
    yield page
    context.close()


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    yield page
    context.close()


def _link(app: App, *words: str) -> str:
    return str(json.loads(app.command("people", "invite", *words, "--address", app.url, "--json"))["link"])


def _come_in(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="Come in").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    settled(page)


def _replies(path: Path) -> Path:
    """Two in three are complete; the others break off."""
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["doc_id", "system_id", "source", "text"])
        for n in range(30):
            good = f"Thank you for ticket {n}. We have refunded the order today. You will see it in three days."
            bad = f"ticket {n} refund refund and the the order because"
            rows.writerow([f"T{n}", f"bot {n % 2}", f"Where is my refund number {n}?", bad if n % 3 == 0 else good])
    return path


def _fits(page: Page) -> None:
    assert page.evaluate("document.querySelector('.stMain').scrollWidth <= window.innerWidth")


@pytest.mark.long
@pytest.mark.walk
def test_unrated_replies_come_to_failure_rates(app: App, desk: Page, phone: Page, tmp_path: Path) -> None:
    file = _replies(tmp_path / "replies.csv")
    desk.goto(f"{app.url}/texts")
    expect(at(desk, "import_file")).to_be_visible()
    settled(desk)
    walk = Walk(desk, "30 unrated replies to failure rates", limit=20)
    at(desk, "import_file").locator("input[type=file]").set_input_files(file)
    expect(at(desk, "feasibility")).to_be_visible()
    settled(desk)
    walk.click(at(desk, "start_import").get_by_role("button"), shows=at(desk, "report_next"))
    name = at(desk, "dimension_name_new").get_by_role("textbox")
    walk.click(at(desk, "report_next").get_by_role("button"), shows=name)
    name.fill("helpful")
    walk.click(at(desk, "save_new_dimension").get_by_role("button"), shows=desk.get_by_text("helpful: 0 to 1"))

    _think_aloud(app, phone)

    to_build = at(desk, "empty_to_how_it_was_made").get_by_role("button")
    walk.click(at(desk, "door_checklist").get_by_role("link"), shows=to_build)
    walk.click(to_build, shows=button(desk, "Run all stages"))
    walk.click(button(desk, "Run all stages"), shows=desk.get_by_text(re.compile("Version 1 is a draft")))
    walk.click(at(desk, "room_checklist").get_by_role("link"), shows=button(desk, "Publish version 1"))
    walk.click(button(desk, "Publish version 1"), shows=at(desk, "publish_now"))
    walk.click(at(desk, "publish_now").get_by_role("button"), shows=at(desk, "new_draft"))
    way_on = at(desk, "way_on").get_by_role("button")
    walk.click(way_on, shows=at(desk, "start_scoring"))
    walk.click(at(desk, "start_scoring").get_by_role("button"), shows=at(desk, "outcome"))
    walk.click(at(desk, "door_checklist").get_by_role("link"), shows=at(desk, "room_answer"))
    draw = button(desk, "Draw the texts")
    walk.click(at(desk, "room_answer").get_by_role("link"), shows=draw)
    walk.click(draw, shows=desk.get_by_text(re.compile("Your experts find them under My work")))

    _answer(app, phone)

    rates = at(desk, "to_failure_rates").get_by_role("button")
    walk.click(at(desk, "door_results").get_by_role("link"), shows=rates)
    walk.click(rates, shows=button(desk, "Failure rates (CSV)"))
    expect(desk.get_by_text(re.compile(r"Not good: \d+ % \[\d+, \d+\] of the texts"))).to_be_visible()
    expect(desk.get_by_text("no text is rated")).to_have_count(0)
    _fits(desk)
    walk.done()


def _think_aloud(app: App, phone: Page) -> None:
    """On each sample good or not good first, then what made her say so."""
    _come_in(phone, _link(app, "Ana", "--project", "replies"))
    line = phone.get_by_role("textbox", name="What do you look for?")
    click(at(phone, "my_think_aloud_1").get_by_role("button"), shows=line)
    _fits(phone)
    samples = phone.locator("[class*='st-key-sample_']").filter(has_text="Sample")
    expect(samples).to_have_count(4)
    for number in range(4):
        sample = samples.nth(number)
        said = "Not good" if "because" in sample.inner_text() else "Good"
        chosen = sample.get_by_role("radio", name=said, exact=True)
        click(chosen, shows=sample.get_by_text("What made you say so?"))
    for point in POINTS:
        line.fill(point)
        line.press("Enter")
        expect(at(phone, "own_rows").get_by_text(point, exact=True)).to_be_visible()
        settled(phone)
    phone.reload()
    expect(samples.first.get_by_text("What made you say so?")).to_be_visible()
    _fits(phone)
    done = at(phone, "say_done").get_by_role("button")
    click(done, shows=phone.get_by_text(re.compile("See what others")))


def _answer(app: App, phone: Page) -> None:
    """The first text on the screen, the others as the screen keeps them."""
    phone.goto(f"{app.url}/answer?project=replies&dimension=helpful")
    verdict = phone.locator("[class*='st-key-verdict_']").get_by_role("radio", name="Not good", exact=True)
    expect(verdict).to_be_visible()
    settled(phone)
    verdict.click()
    expect(verdict).to_be_checked()
    settled(phone)
    _fits(phone)
    with closing(Database(f"sqlite:///{app.home}/workbench.db")) as database:
        workbench = Workbench(database, Credentials())
        with database.read() as work:
            kept = work.texts.verdicts(1)
            texts = work.texts.many([place.id for place in work.texts.places(1)])
        assert len(kept) == 5
        mine = own_sheet(workbench, 1, "Ana")
        assert mine is not None
        chance = random.Random(1)
        for text in mine.texts:
            bad = "because" in texts[text].text
            give_verdict(workbench, 1, "Ana", text, Verdict.NOT_GOOD if bad else Verdict.GOOD)
            no = {question.id: bad and chance.random() < 0.8 for question in mine.checklist.asked}
            given = {(text, question): Answer.NO if said else Answer.YES for question, said in no.items()}
            answer_all(workbench, mine.draw, "Ana", given)
