"""Benchmark of the Results screen in a real browser: from the click until all is drawn and nothing is computed."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SERVER = Path(__file__).resolve().parents[1] / "server.py"
PATIENCE = 180.0  # seconds; a busy machine starts a server in half a minute
NO_BROWSER = "not measured: it takes Playwright and Chromium, which `make browser` of a clone installs"
# Counts redraws, so that a click's own is waited for and not the one before it.
COUNT_REDRAWS = """
new MutationObserver(changes => {
  for (const {target} of changes)
    if (target.getAttribute("data-test-script-state") === "notRunning") window.redraws = (window.redraws || 0) + 1;
}).observe(document, {subtree: true, attributeFilter: ["data-test-script-state"]});
"""
DRAWN = """([redraws, picture]) => {
  const main = document.querySelector("[data-testid=stMain]");
  return (window.redraws || 0) > redraws && main && main.querySelector("h1") && !main.querySelector("[data-stale=true]")
    && document.querySelector("[data-test-script-state=notRunning]") && (!picture || main.querySelector(picture));
}"""
CHART = "[data-testid=stVegaLiteChart] :is(canvas, svg)"
TABLE = "[data-testid=stDataFrame] canvas"
SENTENCES = "[class*='st-key-verdict_']"


def browser_times(database_url: str) -> dict[str, float] | str:
    """Seconds of each step on the Results screen of the only project there; a sentence where no browser is found."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        return NO_BROWSER
    path = next((found for found in map(shutil.which, BROWSERS) if found), None)
    with _served(database_url) as address, sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        except Error:
            return NO_BROWSER
        tabs = browser.new_context(viewport={"width": 1280, "height": 900})
        tabs.add_init_script(COUNT_REDRAWS)
        tabs.set_default_timeout(1000 * PATIENCE)
        try:
            return _steps(tabs.new_page(), tabs.new_page, address)
        finally:
            browser.close()


def _steps(page: "Page", another_tab: Callable[[], "Page"], address: str) -> dict[str, float]:
    def press(words: str) -> Callable[[], None]:
        return lambda: page.get_by_test_id("stMain").get_by_role("radio", name=words, exact=True).click()

    def unfold(words: str) -> Callable[[], None]:
        return lambda: page.get_by_test_id("stExpander").get_by_text(words).click()

    def one_system() -> None:
        page.get_by_role("combobox", name="System").click()
        page.get_by_role("option").nth(1).click()

    results = page.locator(".st-key-door_results").get_by_role("link")
    times = {
        "overview, opened": _timed(page, lambda: page.goto(address), ""),
        "results, opened": _timed(page, results.click, SENTENCES),
    }
    page, shown = another_tab(), page.url
    times |= {
        "results, by its address in a new tab": _timed(page, lambda: page.goto(shown), SENTENCES),
        "another level": _timed(page, press("Dataset"), SENTENCES),
        "the level before": _timed(page, press("Per source"), SENTENCES),
        "the figures": _timed(page, unfold("The figures as a picture"), CHART),
        "the details": _timed(page, press("Details"), ""),
        "the pictures": _timed(page, unfold("Pictures: how scores"), CHART),
        "the people": _timed(page, unfold("People: how well the raters agree"), TABLE),
        "the questions": _timed(page, press("Questions"), TABLE),
        "the texts": _timed(page, press("Texts"), TABLE),
        "texts, who is kinder": _timed(page, press("Judge kinder"), TABLE),
        "texts, one system": _timed(page, one_system, TABLE),
    }
    return times


def _timed(page: "Page", act: Callable[[], object], picture: str) -> float:
    """`picture`: what must stand on the screen at the end."""
    redraws = page.evaluate("window.redraws || 0") if page.url.startswith("http") else 0
    started = time.perf_counter()
    act()
    page.wait_for_function(DRAWN, arg=[redraws, picture], polling=10)
    return round(time.perf_counter() - started, 3)


@contextmanager
def _served(database_url: str) -> Iterator[str]:
    """The address of a server that is there for the length of the block."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = os.environ | {"INTERACTEVAL_DATABASE_URL": database_url}
    server = subprocess.Popen(  # noqa: S603 - our own words
        [sys.executable, str(SERVER), "127.0.0.1", str(port)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        address = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + PATIENCE
        while not _answers(f"{address}/_stcore/health"):
            if server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("The web server did not start.")
            time.sleep(0.1)
        yield address
    finally:
        server.terminate()
        server.wait()


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=1):  # noqa: S310 - our own address
            return True
    except OSError:
        return False
