"""From a text's answers to the question behind one of them, and back again."""

import re
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Page, expect

from db.unit_of_work import Database
from tests.e2e.conftest import App
from tests.e2e.screen import at, click, first_of, settled


@pytest.mark.usefixtures("demo")
def test_a_question_opens_in_a_draft_and_the_way_back_leads_to_the_same_run_tab_and_text(page: Page, app: App) -> None:
    page.goto(f"{app.url}/results?project=Demo&dimension=fluency&run=1&view=texts")
    expect(page.get_by_role("heading", name="fluency", exact=True)).to_be_visible()
    settled(page)
    page.goto(f"{page.url}&text={_scored_text(app)}")
    edit = first_of(page, "edit_question_").get_by_role("button")
    expect(edit).to_be_visible()
    settled(page)
    before, body = _address(page), at(page, "close_text")
    draft = page.get_by_role("button", name=re.compile("^Publish version 2"))
    click(edit, shows=draft)
    expect(first_of(page, "question_text_").get_by_role("textbox")).to_be_editable()
    page.go_back()
    expect(body).to_be_visible()
    settled(page)
    after = _address(page)
    assert {name: after[name] for name in before} == before
    click(first_of(page, "edit_question_").get_by_role("button"), shows=draft)  # the same draft, no second one
    expect(page.get_by_role("button", name=re.compile("^Publish version 3"))).to_have_count(0)


def _address(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlparse(page.url).query)


def _scored_text(app: App) -> int:
    database = Database(f"sqlite:///{app.home}/workbench.db")
    with database.read() as work:
        dimension = next(d for d in work.projects.dimensions(1) if d.name == "fluency")
        text = min(work.runs.texts_of(1, dimension.id))
    database.close()
    return text
