"""The pictures of the guide and of README.md, taken from the screens as they are: `make pictures`.

Two servers on home folders of their own: one as on a person's own computer with the demo, one of a team, on which Ana
Silva has a part as an expert in the same demo.
"""

import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from tests.e2e.conftest import App, served
from tests.e2e.screen import PATIENCE_MS, at, button, click, press_key, screen, settled
from tests.support.browser import LAUNCH_ARGUMENTS, find_browser
from tests.support.demo.small import small_demo
from tests.support.guide.pictured import PICTURED
from tests.support.guide.site import SOURCES
from tests.support.repository import ROOT
from tests.support.small_project import small_csv

PICTURES = SOURCES / "pictures"
README = ROOT / "docs" / "screenshot.png"
SIZE: ViewportSize = {"width": 1280, "height": 800}
WITH_AXIS: ViewportSize = {"width": 1280, "height": 900}
"""For Results: down to the axis and legend of its picture."""
COLOURS = 192
"""Screens have few; a picture takes a third of the room."""
POINTS = (
    "Each sentence follows from the one before it.",
    "The most important thing comes first.",
    "Nothing is told twice.",
)


def main() -> None:
    path = find_browser()
    if path is None:
        sys.exit("No browser was found; `make browser` installs one.")
    os.environ.setdefault("PYTHONPATH", str(ROOT))
    os.environ["INTERACTEVAL_LOCAL_PORTS"] = "none"  # what runs on the developer's computer is no part of a picture
    PICTURES.mkdir(exist_ok=True)
    expect.set_options(timeout=PATIENCE_MS)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(LAUNCH_ARGUMENTS))
        for name, access, walk in (("own", "local", _facilitator), ("team", "invite", _expert)):
            home = Path(folder) / name
            home.mkdir()
            if access == "local":
                program = str(Path(sys.executable).with_name("interacteval"))
                subprocess.run(
                    [program, "demo"],
                    env=os.environ | {"INTERACTEVAL_HOME": str(home)},
                    check=True,
                    capture_output=True,
                )
            else:
                small_demo(home)
            with served(home, {"INTERACTEVAL_ACCESS": access}) as app, _tab(browser, app) as page:
                walk(page, app)
        browser.close()


@contextmanager
def _tab(browser: Browser, app: App) -> Iterator[Page]:
    context = app.let_in(browser.new_context(viewport=SIZE, color_scheme="light", locale="en-GB"))
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    yield page
    context.close()


def _take(page: Page, path: Path) -> None:
    page.mouse.move(0, 0)
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def _picture(page: Page, name: str) -> None:
    """Of the screen that it is said to be of, or of none."""
    settled(page)
    opened = urlsplit(page.url).path.strip("/")
    assert (opened or "overview") == PICTURED[name], f"{name} would show {opened}"
    _take(page, PICTURES / f"{name}.png")


def _opened(page: Page, app: App, name: str, title: str) -> None:
    page.goto(f"{app.url}/{name}?project=Demo&dimension=coherence")
    expect(page.get_by_role("heading", level=1, name=title, exact=True)).to_be_visible()
    settled(page)


def _facilitator(page: Page, app: App) -> None:
    _opened(page, app, "", "Overview")
    _picture(page, "overview")
    _opened(page, app, "texts", "Texts")
    page.get_by_text("Import", exact=True).first.click()
    page.locator("input[type=file]").first.set_input_files(small_csv(app.home / "summaries.csv"))
    page.get_by_text("Into a new project", exact=True).click()
    expect(page.get_by_text("What you will be able to do with them")).to_be_visible()
    settled(page)
    page.get_by_text("The first of 18 rows").evaluate("line => line.scrollIntoView()")
    _picture(page, "import")
    for name, title in (
        ("ask_llms", "Ask LLMs"),
        ("attributes", "Attributes"),
        ("how_it_was_made", "How it was made"),
        ("checklist", "Checklist"),
        ("scores", "Scores"),
        ("results", "Results"),
    ):
        page.set_viewport_size(WITH_AXIS if name == "results" else SIZE)
        _opened(page, app, name, title)
        _picture(page, name.replace("_", "-"))
    _take(page, README)
    page.set_viewport_size(SIZE)
    page.get_by_text("Questions", exact=True).first.click()
    expect(page.get_by_text("Discrimination").first).to_be_attached()
    _picture(page, "questions")


def _expert(page: Page, app: App) -> None:
    app.command("answers", "draw", "--project", "Demo", "--dimension", "coherence", "--texts", "2")
    invited = app.command("people", "invite", "Ana Silva", "--project", "Demo", "--address", app.url, "--json")
    page.goto(str(json.loads(invited)["link"]))
    expect(page.get_by_role("button", name="Come in")).to_be_visible()
    _take(page, PICTURES / "expert-link.png")
    page.get_by_role("button", name="Come in").click()
    expect(page.get_by_role("heading", level=1, name="My work", exact=True)).to_be_visible()
    _picture(page, "expert-my-work")
    line = page.get_by_role("textbox", name="What do you look for?")
    click(at(page, "my_think_aloud_1").get_by_role("button"), shows=line)
    _picture(page, "expert-samples")
    for point in POINTS:
        line.fill(point)
        line.press("Enter")
        expect(at(page, "own_rows").get_by_text(point, exact=True)).to_be_visible()
        settled(page)
    line.scroll_into_view_if_needed()
    _picture(page, "expert-points")
    click(button(page, "I am done"), shows=page.get_by_text("See what others wrote"))
    _picture(page, "expert-done")
    screen(page, "Attributes")
    _picture(page, "expert-attributes")
    screen(page, "Checklist")
    _picture(page, "expert-checklist")
    _opened(page, app, "answer", "Answer")
    _answers(page)


def _answers(page: Page) -> None:
    """The two texts that are drawn, from the first question on."""
    current = at(page, "answer_current")
    expect(current.get_by_role("button", name="Yes")).to_be_visible()
    _picture(page, "expert-answer")
    questions = int(current.inner_text().split("Question 1 of ")[1].split()[0])
    answered = page.get_by_text("questions about this text are answered")
    second = at(page, "answering").get_by_text("Text 2 of 2")
    for way_on, ends in (("Next text", second), ("Finish", page.get_by_text("answered. Thank you"))):
        for number in range(2, questions + 2):
            following = current.get_by_text(f"Question {number} of") if number <= questions else answered
            press_key(page, "yn"[number % 2], shows=following)
        if way_on == "Next text":
            _picture(page, "expert-answered")
        click(current.get_by_role("button", name=way_on), shows=ends)
    _picture(page, "expert-finished")


if __name__ == "__main__":
    main()
