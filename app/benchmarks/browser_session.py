"""A real browser on a web server of its own, for benchmarks: what a person waits for is half in the browser."""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.cookies import SimpleCookie
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from app.services.people.sign_ins import PARAMETER
from app.settings import START_TOKEN

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SERVER = Path(__file__).resolve().parents[1] / "server.py"
PATIENCE = 180.0  # seconds; a busy machine starts a server in half a minute
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


@dataclass(frozen=True, slots=True)
class ServedApp:
    """A running server; `process` is its id, `cookies` are those of a browser that came in by its link."""

    address: str
    process: int
    cookies: Mapping[str, str]

    def processor_seconds(self) -> float | None:
        """What it has had of the processor since it started, in steps of 10 ms; None where the system doesn't tell."""
        try:
            fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return None
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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


@contextmanager
def served_app(database_url: str) -> Iterator[ServedApp]:
    """A server that is there for the length of the block."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_urlsafe()
    environment = os.environ | {"INTERACTEVAL_DATABASE_URL": database_url, START_TOKEN: token}
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
        yield ServedApp(address, server.pid, _let_in(f"{address}/?{PARAMETER}={token}"))
    finally:
        server.terminate()
        server.wait()


def _let_in(link: str) -> dict[str, str]:
    with urllib.request.urlopen(link) as answer:  # noqa: S310 - our own address
        kept = SimpleCookie("\n".join(answer.headers.get_all("Set-Cookie", [])))
    return {name: morsel.value for name, morsel in kept.items()}


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=1):  # noqa: S310 - our own address
            return True
    except OSError:
        return False
