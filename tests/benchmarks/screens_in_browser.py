"""Benchmark of every screen in a real browser: a walk over all links of the navigation, several times.

The first round finds each screen as somebody does who opens it before anybody else since the server started; the later
ones, warm, are what everyday use is made of. The clock tells what a person waits on this machine with all else that it
does; seconds of the processor can be compared between busy hours and quiet ones.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from app.benchmarks.sessions import ServedApp
from tests.benchmarks.browser import in_browser, until_drawn

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, CDPSession, Locator, Page

ROUNDS = 6
CLICKS, CLICK_HEARD_MS = 3, 20_000
NAVIGATION, ROOMS = ".st-key-doors", ".st-key-rooms"
RESEARCH, SET_UP = ".st-key-doors_research", ".st-key-doors_set_up"
# A link names its screen before the query; the first screen has the empty name.
SCREENS = "links => links.map(link => link.getAttribute('href').split('?')[0].split('/').pop() || 'overview')"
QUIET_MS = 300  # what a screen still does after it is drawn counts for the processor


@dataclass(frozen=True, slots=True)
class ScreenLook:
    """Seconds from the click until all is drawn, and of the processor: the server's (None where unknown), the page's.

    `screen`: the last part of its address.
    """

    screen: str
    seconds: float
    server: float | None
    browser: float


def screens_times(database_url: str) -> dict[str, Any] | str:
    """What each screen of the only project there takes, at first and warm; a sentence where no browser is found."""
    return in_browser(database_url, lambda tabs, app: summary(_walk(tabs, app)))


def summary(looks: Sequence[ScreenLook]) -> dict[str, Any]:
    """For each screen its first look, and the median and the longest of its later ones; the same of all screens."""
    by_screen: dict[str, list[ScreenLook]] = {}
    for look in looks:
        by_screen.setdefault(look.screen, []).append(look)
    first = [found[0] for found in by_screen.values()]
    warm = [look for found in by_screen.values() for look in found[1:]]
    return {
        "every screen": {"first": _spread(first), "warm": _spread(warm)},
        **{name: {"first": _spread(found[:1]), "warm": _spread(found[1:])} for name, found in by_screen.items()},
    }


def _spread(looks: Sequence[ScreenLook]) -> dict[str, dict[str, float]]:
    """Median and longest, by the clock, of the server's processor and of the browser's."""
    measured = {
        "seconds": [look.seconds for look in looks],
        "server_cpu_seconds": [look.server for look in looks if look.server is not None],
        "browser_cpu_seconds": [look.browser for look in looks],
    }
    return {
        name: {"median": round(median(values), 3), "longest": round(max(values), 3)}
        for name, values in measured.items()
        if values
    }


def _walk(tabs: "BrowserContext", app: ServedApp) -> list[ScreenLook]:
    page = tabs.new_page()
    processor = tabs.new_cdp_session(page)
    processor.send("Performance.enable")
    looks = [_look(page, processor, app, "overview", lambda: page.goto(app.address))]
    page.locator(f"{NAVIGATION} a:visible").first.wait_for()  # what stands beside the screen may come after it
    for _ in range(ROUNDS):
        for screen, link in _links(page):
            # A link to the screen that is open changes nothing; the first screen is where the first round begins.
            if screen != looks[-1].screen:
                looks.append(_look(page, processor, app, screen, partial(_follow, page, link, screen)))
    return looks


def _screen_at(url: str) -> str:
    return urlsplit(url).path.strip("/") or "overview"


def _follow(page: "Page", link: "Locator", screen: str) -> None:
    """Click, once more where the link was drawn anew under the pointer, so that nobody heard of it."""
    from playwright.sync_api import TimeoutError as UnheardError

    for _ in range(CLICKS):
        link.click()
        try:
            page.wait_for_url(lambda url: _screen_at(url) == screen, timeout=CLICK_HEARD_MS)
        except UnheardError:
            continue
        return


def _links(page: "Page") -> Iterator[tuple[str, "Locator"]]:
    """Every screen and the link to it, as they come into sight: those of a room are there once its door is open."""
    for door in _in_place(page, NAVIGATION):
        yield door
        yield from list(_in_place(page, ROOMS))[1:]
    for place in (RESEARCH, SET_UP):
        yield from _in_place(page, place)


def _in_place(page: "Page", place: str) -> Iterator[tuple[str, "Locator"]]:
    links = page.locator(f"{place} a:visible")
    return ((name, links.nth(n)) for n, name in enumerate(links.evaluate_all(SCREENS)))


def _look(page: "Page", processor: "CDPSession", app: ServedApp, screen: str, act: Callable[[], object]) -> ScreenLook:
    server, browser = app.processor_seconds(), _browser_seconds(processor)
    left = page.locator("h1").first.inner_text() if page.url.startswith("http") else ""
    seconds = until_drawn(page, act, left=left)
    page.wait_for_timeout(QUIET_MS)
    after = app.processor_seconds()
    return ScreenLook(
        screen,
        seconds,
        None if server is None or after is None else after - server,
        _browser_seconds(processor) - browser,
    )


def _browser_seconds(processor: "CDPSession") -> float:
    """What the process that draws the page has had of the processor."""
    found = processor.send("Performance.getMetrics")["metrics"]
    return next(float(metric["value"]) for metric in found if metric["name"] == "ProcessTime")
