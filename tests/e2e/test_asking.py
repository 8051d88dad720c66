"""An LLM of each vendor thinks aloud about every dimension; one that fails stops nobody, a second round adds."""

from collections.abc import Iterator
from threading import Event

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import App, written
from tests.e2e.screen import at, button, click, settled
from tests.support.all_vendors import SERVED, SUGGESTED, all_but_google, environment_of, thinks_aloud_again
from tests.support.fake_llm.behaviour import Held
from tests.support.fake_llm.server import FakeLlm

FAILED = "google:gemini-3.8-flash"

pytestmark = pytest.mark.usefixtures("demo")


@pytest.fixture
def server() -> Iterator[FakeLlm]:
    with FakeLlm(usual=all_but_google, models=SERVED) as running:
        yield running


@pytest.fixture
def environment(server: FakeLlm) -> dict[str, str]:
    return environment_of(server)


@pytest.mark.long
def test_a_model_of_each_vendor_is_asked_about_everything_and_once_more(page: Page, app: App, server: FakeLlm) -> None:
    before = written(app)
    server.listing = held = Held(Event())
    page.goto(f"{app.url}/ask_llms?project=Demo")
    expect(button(page, "Ask 4 models")).to_be_visible()
    held.released.set()
    ask, again = button(page, "Ask 5 models"), button(page, "Ask it again")
    expect(ask.or_(again)).to_be_visible()  # the fifth joins once the endpoint has said which models it has
    if again.is_visible():  # the screen came so slowly that nobody waits for the list any more
        click(again, shows=ask)
    settled(page)
    for name in SUGGESTED:
        expect(at(page, "ask_models").get_by_text(name, exact=True)).to_be_visible()
    click(page.get_by_text("All dimensions"), shows=page.get_by_role("radio", name="All dimensions", checked=True))
    failure = page.get_by_text(f"{FAILED} did not answer")
    click(ask, shows=failure)
    expect(page.get_by_text("48 attributes came in. 4 answers did not come")).to_be_visible()

    server.usual = thinks_aloud_again  # of three points two were said before, by all but the one that failed
    expect(ask).to_be_visible()
    settled(page)
    click(ask, shows=page.get_by_text("28 attributes came in."), hides=failure)
    after = written(app)
    assert {name: len(points) for name, points in after.items() if name in SUGGESTED} == {
        name: 3 if name == FAILED else 4 for name in SUGGESTED
    }
    assert {name: after[name] for name in before} == before
