"""A real browser on a web server of its own, for benchmarks: what a person waits for is half in the browser."""

import shutil
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from app.benchmarks.sessions import PATIENCE, ServedApp, served_app

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HEARD_MS = 60_000  # no redraw takes as long, also on a busy machine
NO_BROWSER = "not measured: it takes Playwright and Chromium, which `make browser` of a clone installs"
# Counts redraws, so that a click's own is waited for and not the one before it.
COUNT_REDRAWS = """
new MutationObserver(changes => {
  for (const {target} of changes)
    if (target.getAttribute("data-test-script-state") === "notRunning") window.redraws = (window.redraws || 0) + 1;
}).observe(document, {subtree: true, attributeFilter: ["data-test-script-state"]});
"""
# A redraw may be over before the page could see that it had begun: then another screen is known by its title, and what
# a click shows by its words.
ANEW = """(redraws, words) =>
  (window.redraws || 0) > redraws
    || words !== null && document.querySelector("[data-testid=stMain]")?.innerText !== words"""
DRAWN = f"""([redraws, words, picture, left]) => {{
  const main = document.querySelector("[data-testid=stMain]");
  const title = main && main.querySelector("h1")?.innerText;
  const anew = left ? title !== left : ({ANEW})(redraws, words);
  return title && anew && !main.querySelector("[data-stale=true]")
    && document.querySelector("[data-test-script-state=notRunning]") && (!picture || main.querySelector(picture));
}}"""
WORDS = "document.querySelector('[data-testid=stMain]')?.innerText"

Measured = TypeVar("Measured")


def in_browser(database_url: str, measure: Callable[["BrowserContext", ServedApp], Measured]) -> Measured | str:
    """What `measure` finds with a browser and a server on this database; a sentence where no browser is found."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        return NO_BROWSER
    path = next((found for found in map(shutil.which, BROWSERS) if found), None)
    with served_app(database_url) as app, sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        except Error:
            return NO_BROWSER
        tabs = browser.new_context(viewport={"width": 1280, "height": 900}, bypass_csp=True)
        tabs.add_init_script(COUNT_REDRAWS)
        tabs.set_default_timeout(1000 * PATIENCE)
        for name, value in app.cookies.items():
            tabs.add_cookies([{"name": name, "value": value, "url": app.address}])
        try:
            return measure(tabs, app)
        finally:
            browser.close()


def until_drawn(page: "Page", act: Callable[[], object], picture: str = "", left: str = "") -> float:
    """Seconds from the act until the server has drawn all and the browser shows it.

    `picture`: what must stand on the screen at the end. `left`: the title of the screen that the act leads away from.
    """
    loaded = page.url.startswith("http")
    redraws, words = (page.evaluate("window.redraws || 0"), page.evaluate(WORDS)) if loaded else (0, None)
    started = time.perf_counter()
    act()
    if loaded and not left and not _heard(page, redraws, words):
        started = time.perf_counter()
        act()
    page.wait_for_function(DRAWN, arg=[redraws, words, picture, left], polling=10)
    return round(time.perf_counter() - started, 3)


def _heard(page: "Page", redraws: int, words: str | None) -> bool:
    """Whether a redraw has come of a click: nobody hears of one on what is drawn anew under the pointer."""
    from playwright.sync_api import TimeoutError as UnheardError

    try:
        page.wait_for_function(f"([r, w]) => ({ANEW})(r, w)", arg=[redraws, words], polling=10, timeout=HEARD_MS)
    except UnheardError:
        return False
    return True
