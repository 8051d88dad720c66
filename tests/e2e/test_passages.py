"""Passages: an invited expert selects words of a sample, says what they notice there, and loses nothing of it."""

import itertools
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from app.domain.attribute import Attribute, ContributorKind
from app.domain.conversation import Turn, transcript
from app.domain.passage import Passage, PassagePart
from app.domain.project import Text
from app.services.attributes.attributes import add_attributes, attributes_of
from app.services.data.projects import dimensions_named, get_project
from tests.e2e.conftest import App, opened
from tests.e2e.screen import PATIENCE_MS, click, settled
from tests.e2e.walk import Walk

STRANGE = "👩‍👩‍👧 The first came.\r\nשלום עולם, e\u0301cole and 🎈 last words.\r\n" + "More follows here. " * 20
SOURCE = "The source says 🎈 three things.\r\nNothing else <b>is</b> said."
CHAT, PLACES = transcript(
    [
        Turn("system", "Be brief."),
        Turn("user", "What is 🎈?\r\nSay it."),
        Turn("assistant", "A red [User] balloon 🎈 of course."),
    ]
)
FORMATTED = (
    "# שלום 🎈 title\r\n- **bold 👩‍👩‍👧** and `co<b>de`\r\n- *leaning* end\r\n```py\r\nx = 🎈\r\n```\r\nLast words."
)
FORMATTED_CHAT, FORMATTED_PLACES = transcript(
    [Turn("user", "**Why** is 🎈 red?\r\n```\nleft open"), Turn("assistant", "## Answer\r\n1. It is **warm 🎈** now.")]
)
LONG_TEXT = "# 🎈 plan\r\n" + "More follows here. " * 300 + "\r\n## End\r\nThe last 🎈 balloon."
WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def app(served_team: App) -> App:
    """The first sample of the first dimension is a text that is easily counted wrong."""
    with opened(served_team) as workbench, workbench.database.write() as work:
        project = work.projects.get("Demo")
        work.texts.add_many(project.id, [Text("strange", STRANGE, source=SOURCE)])
        work.texts.add_many(project.id, [Text("chat", CHAT, extra={"turns": {"text": PLACES}})])
        formatted = Text("formatted", FORMATTED_CHAT, source=FORMATTED, extra={"turns": {"text": FORMATTED_PLACES}})
        work.texts.add_many(project.id, [formatted, Text("long", LONG_TEXT)])
        ids = [place.id for place in work.texts.places(project.id)][-4:]
        dimension = work.projects.dimensions(project.id)[0].id
        others = [(s.text.id, s.score, s.chosen_by) for s in work.think_aloud.samples(dimension)[4:]]
        work.think_aloud.set_samples(dimension, [*((id_, None, "hand") for id_ in ids), *others])
    return served_team


@pytest.fixture
def name() -> str:
    return f"Ana {next(_numbers)}"


@contextmanager
def signed_in(browser: Browser, app: App, name: str, **options: object) -> Iterator[Page]:
    """An invited expert on Think aloud, in a browser of their own."""
    expect.set_options(timeout=PATIENCE_MS)
    context: BrowserContext = browser.new_context(**options)  # type: ignore[arg-type]
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(app.invitation(name))
    page.get_by_role("button", name="Come in").click()
    expect(page.get_by_role("heading", level=1, name="My work", exact=True)).to_be_visible()
    open_samples(page, app)
    yield page
    context.close()


def open_samples(page: Page, app: App) -> None:
    page.goto(f"{app.url}/think_aloud?project=Demo&dimension=coherence")
    expect(words(page)).to_be_visible()
    settled(page)


def words(page: Page, part: str = "text") -> Locator:
    """Of the first sample."""
    return page.locator(".passages").first.locator(".words").nth(1 if part == "text" else 0)


def field(page: Page) -> Locator:
    return page.get_by_role("textbox", name="What do you notice?")


def ends(place: Locator, quote: str) -> list[dict[str, float]]:
    """The middles of the left edge of its first character and of the right edge of its last, on the screen."""
    place.scroll_into_view_if_needed()
    found: list[dict[str, float]] = place.evaluate(
        """(place, quote) => {
          const at = place.textContent.indexOf(quote);
          const spot = (offset) => {
            const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
            for (let node = walker.nextNode(); node; node = walker.nextNode()) {
              if (offset <= node.data.length) return [node, offset];
              offset -= node.data.length;
            }
          };
          const range = document.createRange();
          range.setStart(...spot(at));
          range.setEnd(...spot(at + quote.length));
          const boxes = [...range.getClientRects()].filter((box) => box.width > 0);
          const [first, last] = [boxes[0], boxes.at(-1)];
          return [{ x: first.left, y: first.top + first.height / 2 }, { x: last.right, y: last.top + last.height / 2 }];
        }""",
        quote,
    )
    return found


def select(page: Page, place: Locator, quote: str) -> None:
    """By mouse, as a person drags over words."""
    first, last = ends(place, quote)
    page.mouse.move(first["x"] + 0.5, first["y"])
    page.mouse.down()
    page.mouse.move(last["x"] - 0.5, last["y"], steps=4)
    page.mouse.up()
    expect(field(page)).to_be_focused()


def select_exactly(page: Page, place: Locator, quote: str) -> None:
    """Also where a line ends or turns its direction, at which a pointer is hard to aim."""
    place.evaluate(
        """(place, quote) => {
          const at = place.textContent.indexOf(quote);
          const spot = (offset) => {
            const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
            for (let node = walker.nextNode(); node; node = walker.nextNode()) {
              if (offset <= node.data.length) return [node, offset];
              offset -= node.data.length;
            }
          };
          getSelection().setBaseAndExtent(...spot(at), ...spot(at + quote.length));
          document.dispatchEvent(new PointerEvent("pointerup", { bubbles: true, pointerType: "mouse" }));
        }""",
        quote,
    )
    expect(field(page)).to_be_focused()


def own(app: App, name: str) -> list[Attribute]:
    with opened(app) as workbench:
        project = get_project(workbench, "Demo")
        return [a for a in attributes_of(workbench, project.id) if a.contributor == name]


def saved(page: Page, said: str) -> None:
    """It stands among the expert's own points, and nothing waits any more."""
    expect(page.locator(".st-key-own_rows").get_by_text(said, exact=True)).to_be_visible()
    expect(page.locator("mark.waits")).to_have_count(0)
    settled(page)


@pytest.mark.parametrize("part", ["text", pytest.param("source", marks=pytest.mark.long)])
def test_selected_words_become_an_attribute_in_two_actions(browser: Browser, app: App, name: str, part: str) -> None:
    quotes = {"text": ("The first came.", "cole and 🎈 last"), "source": ("🎈 three", "<b>is</b>")}[part]
    with signed_in(browser, app, name, viewport=WIDE) as page:
        for quote in quotes:
            select(page, words(page, part), quote)
            page.keyboard.type(f"About {quote}")
            page.keyboard.press("Enter")
            saved(page, f"About {quote}")
        expect(words(page, part).locator("mark.by-0")).to_have_text(list(quotes))
        page.locator(".passages").last.scroll_into_view_if_needed()
        expect(page.locator(".st-key-writing textarea").first).to_be_in_viewport()
    content = STRANGE if part == "text" else SOURCE
    found = [a.passage for a in own(app, name)]
    assert [p and (p.part, p.quote, content[p.start : p.end]) for p in found] == [
        (PassagePart(part), quote, quote) for quote in quotes
    ]


@pytest.mark.long
@pytest.mark.walk
def test_a_highlighted_passage_is_an_attribute_at_once(browser: Browser, app: App, name: str) -> None:
    with signed_in(browser, app, name, viewport=WIDE) as page:
        walk = Walk(page, "A highlighted passage to its attribute", limit=1)
        walk.clicks += 1  # one drag over the words
        select(page, words(page), "The first came.")
        page.keyboard.type("The beginning is clear.")
        walk.press("Enter")
        expect(page.locator(".st-key-own_rows").get_by_text("The beginning is clear.", exact=True)).to_be_visible()
        walk.done()
        saved(page, "The beginning is clear.")


@pytest.mark.long
def test_words_across_lines_and_directions_keep_their_places(browser: Browser, app: App, name: str) -> None:
    quotes = ["שלום", "came.\r\nשלום עולם, e\u0301cole"]
    with signed_in(browser, app, name, viewport=WIDE) as page:
        for quote in quotes:
            select_exactly(page, words(page), quote)
            page.keyboard.type(f"About {len(quote)}")
            page.keyboard.press("Enter")
            saved(page, f"About {len(quote)}")
    found = [a.passage for a in own(app, name)]
    assert [p and (p.quote, STRANGE[p.start : p.end]) for p in found] == [(quote, quote) for quote in quotes]


@pytest.mark.long
def test_find_shows_words_of_a_long_sample_and_moves_no_place(browser: Browser, app: App, name: str) -> None:
    with signed_in(browser, app, name, viewport=WIDE) as page:
        long = page.locator(".passages").nth(3).locator(".words")
        tools = page.locator(".st-key-sample_4")
        tools.get_by_role("textbox").first.fill("BALLOON")
        tools.get_by_role("textbox").first.press("Enter")
        expect(long.locator(".found")).to_have_text(["balloon"])
        expect(long.locator(".found")).to_be_in_viewport()
        select_exactly(page, long, "last 🎈 balloon")
        page.keyboard.type("It ends.")
        page.keyboard.press("Enter")
        saved(page, "It ends.")
        expect(long.locator("mark.found")).to_have_text("balloon")
    (passage,) = [a.passage for a in own(app, name) if a.passage]
    assert LONG_TEXT[passage.start : passage.end] == passage.quote == "last 🎈 balloon"


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_field_and_highlights_have_no_serious_fault(browser: Browser, app: App, name: str, scheme: str) -> None:
    with signed_in(browser, app, name, viewport=WIDE, color_scheme=scheme) as page:
        select(page, words(page), "The first")
        page.keyboard.type("It begins.")
        page.keyboard.press("Enter")
        saved(page, "It begins.")
        select(page, words(page), "last words")
        settled(page)
        found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
        grave = [one for one in found if one["impact"] in ("serious", "critical")]
        assert [(one["id"], node["html"]) for one in grave for node in one["nodes"]] == []


@pytest.mark.long
def test_keys_alone_select_words_and_add_an_attribute(browser: Browser, app: App, name: str) -> None:
    with signed_in(browser, app, name, viewport=WIDE) as page:
        words(page).focus()
        for key in ("ArrowRight", "ArrowRight", "Shift+ArrowRight", "Enter"):
            page.keyboard.press(key)
        expect(field(page)).to_be_focused()
        page.keyboard.type("It begins.")
        page.keyboard.press("Enter")
        saved(page, "It begins.")
        expect(words(page)).to_be_focused()
    assert [a.passage and a.passage.quote for a in own(app, name)] == ["first came"]


@pytest.mark.long
def test_turn_of_a_conversation_keeps_its_places(browser: Browser, app: App, name: str) -> None:
    with signed_in(browser, app, name, viewport=WIDE) as page:
        chat = page.locator(".passages").nth(1).locator(".words")
        expect(chat.locator(".head")).to_have_count(3)
        expect(chat.get_by_text("Be brief.")).to_be_hidden()
        select_exactly(page, chat, "balloon 🎈")
        page.keyboard.type("It answers.")
        page.keyboard.press("Enter")
        saved(page, "It answers.")
        expect(chat.locator("mark")).to_have_text("balloon 🎈")
        chat.get_by_text("[System prompt]").click()
        select_exactly(page, chat, "brief")
        page.keyboard.type("It is told.")
        page.keyboard.press("Enter")
        saved(page, "It is told.")
        expect(chat.get_by_text("brief", exact=True)).to_be_visible()
        if folder := os.environ.get("PASSAGES_PICTURES"):
            chat.scroll_into_view_if_needed()
            page.screenshot(path=f"{folder}/chat.png")
    found = [a.passage for a in own(app, name)]
    assert [p and CHAT[p.start : p.end] for p in found] == ["balloon 🎈", "brief"]


@pytest.mark.long
def test_formatted_sample_keeps_the_places_of_the_plain_one(browser: Browser, app: App, name: str) -> None:
    with signed_in(browser, app, name, viewport=WIDE) as page:
        source, chat = (page.locator(".passages").nth(2).locator(".words").nth(n) for n in (0, 1))
        for place, quote in (
            (source, "**bold 👩‍👩‍👧**"),
            (source, "# שלום 🎈"),
            (chat, "It is **warm 🎈"),
            (source, "x = 🎈"),
        ):
            select_exactly(page, place, quote)
            page.keyboard.type(f"About {quote}")
            page.keyboard.press("Enter")
            saved(page, f"About {quote}")
        expect(chat.locator(".bold")).to_have_text(["Why", "warm 🎈"])
        expect(chat.locator("mark.bold")).to_have_text("warm 🎈")
        expect(source.locator("mark.heading")).to_have_text("שלום 🎈")
        expect(source.locator(".sign").first).to_be_hidden()
        source.focus()
        for key in (*["ArrowLeft"] * 7, "Shift+ArrowLeft", "Enter"):  # the text runs from the right
            page.keyboard.press(key)
        expect(page.locator(".passages .field .quote")).to_have_text("“de` - *leaning”")
        page.keyboard.type("A draft.")
        if folder := os.environ.get("PASSAGES_PICTURES"):
            page.screenshot(path=f"{folder}/formatted.png")
        click(page.get_by_text("Formatted", exact=True), hides=source.locator(".bold"))
        expect(source.locator(".sign")).to_have_count(0)
        expect(field(page)).to_have_value("A draft.")
        assert [source.text_content(), chat.text_content()] == [FORMATTED, FORMATTED_CHAT]
        field(page).press("Escape")
        select_exactly(page, source, "*leaning*")
        page.keyboard.type("Leaning.")
        page.keyboard.press("Enter")
        saved(page, "Leaning.")
    found = [a.passage for a in own(app, name) if a.passage]
    contents = {PassagePart.SOURCE: FORMATTED, PassagePart.TEXT: FORMATTED_CHAT}
    quotes = ["bold 👩‍👩‍👧", "שלום 🎈", "It is **warm 🎈", "x = 🎈", "*leaning*"]
    assert [(p.quote, contents[p.part][p.start : p.end]) for p in found] == [(quote, quote) for quote in quotes]


@pytest.mark.long
def test_phone_selects_by_touch_and_nothing_overflows(browser: Browser, app: App, name: str) -> None:
    with signed_in(browser, app, name, viewport=PHONE, has_touch=True, is_mobile=True) as page:
        words(page).scroll_into_view_if_needed()
        words(page).tap()
        quote = "e\u0301cole and 🎈"
        words(page).evaluate(
            """(place, quote) => {
              const at = place.textContent.indexOf(quote);
              getSelection().setBaseAndExtent(place.firstChild, at, place.firstChild, at + quote.length);
            }""",
            quote,
        )
        expect(field(page)).to_be_visible()
        assert page.evaluate("getSelection().toString()") == quote  # its handles stay until the field is tapped
        field(page).tap()
        field(page).fill("Accents.")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        box = page.locator(".passages .field").bounding_box()
        assert box is not None
        assert (box["x"] >= 0, box["x"] + box["width"] <= PHONE["width"]) == (True, True)
        if folder := os.environ.get("PASSAGES_PICTURES"):
            page.screenshot(path=f"{folder}/phone.png")
        page.get_by_role("button", name="Add", exact=True).first.tap()
        saved(page, "Accents.")
    assert [a.passage and a.passage.quote for a in own(app, name)] == [quote]


@pytest.mark.long
def test_draft_in_the_field_outlives_a_reload(browser: Browser, app: App, name: str) -> None:
    with signed_in(browser, app, name, viewport=WIDE) as page:
        select(page, words(page), "last words")
        page.keyboard.type("Half a tho")
        page.reload()
        expect(field(page)).to_have_value("Half a tho")
        expect(words(page).locator("mark.opened")).to_have_text("last words")
        settled(page)
        if folder := os.environ.get("PASSAGES_PICTURES"):
            page.screenshot(path=f"{folder}/draft.png")
        field(page).focus()
        page.keyboard.press("End")
        page.keyboard.type("ught.")
        page.keyboard.press("Enter")
        saved(page, "Half a thought.")
        page.reload()
        saved(page, "Half a thought.")
        expect(field(page)).to_have_count(0)
    assert [(a.text, a.passage and a.passage.quote) for a in own(app, name)] == [("Half a thought.", "last words")]


@pytest.mark.long
def test_cancel_leaves_no_draft_and_another_selection_keeps_the_words(browser: Browser, app: App, name: str) -> None:
    with signed_in(browser, app, name, viewport=WIDE) as page:
        select(page, words(page), "last words")
        page.keyboard.type("Not this.")
        page.keyboard.press("Escape")
        expect(field(page)).to_have_count(0)
        select(page, words(page), "last words")
        expect(field(page)).to_have_value("")
        page.keyboard.type("But this.")
        select(page, words(page), "The first")
        expect(field(page)).to_have_value("But this.")
        page.reload()
        expect(field(page)).to_have_value("But this.")
        expect(words(page).locator("mark.opened")).to_have_text("The first")
        field(page).press("Enter")
        saved(page, "But this.")
    assert [(a.text, a.passage and a.passage.quote) for a in own(app, name)] == [("But this.", "The first")]


@pytest.mark.long
def test_words_said_before_are_told_in_the_field(browser: Browser, app: App, name: str) -> None:
    with signed_in(browser, app, name, viewport=WIDE) as page:
        for quote in ("The first", "last words"):
            select(page, words(page), quote)
            page.keyboard.type("The same.")
            page.keyboard.press("Enter")
            if quote == "The first":
                saved(page, "The same.")
        expect(page.locator(".passages .field .problem")).not_to_be_empty()
        expect(field(page)).to_have_value("The same.")
    assert len(own(app, name)) == 1


@pytest.mark.long
def test_ten_passages_survive_reload_two_tabs_and_a_killed_server(browser: Browser, app: App, name: str) -> None:
    quotes = ["👩‍👩‍👧", "The", "first", "came", "cole", "and", "🎈", "last", "words", "More"]
    with signed_in(browser, app, name, viewport=WIDE) as page:
        for quote in quotes[:4]:
            select(page, words(page), quote)
            page.keyboard.type(f"On {quote}")
            page.keyboard.press("Enter")
            saved(page, f"On {quote}")
        other = page.context.new_page()
        open_samples(other, app)
        for quote, tab in zip(quotes[4:8], itertools.cycle([page, other])):
            select(tab, words(tab), quote)
            tab.keyboard.type(f"On {quote}")
            tab.keyboard.press("Enter")
            saved(tab, f"On {quote}")
        page.reload()
        saved(page, "On last")
        select(page, words(page), quotes[8])
        page.keyboard.type(f"On {quotes[8]}")
        assert app.process is not None
        os.kill(app.process.pid, signal.SIGKILL)
        app.process.wait()
        page.keyboard.press("Enter")  # nobody is there to hear it
        expect(page.locator("mark.waits")).to_have_count(1)
        app.start()
        saved(page, f"On {quotes[8]}")
        select(page, words(page), quotes[9])
        page.keyboard.type(f"On {quotes[9]}")
        os.kill(app.process.pid, signal.SIGKILL)
        app.process.wait()
        app.start()
        page.reload()
        expect(field(page)).to_have_value(f"On {quotes[9]}")
        settled(page)
        field(page).press("Enter")
        saved(page, f"On {quotes[9]}")
    assert [(a.text, a.passage and a.passage.quote) for a in own(app, name)] == [(f"On {q}", q) for q in quotes]


@pytest.mark.long
def test_others_passages_are_highlighted_once_done(browser: Browser, app: App, name: str) -> None:
    with opened(app) as workbench:
        dimension = dimensions_named(workbench, "Demo", "coherence")[0]
        with workbench.database.read() as work:
            text = work.think_aloud.samples(dimension.id)[0].text
        marked = Passage.at(STRANGE, STRANGE.index("first"), STRANGE.index("first") + 5, text.id)
        other = f"Other of {name}"
        add_attributes(workbench, dimension.id, other, ContributorKind.HUMAN, [f"<b>{name}</b>"], passages=[marked])
    with signed_in(browser, app, name, viewport=WIDE) as page:
        select(page, words(page), "last words")
        page.keyboard.type("Mine.")
        page.keyboard.press("Enter")
        saved(page, "Mine.")
        expect(words(page).locator("mark")).to_have_text(["last words"])
        assert other not in page.content()
        click(page.get_by_role("button", name="I am done"), shows=words(page).get_by_text("first", exact=True))
        words(page).get_by_text("first", exact=True).click()
        expect(page.locator(".passages .note").first).to_contain_text(f"{other}: <b>{name}</b>")
        if folder := os.environ.get("PASSAGES_PICTURES"):
            page.screenshot(path=f"{folder}/done.png")
