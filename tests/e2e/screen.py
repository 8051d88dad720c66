"""What a person does on a screen: every action names what shows that it worked, and waits until all is drawn."""

import re

from playwright.sync_api import Locator, Page, expect

from pages.components.shell.navigation.screens import NAVIGATION, RESEARCH, SCREENS, entry_of

PATIENCE_MS = 90_000
OPENINGS = 20  # of a list, at most
QUIET = "[data-testid='stApp'][data-test-script-state='notRunning'][data-test-connection-state='CONNECTED']"
# Letters that are typed before the next text is there: nothing can come in between, however busy the machine is.
IN_ONE_GO = "keys => keys.forEach(key => document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })))"


def at(page: Page, key: str) -> Locator:
    return page.locator(f".st-key-{key}")


def first_of(page: Page, key: str) -> Locator:
    """The first whose key begins so."""
    return page.locator(f"[class*='st-key-{key}']").first


def button(page: Page, name: str) -> Locator:
    """One that can be pressed: while something is being made, most can't."""
    return page.get_by_role("button", name=name, exact=True, disabled=False)


def reading(page: Page, words: str | re.Pattern[str]) -> Locator:
    """Words to be read: a field that is being typed into holds the same before they are saved."""
    paragraphs = page.get_by_role("paragraph").filter(has_text=words)
    return paragraphs.and_(page.locator(":not(button *)"))  # a button may name what it is about


def settled(page: Page) -> None:
    """The server has drawn the whole screen, the browser shows it and listens for keys. Alone it says nothing about a
    click just made, which the server may not have heard of yet: `click` waits for what comes of it first."""
    expect(page.locator(QUIET)).to_be_visible()
    expect(page.locator("[data-stale='true']")).to_have_count(0)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)  # the code of a kind of widget is loaded on first use
    page.evaluate("() => new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")


def screen(page: Page, title: str) -> None:
    """Go to another screen through the door that it lies behind, as people do."""
    target = next(screen for screen in SCREENS.values() if screen.title == title)
    door, heading = entry_of(target.name), page.get_by_role("heading", level=1, name=title, exact=True)
    if door not in NAVIGATION:
        if door is RESEARCH and not at(page, "doors_research").count():
            click(page.get_by_text(RESEARCH.title, exact=True), shows=at(page, "doors_research"))
        key = "doors_research" if door is RESEARCH else "doors_set_up"
        click(at(page, key).get_by_role("link", name=title, exact=True), shows=heading)
        return
    way_in, room = at(page, f"door_{door.screens[0].name}"), at(page, f"room_{target.name}")
    if target is door.screens[0]:
        click(way_in.get_by_role("link"), shows=heading)
        return
    if not room.count():
        click(way_in.get_by_role("link"), shows=room)
    click(room.get_by_role("link"), shows=heading)


def click(target: Locator, *, shows: Locator | None = None, hides: Locator | None = None) -> None:
    """Click, and wait for what comes of it. What it shows must not stand there before: it would prove nothing."""
    assert shows is None or shows.count() == 0, "this was there before the click"
    target.click()
    _came_of_it(target.page, shows, hides)


def press_key(page: Page, key: str, *, shows: Locator) -> None:
    """A key on the keyboard, as `click`."""
    assert shows.count() == 0, "this was there before the key"
    page.keyboard.press(key)
    _came_of_it(page, shows, None)


def _came_of_it(page: Page, shows: Locator | None, hides: Locator | None) -> None:
    if shows is not None:
        expect(shows.first).to_be_visible()
    if hides is not None:
        expect(hides).to_have_count(0)
    settled(page)


def choose(field: Locator, option: str) -> None:
    """An option of a list, or one's own where the list takes new ones."""
    if field.input_value() == option:
        return
    field.evaluate("field => field.scrollIntoView({ block: 'center' })")
    offered = field.page.get_by_role("option", name=re.compile(f"^(Add: )?{re.escape(option)}$"))
    _offer(field, option, offered)
    offered.click()
    expect(offered).to_have_count(0)
    settled(field.page)


def choose_judge(page: Page, name: str, forecast: str) -> None:
    """On Scores, in place of the rules; `forecast` is what is said of it then."""
    judge = at(page, "score_judge").get_by_role("combobox")
    judge.press("Backspace")
    expect(page.get_by_text("Choose a judge.")).to_be_visible()
    settled(page)
    choose(judge, name)
    expect(page.get_by_text(forecast)).to_be_visible()
    judge.press("Tab")  # the list stays open over the rest until one goes on


def _offer(field: Locator, option: str, offered: Locator) -> None:
    """A list closes when its field moves, as it does where a table above is drawn late: then it is opened once more."""
    for _ in range(OPENINGS):
        settled(field.page)
        if not field.page.get_by_role("listbox").count():
            field.click()
        field.fill("")
        field.fill(option)
        settled(field.page)
        if offered.count():
            return


def wait_until(page: Page, condition: str) -> None:
    """Wait until a JavaScript expression holds.

    `wait_for_function` evaluates text at each poll, which the app's content security policy forbids.
    """
    page.evaluate(
        f"() => new Promise(done => {{ const look = () => ({condition}) ? done() : setTimeout(look, 10); look(); }})"
    )
