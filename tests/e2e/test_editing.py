"""Two people edit one draft in two browsers: the second is told, and nobody's words vanish."""

import re
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import App
from tests.e2e.screen import PATIENCE_MS, at, button, click, first_of, reading, settled

QUESTION = "[class*='st-key-open_']:not([class*='open_component'])"
ANAS, BENS = "Does each sentence lead to the next?", "Is every sentence tied to the one before?"

pytestmark = pytest.mark.usefixtures("demo")


@pytest.fixture
def editors(browser: Browser, app: App) -> Iterator[tuple[Page, Page]]:
    """Ana and Ben, in contexts that share nothing."""
    expect.set_options(timeout=PATIENCE_MS)
    app.command("checklist", "restore", "--version", "1", "--project", "Demo", "--dimension", "coherence")
    with ExitStack() as opened:
        tabs = []
        for name in ("Ana", "Ben"):
            context = app.let_in(browser.new_context(viewport={"width": 1280, "height": 1000}))
            opened.callback(context.close)
            page = context.new_page()
            page.set_default_timeout(PATIENCE_MS)
            page.goto(f"{app.url}/checklist?project=Demo&dimension=coherence&editor={name}")
            tabs.append(page)
        yield tabs[0], tabs[1]


@pytest.mark.long
def test_the_second_editor_is_told_and_nobodys_words_vanish(editors: tuple[Page, Page]) -> None:
    ana, ben = editors
    for page, name in ((ana, "Ana"), (ben, "Ben")):
        expect(button(page, f"You edit as {name}")).to_be_visible()
        settled(page)
        click(
            page.locator(QUESTION).get_by_role("button", name="Edit").first,
            shows=page.get_by_role("textbox", name="Wording"),
        )
    ana.get_by_role("textbox", name="Wording").fill(ANAS)
    click(button(ana, "Save question"), hides=ana.get_by_role("textbox", name="Wording"))
    expect(reading(ana, ANAS)).to_be_visible()

    ben.get_by_role("textbox", name="Wording").fill(BENS)
    click(button(ben, "Save question"), shows=ben.get_by_text("Your change is not saved yet."))
    expect(ben.get_by_text("Ana changed this question meanwhile")).to_be_visible()
    expect(reading(ben, ANAS).first).to_be_visible()
    click(first_of(ben, "keep_mine_").get_by_role("button"), hides=ben.get_by_text("Your change is not saved yet."))
    expect(reading(ben, BENS)).to_be_visible()

    ana.reload()
    expect(ana.get_by_text(re.compile("Last change: Ben reworded a question"))).to_be_visible()
    expect(reading(ana, BENS)).to_be_visible()
    settled(ana)
    undo = at(ana, "undo_last")
    expect(undo).to_contain_text("reworded a question")
    click(first_of(ana, "down_").get_by_role("button"), shows=undo.get_by_text("moved a question"))
    click(undo.get_by_role("button"), shows=undo.get_by_text("reworded a question"))
