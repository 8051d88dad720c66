"""A room of six browsers: no vote is seen before the reveal, also on the wire, and none is lost when two leave."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, WebSocket, expect

from app.domain.checklist_score import Answer
from app.domain.room import Room
from app.providers.credentials import Credentials
from app.services.checklists.checklists import versions_of
from app.services.disagreements.rooms import rooms_of
from app.services.runtime.workbench import Workbench
from db.unit_of_work import Database
from tests.e2e.conftest import App
from tests.e2e.screen import PATIENCE_MS, at, click, settled
from tests.support.disagreements import experts_say, parted_project

NAMES = ("Ana", "Ben", "Cleo", "Dora", "Emil", "Finn")
FIRST = {"Ana": "yy", "Ben": "nn", "Cleo": "yn", "Dora": "yy", "Emil": "ny", "Finn": "nn"}
SECOND = {**FIRST, "Emil": "yy", "Ben": "yn", "Cleo": "yy"}
SHOWN = (b":green[Yes]", b":orange[No]")
"""How a revealed vote is sent to the browser."""


@pytest.fixture
def environment() -> dict[str, str]:
    return {"INTERACTEVAL_ACCESS": "invite"}


@pytest.fixture
def parted(tmp_path: Path, environment: dict[str, str]) -> None:
    """Before the server starts: three say yes, three no, to the first question about two texts."""
    database = Database(f"sqlite:///{tmp_path}/workbench.db")
    workbench = Workbench(database, Credentials())
    made = parted_project(workbench, texts=2)
    experts_say(workbench, made, {name: ["yyy" if name < "D" else "nyy"] * 2 for name in NAMES})
    database.close()


class Wire:
    """What a browser received over its WebSockets."""

    def __init__(self, context: BrowserContext) -> None:
        self.received = b""
        context.on("page", lambda page: page.on("websocket", self._listen))

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", self._keep)

    def _keep(self, frame: str | bytes) -> None:
        self.received += frame if isinstance(frame, bytes) else frame.encode()


@pytest.fixture
def contexts(browser: Browser, parted: None, app: App) -> Iterator[dict[str, BrowserContext]]:
    expect.set_options(timeout=PATIENCE_MS)
    with ExitStack() as opened:
        found = {}
        for name in (*NAMES, "Owner"):
            found[name] = app.let_in(browser.new_context(viewport={"width": 1280, "height": 900}))
            found[name].set_default_timeout(PATIENCE_MS)
            opened.callback(found[name].close)
        yield found


def _link(app: App, *words: str) -> str:
    return str(json.loads(app.command("people", "invite", *words, "--address", app.url, "--json"))["link"])


def _in(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="Come in").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    settled(page)


def _vote(page: Page, said: str, round_: int = 1, from_: int = 0) -> None:
    """A letter a text; the screen goes on to the next by itself."""
    texts = at(page, "room_text_1_vote" if round_ == 1 else "room_text_1_vote_again")
    for place, letter in enumerate(said, start=from_ + 1):
        expect(texts.get_by_role("radio").nth(place - 1)).to_be_checked()
        settled(page)
        name = "yes" if letter == "y" else "no"
        at(page, f"vote_{name}_1_{round_}_{place}").get_by_role("button").click()  # the texts have the ids 1 and 2
        expect(texts.get_by_text("✓")).to_have_count(place)
        settled(page)


def _room(app: App) -> Room:
    database = Database(f"sqlite:///{app.home}/workbench.db")
    (found,) = rooms_of(Workbench(database, Credentials()), 1)
    database.close()
    return found


def _letters(room: Room, round_: int) -> dict[str, str]:
    said = room.said(round_)
    letters = {Answer.YES: "y", Answer.NO: "n"}
    return {name: "".join(letters[said[name, text]] for text in room.texts) for name in NAMES}


@pytest.mark.long
def test_six_vote_blind_leave_come_back_and_no_vote_is_lost(app: App, contexts: dict[str, BrowserContext]) -> None:
    wires = {name: Wire(contexts[name]) for name in contexts}
    pages = {name: contexts[name].new_page() for name in contexts}
    owner = pages["Owner"]
    _in(owner, _link(app, "--owner"))
    _in(pages["Ana"], _link(app, "Ana", "--project", "Letters"))
    begin = at(pages["Ana"], "my_decide_together_1")
    expect(begin).to_have_count(0)

    owner.goto(f"{app.url}/disagreements?project=Letters&dimension=tone")
    at(owner, "open_a_room").locator("summary").click()
    expect(at(owner, "room_on_question")).to_be_visible()
    settled(owner)
    room = owner.get_by_role("heading", level=1, name="Decide together")
    click(at(owner, "room_on_question").get_by_role("button"), shows=room)
    expect(begin).to_be_visible()  # by itself
    wires["Owner"].received = b""  # Disagreements shows what experts answered before

    for name in NAMES:
        if name != "Ana":
            _in(pages[name], _link(app, name, "--project", "Letters"))
        join = at(pages[name], "join_room")
        click(at(pages[name], "my_decide_together_1").get_by_role("button"), shows=join)
        click(join.get_by_role("button"), shows=at(pages[name], "room_vote"))
    for name in ("Cleo", "Emil"):
        _vote(pages[name], FIRST[name][:1])
        pages[name].close()
    for name in ("Ana", "Ben", "Dora", "Finn"):
        _vote(pages[name], FIRST[name])
    for name in ("Cleo", "Emil"):
        pages[name] = contexts[name].new_page()
        pages[name].goto(f"{app.url}/decide_together?project=Letters&dimension=tone")
        expect(at(pages[name], "room_text_1_vote").get_by_text("✓")).to_have_count(1)
        settled(pages[name])
        _vote(pages[name], FIRST[name][1:], from_=1)
    expect(owner.get_by_text("6 of 6 members have voted on every text.")).to_be_visible()
    assert not [name for name, wire in wires.items() if any(vote in wire.received for vote in SHOWN)]
    assert _room(app).votes == ()

    click(at(owner, "move_room_vote").get_by_role("button"), shows=at(owner, "revealed"))
    for name in NAMES:
        expect(at(pages[name], "revealed")).to_contain_text("Finn")
        assert all(vote in wires[name].received for vote in SHOWN), "else nothing was looked for above"
    assert _letters(_room(app), 1) == FIRST

    field = {name: at(pages[name], "room_line_1").get_by_role("textbox") for name in NAMES}
    field["Ana"].fill("A name is a gree")
    field["Ben"].fill("Only “hello” greets.")
    field["Ben"].press("Enter")
    expect(at(pages["Ana"], "room_lines")).to_contain_text("Only “hello” greets.")
    expect(field["Ana"]).to_have_value("A name is a gree")  # what is being typed stays
    field["Ana"].press("End")
    field["Ana"].press_sequentially("ting.")
    field["Ana"].press("Enter")
    expect(at(owner, "room_lines")).to_contain_text("A name is a greeting.")

    settled(owner)
    click(at(owner, "move_room_discuss").get_by_role("button"), shows=at(owner, "move_room_vote_again"))
    for name in NAMES:
        expect(at(pages[name], "room_vote")).to_be_visible()
        _vote(pages[name], SECOND[name], 2)
    assert _room(app).said(2) == {}
    click(at(owner, "move_room_vote_again").get_by_role("button"), shows=at(owner, "close_room"))
    expect(at(pages["Emil"], "revealed")).to_contain_text("No → Yes")
    assert _letters(_room(app), 2) == SECOND

    at(owner, "room_agreed_1").get_by_role("textbox").fill("A name is a greeting.")
    settled(owner)
    at(owner, "close_room").get_by_role("button").click()
    expect(owner.get_by_text("The room is closed.")).to_be_visible()
    for name in NAMES:
        expect(at(pages[name], "earlier_room_1")).to_be_visible()
    database = Database(f"sqlite:///{app.home}/workbench.db")
    (draft, _) = versions_of(Workbench(database, Credentials()), 1)
    database.close()
    assert draft.asked[0].guidance == "A name is a greeting."
