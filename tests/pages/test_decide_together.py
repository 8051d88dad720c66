"""Decide together on the screen: an expert joins, votes and says a line; a facilitator reveals and closes."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.checklist import Checklist
from app.domain.checklist_score import Answer
from app.domain.roles_and_rights import Role
from app.domain.room import Room, RoomStage
from app.services.disagreements.rooms import join_room, open_room, rooms_of, set_room_stage, vote
from app.services.runtime.workbench import Workbench
from pages.components.shell import current
from tests.support.disagreements import experts_say, parted_project, text_ids

Open = Callable[[str], AppTest]


@pytest.fixture
def made(workbench: Workbench) -> Checklist:
    found = parted_project(workbench)
    experts_say(workbench, found, {"Ana": ["yyy"] * 4, "Ben": ["nyy"] * 4})
    return found


@pytest.fixture
def as_ana(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    with workbench.database.write() as work:
        person = work.people.add("invite", "ana", "Ana")
        work.people.join(person.id, 1, Role.EXPERT, "Ana")
        actor = work.people.actor(person.id)
    monkeypatch.setattr(current, "person_at_browser", lambda *_: actor)
    return replace(workbench, actor=actor)


def a_room(workbench: Workbench, made: Checklist, texts: int = 2) -> Room:
    return open_room(workbench, made.id, made.asked[0].id, text_ids(workbench, made)[:texts], "Fay")


def keys(app: AppTest) -> set[str]:
    return {str(one.key) for one in app.button}


def test_an_expert_goes_from_my_work_into_the_room_and_votes(
    workbench: Workbench, made: Checklist, as_ana: Workbench, open_screen: Open
) -> None:
    room = a_room(workbench, made)
    app = open_screen("overview")
    app.button(key="my_decide_together_1").click().run()
    assert app.title[0].value == "Decide together"
    app.button(key="join_room").click().run()
    first, second = room.texts
    app.button(key=f"vote_yes_{room.id}_1_{first}").click().run()
    app.button(key=f"vote_no_{room.id}_1_{second}").click().run()
    assert not app.exception
    (seen,) = rooms_of(workbench, 1, "Ana")
    assert seen.said(1) == {("Ana", first): Answer.YES, ("Ana", second): Answer.NO}
    assert not any(key.startswith(("move_room", "close_room")) for key in keys(app))


def test_a_line_is_said_once_the_votes_are_revealed(
    workbench: Workbench, made: Checklist, as_ana: Workbench, open_screen: Open
) -> None:
    room = a_room(workbench, made, 1)
    for name in ("Ana", "Ben"):
        join_room(workbench, room.id, name)
        vote(workbench, room.id, name, room.texts[0], Answer.YES if name == "Ana" else Answer.NO)
    app = open_screen("decide_together")
    assert not [one for one in app.markdown if "[No]" in str(one.value)]
    set_room_stage(workbench, room.id, RoomStage.DISCUSS)
    app.run()
    assert [one for one in app.markdown if "[No]" in str(one.value) and "Ben" in str(one.value)]
    app.text_input(key=f"room_line_{room.id}").set_value("A name <b>greets</b>.").run()
    assert not app.exception
    assert rooms_of(workbench, 1, "Ana")[0].lines["Ana"] == "A name <b>greets</b>."


def test_a_facilitator_opens_reveals_and_closes_a_room(
    workbench: Workbench, made: Checklist, open_screen: Open
) -> None:
    app = open_screen("disagreements")
    app.button(key="room_on_question").click().run()
    assert app.title[0].value == "Decide together"
    (room,) = rooms_of(workbench, 1)
    assert (room.stage, len(room.texts), room.question) == (RoomStage.VOTE, 4, made.asked[0].id)
    for name in ("Ana", "Ben"):
        join_room(workbench, room.id, name)
        for text in room.texts:
            vote(workbench, room.id, name, text, Answer.YES)
    app = open_screen("decide_together")
    for stage in ("vote", "discuss"):
        app.button(key=f"move_room_{stage}").click().run()
    for name in ("Ana", "Ben"):
        for text in room.texts:
            vote(workbench, room.id, name, text, Answer.NO)
    app.run().button(key="move_room_vote_again").click().run()
    app.button(key="close_room").click().run()
    assert app.error, "no line was written that could become guidance"
    app.text_area(key=f"room_agreed_{room.id}").set_value("“Dear all” is no greeting.").run()
    app.button(key="close_room").click().run()
    assert not app.exception
    (closed,) = rooms_of(workbench, 1)
    assert (closed.open, closed.agreed, closed.draft) == (False, "“Dear all” is no greeting.", 2)
    with workbench.database.read() as work:
        decided = work.decisions.of_checklist(made.id)[made.asked[0].id]
    assert [one.answer for one in decided] == [Answer.NO] * 4
