"""A team: each comes in by a link of their own, does their own work at once, and nobody can be somebody else."""

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import App, shown, written
from tests.e2e.screen import PATIENCE_MS, at, choose, click, press_key, settled

MINE = ("My work", "Attributes", "Checklist")  # the doors of an expert; a step that is done has a mark
NAMES = ("Ada", "Bo")

pytestmark = pytest.mark.usefixtures("demo")

LOW = """() => [...document.querySelectorAll(`.stMain :is([data-testid^='stBaseButton'], [data-testid^='stPageLink'],
  [data-testid='stPopoverButton'], .react-aria-ComboBox)`)].map(one => one.getBoundingClientRect())
  .filter(box => box.height > 0 && box.height < 44).map(box => box.height)"""
SCROLLING = """() => [...document.querySelectorAll(".stMain :not(textarea)")].filter(one =>
  ["auto", "scroll"].includes(getComputedStyle(one).overflowY) && one.scrollHeight > one.clientHeight + 2)
  .map(one => one.className)"""


@pytest.fixture
def environment() -> dict[str, str]:
    return {"INTERACTEVAL_ACCESS": "invite"}


@pytest.fixture
def tabs(browser: Browser, app: App) -> Iterator[dict[str, Page]]:
    """One for each, in contexts that share nothing."""
    expect.set_options(timeout=PATIENCE_MS)
    with ExitStack() as opened:
        found = {}
        for name in (*NAMES, "Owner"):
            context = app.let_in(browser.new_context(viewport={"width": 1280, "height": 900}))
            opened.callback(context.close)
            found[name] = context.new_page()
            found[name].set_default_timeout(PATIENCE_MS)
        yield found


def link(app: App, *words: str) -> str:
    return str(json.loads(app.command("people", "invite", *words, "--address", app.url, "--json"))["link"])


def come_in(page: Page, address: str, title: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="Come in").click()
    expect(page.get_by_role("heading", level=1, name=title, exact=True)).to_be_visible()
    settled(page)


def begin_thinking_aloud(page: Page) -> None:
    line = page.get_by_role("textbox", name="What do you look for?")
    click(at(page, "my_think_aloud_1").get_by_role("button"), shows=line)


def unfold(page: Page, key: str, title: str, shows: str) -> None:
    at(page, key).get_by_text(title).click()
    expect(at(page, shows)).to_be_visible()


def say(page: Page, words: str) -> None:
    line = page.get_by_role("textbox", name="What do you look for?")
    line.fill(words)
    line.press("Enter")
    shown(page, words)


@pytest.mark.long
def test_each_does_their_own_work_and_the_facilitator_sees_how_far_they_are(app: App, tabs: dict[str, Page]) -> None:
    for name in NAMES:
        come_in(tabs[name], link(app, name, "--project", "Demo"), "My work")
        doors = at(tabs[name], "doors").get_by_role("link")
        expect(doors).to_have_text([re.compile(f"{door}$") for door in MINE])  # no marks of what the project has
        begin_thinking_aloud(tabs[name])
    for name in NAMES:
        say(tabs[name], f"What {name} looks for.")
    app.stop()
    app.start()  # signed in as before, with what was written
    for name in NAMES:
        page = tabs[name]
        page.goto(f"{app.url}/think_aloud?project=Demo&expert=Somebody")
        shown(page, f"What {name} looks for.")
        other = next(one for one in NAMES if one != name)
        expect(page.get_by_text(f"What {other} looks for.")).to_have_count(0)
        page.goto(f"{app.url}/attributes?project=Demo")
        expect(page.get_by_text("is still hidden from you")).to_be_visible()
        page.goto(f"{app.url}/scores?project=Demo")
        expect(page.get_by_text("This screen isn't part of what you do")).to_be_visible()
    found = written(app)
    assert {name: found[name] for name in NAMES} == {name: [f"What {name} looks for."] for name in NAMES}

    app.command("think-aloud", "--project", "Demo", "--dimension", "coherence", "--contributor", "Bo", "--done")
    reader = tabs["Bo"]
    reader.goto(f"{app.url}/attributes?project=Demo&dimension=coherence")
    expect(reader.get_by_text("What Bo looks for.", exact=True)).to_be_visible()
    listed = reader.locator(".attribute-list")
    expect(listed.get_by_role("checkbox").or_(listed.get_by_role("button"))).to_have_count(0)  # read, and no more

    tabs["Ada"].goto(f"{app.url}/think_aloud?project=Demo")
    shown(tabs["Ada"], "What Ada looks for.")
    owner = tabs["Owner"]
    come_in(owner, link(app, "--owner"), "Overview")
    owner.goto(f"{app.url}/people?project=Demo")
    unfold(owner, "invite_somebody", "Invite somebody", shows="invite_name")
    at(owner, "invite_name").get_by_role("textbox").fill("Cy")
    # Not by the button: leaving the field takes its hint away, and the button moves from under the pointer.
    press_key(owner, "Enter", shows=owner.get_by_text(f"{app.url}/enter?key="))
    unfold(owner, "revoke_somebody", "Remove a member", shows="revoke_name")
    choose(at(owner, "revoke_name").get_by_role("combobox"), "Ada")
    sure = at(owner, "revoke_for_sure").get_by_role("button")
    click(at(owner, "revoke_now").get_by_role("button"), shows=sure)
    click(sure, shows=owner.get_by_test_id("stToast"))

    ada = tabs["Ada"]
    line = ada.get_by_role("textbox", name="What do you look for?")
    line.fill("What comes too late.")
    line.press("Enter")
    expect(ada.get_by_text("You are signed out")).to_be_visible()
    ada.reload()
    expect(ada.get_by_text("This is open to people who were invited")).to_be_visible()
    assert written(app)["Ada"] == ["What Ada looks for."]


def test_a_stranger_sees_nothing_of_the_app(served_team: App, browser: Browser) -> None:
    used = served_team.invitation("Ada")
    with browser.new_context() as invited, browser.new_context() as other:
        ada, stranger = invited.new_page(), other.new_page()
        come_in(ada, used, "My work")
        for address in ("", "/results?project=Demo", "/_stcore/host-config"):
            answer = stranger.goto(served_team.url + address)
            assert answer is not None
            assert answer.status == 401
            assert "Demo" not in stranger.content()
        stranger.goto(used)
        expect(stranger.get_by_text("used already")).to_be_visible()
        ada.get_by_role("link", name="Sign out").click()
        ada.get_by_role("button", name="Sign out").click()
        expect(ada.get_by_text("You are signed out")).to_be_visible()
        answer = ada.goto(served_team.url)
        assert answer is not None
        assert answer.status == 401


@pytest.mark.long
def test_phone_menu_closes_targets_are_high_and_only_the_page_scrolls(browser: Browser, app: App) -> None:
    """As an invited expert."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    come_in(page, link(app, "Ana", "--project", "Demo"), "My work")
    assert at(page, "notice").evaluate("notice => notice.getBoundingClientRect().height <= 48")  # one line
    menu = page.get_by_test_id("stSidebar")
    page.get_by_test_id("stExpandSidebarButton").click()
    ideas = menu.get_by_role("link", name="Attributes")
    ideas.click()
    expect(page.get_by_role("heading", level=1, name="Think aloud", exact=True)).to_be_visible()
    expect(ideas).not_to_be_in_viewport()
    settled(page)
    for address in ("overview", "think_aloud", "answer", "decide_together", "which_is_better", "side_by_side"):
        page.goto(f"{app.url}/{address}?project=Demo")
        expect(page.get_by_role("heading", level=1).first).to_be_visible()
        settled(page)
        assert page.evaluate(LOW) == [], address
        assert page.evaluate(SCROLLING) == [], address
        assert page.evaluate("document.querySelector('.stMain').scrollWidth <= 390"), address
        if address == "think_aloud":  # a keyboard that comes up scrolls, and that would close the list of samples
            expect(at(page, "say").get_by_role("combobox")).to_have_attribute("inputmode", "none")
    context.close()


@pytest.mark.long
def test_phone_values_have_names_and_the_text_comes_first(browser: Browser, app: App) -> None:
    """As an invited facilitator."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    come_in(page, link(app, "Fay", "--project", "Demo", "--role", "facilitator"), "Overview")
    expect(at(page, "column_names_ready")).to_be_hidden()
    expect(at(page, "ready").get_by_text("Scores", exact=True).locator("visible=true")).to_have_count(4)
    page.goto(f"{app.url}/checklist?project=Demo&dimension=coherence&checklist_part=try")
    expect(at(page, "try_rows")).to_be_visible()
    settled(page)
    text, rows = at(page, "try_text_body").bounding_box(), at(page, "try_rows").bounding_box()
    assert text is not None
    assert rows is not None
    assert text["y"] + text["height"] < rows["y"]
    page.goto(f"{app.url}/why_these_questions?project=Demo&dimension=coherence")
    picture = at(page, "wide_lineage_picture")
    expect(picture.get_by_test_id("stVegaLiteChart")).to_be_visible()
    settled(page)
    assert page.evaluate("document.querySelector('.stMain').scrollWidth <= 390")
    assert picture.get_by_test_id("stVegaLiteChart").evaluate("chart => chart.getBoundingClientRect().width > 600")
    context.close()


@pytest.mark.long
def test_phone_shows_the_chosen_text_and_values_in_full(browser: Browser, app: App) -> None:
    """As an invited facilitator."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    come_in(page, link(app, "Fay", "--project", "Demo", "--role", "facilitator"), "Overview")
    page.goto(f"{app.url}/texts?project=Demo")
    names = page.locator("[class*='st-key-read_text_']")
    expect(names).to_have_count(20)
    settled(page)
    text = at(page, "open_text_body")
    before = text.inner_text()
    names.nth(7).get_by_role("button").click()
    expect(text).not_to_have_text(before)
    expect(text).to_be_in_viewport()
    page.goto(f"{app.url}/compare?project=Demo")
    settled(page)
    view = at(page, "compare_view").get_by_text("Effect on the scores", exact=True)
    click(view, shows=at(page, "contribution_run"))
    run = at(page, "contribution_run").get_by_test_id("stSelectbox")
    expect(run).to_have_attribute("data-whole", run.get_by_role("combobox").input_value())
    level = at(page, "project").get_by_test_id("stSelectbox")
    assert level.get_attribute("data-whole") is None
    context.close()
