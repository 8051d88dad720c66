"""Three experts at once on one project, each in a browser of their own: nothing is lost and nothing shown too early."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Page, expect

from pages.components.think_aloud.own_attribute_list import PAGE_SIZE
from tests.e2e.conftest import App, begin, shown, written
from tests.e2e.screen import PATIENCE_MS, at, click, first_of, screen, settled, wait_until

NAMES = ("Ada", "Bo", "Cy")
POINTS = (
    "{} asks whether one sentence follows from another.",
    "{} says <b>bold</b> <script>alert('{}')</script> *stars* :red[red].",
    "{} يقرأ النص من اليمين 🎈",
    "{} goes on: " + "long " * 1000 + "end",
)

# Notes when a message with the words arrives over the web socket, and when they stand in the list.
STOPWATCH = """
const Plain = window.WebSocket;
window.WebSocket = class extends Plain {
  constructor(...given) {
    super(...given);
    this.addEventListener("message", async event => {
      const now = performance.now();
      const bytes = event.data instanceof Blob ? await event.data.arrayBuffer() : event.data;
      const brings = new TextDecoder().decode(bytes).includes(window.words);
      if (brings && !window.answered) window.answered = now;
    });
  }
};
window.watchFor = words => {
  Object.assign(window, { words, answered: 0, painted: 0 });
  const observer = new MutationObserver(() => {
    const rows = document.querySelector(".st-key-own_rows");
    if (!rows || !rows.innerText.includes(words)) return;
    observer.disconnect();
    requestAnimationFrame(() => { window.painted = performance.now(); });
  });
  observer.observe(document.body, { childList: true, subtree: true, characterData: true });
};
"""


pytestmark = pytest.mark.usefixtures("demo")


@pytest.fixture
def experts(browser: Browser, app: App) -> Iterator[dict[str, Page]]:
    """A tab for each, in contexts that share nothing."""
    expect.set_options(timeout=PATIENCE_MS)
    with ExitStack() as opened:
        tabs = {}
        for name in NAMES:
            context = app.let_in(browser.new_context(viewport={"width": 1280, "height": 900}))
            opened.callback(context.close)
            tabs[name] = context.new_page()
            tabs[name].set_default_timeout(PATIENCE_MS)
        yield tabs


def _say(page: Page, words: str) -> None:
    line = page.get_by_role("textbox", name="What do you look for?")
    line.fill(words)
    line.press("Enter")


def _press_first(page: Page, what: str) -> None:
    first_of(page, f"{what}_").get_by_role("button").click()


def _listed(page: Page, *words: str) -> None:
    expect(at(page, "own_rows").get_by_test_id("stText")).to_have_text(words)
    settled(page)


def _changes_of_mind(page: Page, said: list[str]) -> None:
    """Remove and reorder, each kept over a refresh and taken back."""
    newest, second, *rest = [words.strip() for words in said[::-1]]
    _listed(page, newest, second, *rest)
    _press_first(page, "remove")
    _listed(page, second, *rest)
    page.reload()
    _listed(page, second, *rest)
    click(page.get_by_text("Removed by you (1)"), shows=first_of(page, "put_back_").get_by_role("button"))
    _press_first(page, "put_back")
    _listed(page, newest, second, *rest)
    _press_first(page, "down")
    _listed(page, second, newest, *rest)
    page.reload()
    _listed(page, second, newest, *rest)
    _press_first(page, "down")
    _listed(page, newest, second, *rest)


@pytest.mark.long
def test_three_experts_lose_nothing_and_see_nothing_too_early(experts: dict[str, Page], app: App) -> None:
    said = {name: [point.replace("{}", name) for point in POINTS] for name in NAMES}
    for name, page in experts.items():
        begin(page, app, name)
    for turn in range(len(POINTS)):  # all at once: nobody waits for the others' answers
        for name, page in experts.items():
            _say(page, said[name][turn])
        for name, page in experts.items():
            shown(page, said[name][turn])
    assert {name: written(app)[name] for name in NAMES} == said
    for name, page in experts.items():
        others = [words for other in NAMES if other != name for words in said[other]]
        for words in others[:2]:
            expect(page.get_by_text(words)).to_have_count(0)
        page.reload()
        shown(page, said[name][0])
        screen(page, "Attributes")
        expect(page.get_by_text("still hidden from you")).to_be_visible()
        page.reload()
        expect(page.get_by_text("still hidden from you")).to_be_visible()

    for page in experts.values():
        screen(page, "Think aloud")
    _changes_of_mind(experts["Bo"], said["Bo"])
    assert {name: written(app)[name] for name in NAMES} == said

    ada = experts["Ada"]
    click(at(ada, "say_done").get_by_role("button"), shows=ada.get_by_text("See what others wrote"))
    screen(ada, "Attributes")
    expect(ada.get_by_text("41 attributes", exact=True)).to_be_visible()
    screen(experts["Bo"], "Attributes")
    experts["Bo"].reload()
    expect(experts["Bo"].get_by_text("still hidden from you")).to_be_visible()

    context = experts["Cy"].context
    experts["Cy"].close()
    again = context.new_page()
    again.goto(f"{app.url}/think_aloud?project=Demo&expert=Cy")
    shown(again, said["Cy"][0])
    assert {name: written(app)[name] for name in NAMES} == said


@pytest.mark.long
def test_a_save_shows_at_once_among_two_hundred(experts: dict[str, Page], app: App) -> None:
    """From the server's answer, the message that brings the words, to the frame in which they are painted."""
    file = app.home / "ada.txt"
    file.write_text("\n".join(f"Point {number} of Ada." for number in range(200)), encoding="utf-8")
    where = ["--project", "Demo", "--dimension", "coherence", "--contributor", "Ada", "--kind", "human"]
    app.command("attributes", "add", str(file), *where)
    page = experts["Ada"]
    page.add_init_script(STOPWATCH)
    begin(page, app, "Ada")
    waits = []
    for number in range(8):
        words = f"New point {number}."
        page.evaluate("words => window.watchFor(words)", words)
        _say(page, words)
        wait_until(page, "window.painted > 0")
        waits.append(page.evaluate("window.painted - window.answered"))
    print("milliseconds from the answer to the row:", [round(ms) for ms in waits])  # noqa: T201
    # How many milliseconds depends on the machine; that only a page of the rows is drawn doesn't.
    expect(at(page, "own_rows").get_by_test_id("stText")).to_have_count(PAGE_SIZE)
