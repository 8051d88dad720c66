"""Model servers on the owner's computer: each is used and answers after two clicks; a team's server asks none."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import PATIENCE_MS, App, served
from tests.e2e.screen import at, button, click, settled
from tests.support.fake_llm.local_servers import llama_cpp, lm_studio, ollama, port_of
from tests.support.fake_llm.server import FakeLlm

MADE = {"Ollama": ollama, "LM Studio": lm_studio, "llama.cpp": llama_cpp}

pytestmark = pytest.mark.usefixtures("demo")


@pytest.fixture
def servers() -> Iterator[dict[str, FakeLlm]]:
    with ExitStack() as running:
        yield {kind: running.enter_context(made()) for kind, made in MADE.items()}


@pytest.fixture
def environment(servers: dict[str, FakeLlm]) -> dict[str, str]:
    return {"INTERACTEVAL_LOCAL_PORTS": ",".join(str(port_of(server)) for server in servers.values())}


@pytest.mark.long
def test_each_server_answers_after_two_clicks(page: Page, app: App, servers: dict[str, FakeLlm]) -> None:
    page.goto(f"{app.url}/settings")
    for kind, server in servers.items():
        use = at(page, f"model_to_test_use_{port_of(server)}").get_by_role("button")
        expect(use).to_be_visible()
        settled(page)
        click(use, hides=use)
        assert server.requests == [], "to be used costs nothing"
        answered = page.get_by_text(re.compile(rf"^llama:{re.escape(server.models[0])} answered in"))
        click(button(page, "Test connection"), shows=answered)
        assert server.requests, kind

    page.goto(f"{app.url}/scores?project=Demo")  # a chooser of several, on another screen
    first = servers["Ollama"]
    use = at(page, f"score_judge_use_{port_of(first)}").get_by_role("button")
    expect(use).to_be_visible()
    settled(page)
    click(use, hides=use)
    expect(at(page, "score_judge").get_by_text(f"llama:{first.models[0]}", exact=True)).to_be_visible()


@pytest.mark.long
def test_a_teams_server_asks_nothing_on_its_computer(
    browser: Browser, tmp_path: Path, environment: dict[str, str], servers: dict[str, FakeLlm]
) -> None:
    with served(tmp_path, {**environment, "INTERACTEVAL_ACCESS": "invite"}) as app:
        page = browser.new_context().new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.goto(re.findall(r"http\S+", app.command("people", "invite", "--owner", "--address", app.url))[0])
        page.get_by_role("button", name="Come in").click()
        expect(page.get_by_role("heading", level=1, name="Overview", exact=True)).to_be_visible()
        for name in ("settings", "scores?project=Demo", "ask_llms?project=Demo"):
            page.goto(f"{app.url}/{name}")
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            settled(page)
        page.context.close()
    assert [server.looks for server in servers.values()] == [[], [], []]
