"""A room to decide together: votes unseen until they are revealed, kept whoever leaves, and what comes of them."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.domain.checklist import Checklist
from app.domain.checklist_score import Answer
from app.domain.expert_answer import MOST_MEMBERS
from app.domain.roles_and_rights import Actor, Membership, Role
from app.domain.room import Room, RoomStage
from app.errors import ConflictError, InputError, NotAllowedError, NotFoundError, NotReadyError
from app.meta_evaluation.raters.rater_agreement import krippendorff_alpha
from app.services.checklists.checklists import versions_of
from app.services.checklists.expert_answers import answer
from app.services.checklists.my_work import TaskKind, tasks_of
from app.services.disagreements.queue import disagreement_queue
from app.services.disagreements.rooms import (
    close_room,
    join_room,
    open_room,
    room_states,
    room_view,
    rooms_of,
    say_line,
    set_room_stage,
    vote,
)
from app.services.people.audit_log import project_audit_log
from app.services.runtime.workbench import Workbench
from tests.support.disagreements import experts_say, parted_project, text_ids
from tests.support.prepared import Prepared, prepared
from tests.support.projects import workbench_at

YES, NO = Answer.YES, Answer.NO
NAMES = ("Ana", "Ben", "Cleo")


def _answered(workbench: Workbench) -> Checklist:
    found = parted_project(workbench)
    experts_say(workbench, found, {"Ana": ["yyy"] * 4, "Ben": ["nyy"] * 4, "Cleo": ["yyy"] * 4})
    return found


@pytest.fixture(scope="module")
def answered() -> Prepared[Checklist]:
    """Made once; each test has a copy."""
    return prepared(_answered)


@pytest.fixture
def workbench(answered: Prepared[Checklist], tmp_path: Path) -> Iterator[Workbench]:
    answered.copy(tmp_path)
    made = workbench_at(tmp_path)
    yield made
    made.database.close()


@pytest.fixture
def made(answered: Prepared[Checklist]) -> Checklist:
    return answered.made


@pytest.fixture
def acting(workbench: Workbench) -> dict[str, Workbench]:
    """Each as somebody who signed in: the three experts, a facilitator and a reader."""
    found = {}
    with workbench.database.write() as work:
        for name, role in (*((name, Role.EXPERT) for name in NAMES), ("Fay", Role.FACILITATOR), ("Rob", Role.READER)):
            person = work.people.add("invite", name, name).id
            work.people.join(person, 1, role, name)
            found[name] = replace(workbench, actor=Actor(person, "", False, {1: Membership(role, name)}))
    return found


def opened(workbench: Workbench, made: Checklist, texts: int = 4, joined: tuple[str, ...] = NAMES) -> Room:
    room = open_room(workbench, made.id, made.asked[0].id, text_ids(workbench, made)[:texts], "Fay")
    for name in joined:
        join_room(workbench, room.id, name)
    return room


def all_vote(workbench: Workbench, room: Room, said: dict[str, str]) -> None:
    """Name -> y or n for each text."""
    for name, letters in said.items():
        for text, letter in zip(room.texts, letters, strict=True):
            vote(workbench, room.id, name, text, YES if letter == "y" else NO)


def test_votes_are_nobodys_to_read_before_the_reveal(
    workbench: Workbench, made: Checklist, acting: dict[str, Workbench]
) -> None:
    room = opened(acting["Fay"], made, joined=())
    for name in NAMES:
        join_room(acting[name], room.id, name)
        vote(acting[name], room.id, name, room.texts[0], YES if name == "Ana" else NO)
    for name in NAMES:
        seen = room_view(acting[name], room.id, name).room
        assert {one.expert for one in seen.votes} == {name}
        assert dict(seen.voted) == dict.fromkeys(NAMES, 1)
        with pytest.raises(NotAllowedError):
            room_view(acting[name], room.id, "")
        with pytest.raises(NotAllowedError):
            room_view(acting[name], room.id, next(one for one in NAMES if one != name))
    for asked in ("", "Ana", "Fay"):  # a facilitator who gives an expert's name reads nothing either
        view = room_view(acting["Fay"], room.id, asked)
        assert (view.room.votes, view.before, view.alike_before) == ((), None, None)
        assert [one.votes for one in rooms_of(acting["Fay"], 1, asked)] == [()]
    with pytest.raises(NotAllowedError):
        room_view(acting["Rob"], room.id)
    assert not [one for one in project_audit_log(workbench, 1) if "yes" in one.about or "no" in one.about.split()]


def test_the_second_votes_are_as_hidden_as_the_first(workbench: Workbench, made: Checklist) -> None:
    room = opened(workbench, made, 1)
    all_vote(workbench, room, {"Ana": "y", "Ben": "n", "Cleo": "y"})
    set_room_stage(workbench, room.id, RoomStage.DISCUSS)
    assert len(room_view(workbench, room.id, "Ana").room.votes) == 3
    view = room_view(workbench, room.id)
    assert view.before is not None
    assert (view.before.value, view.alike_before) == (None, pytest.approx(1 / 3)), "one text has no alpha"
    set_room_stage(workbench, room.id, RoomStage.VOTE_AGAIN)
    vote(workbench, room.id, "Ben", room.texts[0], YES)
    seen = room_view(workbench, room.id, "Ana").room
    assert (len(seen.said(1)), seen.said(2), dict(seen.voted)) == (3, {}, {"Ben": 1})
    assert room_view(workbench, room.id, "Ben").room.said(2) == {("Ben", room.texts[0]): YES}
    assert room_view(workbench, room.id).after is None


def test_alpha_before_and_after_is_that_of_the_votes(workbench: Workbench, made: Checklist) -> None:
    room = opened(workbench, made)
    all_vote(workbench, room, {"Ana": "yyny", "Ben": "nnyn", "Cleo": "yynn"})
    set_room_stage(workbench, room.id, RoomStage.DISCUSS)
    set_room_stage(workbench, room.id, RoomStage.VOTE_AGAIN)
    all_vote(workbench, room, {"Ana": "yyny", "Ben": "yynn", "Cleo": "yynn"})
    set_room_stage(workbench, room.id, RoomStage.DECIDE)
    view = room_view(workbench, room.id)
    for found, rows in ((view.before, ["1101", "0010", "1100"]), (view.after, ["1101", "1100", "1100"])):
        expected = krippendorff_alpha(np.array([[float(one) for one in row] for row in rows]), "nominal")
        assert found is not None
        assert found.value == pytest.approx(expected.value)
    assert view.alike_after == pytest.approx(10 / 12)


def test_what_is_agreed_becomes_decisions_and_guidance_with_their_history(
    workbench: Workbench, made: Checklist
) -> None:
    room = opened(workbench, made, 3)
    all_vote(workbench, room, {"Ana": "yyn", "Ben": "nyn", "Cleo": "yny"})
    set_room_stage(workbench, room.id, RoomStage.DISCUSS)
    for name in NAMES:
        say_line(workbench, room.id, name, f"  {name} says\nwhy. ")
    set_room_stage(workbench, room.id, RoomStage.VOTE_AGAIN)
    for name, letters in {"Ana": "yy", "Ben": "nn", "Cleo": "yy"}.items():
        for text, letter in zip(room.texts[:2], letters, strict=True):
            vote(workbench, room.id, name, text, YES if letter == "y" else NO)
    with pytest.raises(NotReadyError):
        set_room_stage(workbench, room.id, RoomStage.DECIDE)  # nobody has voted on the third
    vote(workbench, room.id, "Ana", room.texts[2], YES)
    vote(workbench, room.id, "Ben", room.texts[2], NO)
    set_room_stage(workbench, room.id, RoomStage.DECIDE)
    done = close_room(workbench, room.id, "“Dear” greets.", "Fay", decide=True, as_guidance=True)
    assert (done.decided, done.split, done.draft) == (2, 1, 2)
    pairs = {pair.text: pair for pair in disagreement_queue(workbench, made.id).pairs}
    decided = [pairs[text].decision for text in room.texts]
    assert [(one.answer, one.why, one.guided, one.who) if one else None for one in decided] == [
        *[(YES, "“Dear” greets.", "“Dear” greets.", "Fay")] * 2,
        None,
    ]
    draft = next(each for each in versions_of(workbench, 1) if each.version == 2)
    assert draft.asked[0].guidance == "“Dear” greets."
    with workbench.database.read() as work:
        assert [(one.who, one.what) for one in work.drafts.history(draft.id)] == [
            ("Fay", "made a room's line guidance")
        ]
    (kept,) = rooms_of(workbench, 1)
    assert (kept.open, kept.agreed, kept.draft, dict(kept.lines)) == (
        False,
        "“Dear” greets.",
        2,
        {name: f"{name} says why." for name in NAMES},
    )


def test_the_trail_of_holds_who_was_there_and_what_was_said(
    workbench: Workbench, made: Checklist, acting: dict[str, Workbench]
) -> None:
    room = opened(acting["Fay"], made, 1, joined=())
    for name in ("Ana", "Ben"):
        join_room(acting[name], room.id, name)
        vote(acting[name], room.id, name, room.texts[0], YES)
    set_room_stage(acting["Fay"], room.id, RoomStage.DISCUSS)
    say_line(acting["Ben"], room.id, "Ben", "A name is a greeting.")
    close_room(acting["Fay"], room.id, "")
    log = [(one.who, one.act, one.about) for one in reversed(project_audit_log(workbench, 1)) if " room" in one.act]
    assert log == [
        ("Fay", "opened a room", "tone"),
        *[(name, act, f"tone, {room.id}") for name in ("Ana", "Ben") for act in ("joined a room", "voted in a room")],
        ("Fay", "moved a room to its next step", f"tone, room {room.id}, revealed yes 2"),
        ("Ben", "wrote a line in a room", "tone, A name is a greeting."),
        ("Fay", "closed a room", "tone"),
    ]


def test_a_room_refuses_what_does_not_fit_where_it_is(workbench: Workbench, made: Checklist) -> None:
    room = opened(workbench, made, 2, joined=("Ana",))
    texts = text_ids(workbench, made)
    with pytest.raises(ConflictError):
        opened(workbench, made)
    for wrong in ([], list(range(1, 12))):
        with pytest.raises(InputError):
            open_room(workbench, made.id, made.asked[1].id, wrong)
    with pytest.raises(InputError):
        vote(workbench, room.id, "Ana", texts[3], YES)
    with pytest.raises(InputError):
        vote(workbench, room.id, "Ana", texts[0], Answer.NOT_APPLICABLE)
    with pytest.raises(NotFoundError):
        vote(workbench, room.id, "Ben", texts[0], YES)
    with pytest.raises(ConflictError):
        say_line(workbench, room.id, "Ana", "Too early.")
    all_vote(workbench, room, {"Ana": "yy"})
    with pytest.raises(NotReadyError):
        set_room_stage(workbench, room.id, RoomStage.DISCUSS)
    join_room(workbench, room.id, "Ben")
    all_vote(workbench, room, {"Ben": "nn"})
    with pytest.raises(ConflictError):
        set_room_stage(workbench, room.id, RoomStage.VOTE_AGAIN)
    set_room_stage(workbench, room.id, RoomStage.DISCUSS)
    with pytest.raises(ConflictError):
        vote(workbench, room.id, "Ana", texts[0], NO)
    with pytest.raises(ConflictError):
        join_room(workbench, room.id, "Cleo")
    with pytest.raises(NotAllowedError):
        room_view(workbench, room.id, "Cleo")
    for line in ("", " ", "x" * 201):
        with pytest.raises(InputError):
            say_line(workbench, room.id, "Ana", line)
    with pytest.raises(NotReadyError):
        close_room(workbench, room.id, "Agreed.", as_guidance=True)
    close_room(workbench, room.id)
    with pytest.raises(ConflictError):
        close_room(workbench, room.id)
    assert opened(workbench, made, 1, ()).open


def test_whose_own_answer_is_missing_gives_it_before_joining(workbench: Workbench, made: Checklist) -> None:
    draw = experts_say(workbench, made, {"Dora": ["-yy", "yyy", "yyy", "yyy"]})
    room = opened(workbench, made, 2, joined=())
    with pytest.raises(NotReadyError):
        join_room(workbench, room.id, "Dora")
    answer(workbench, draw, "Dora", room.texts[0], made.asked[0].id, YES)
    join_room(workbench, room.id, "Dora")
    join_room(workbench, room.id, "Dora")
    assert TaskKind.DECIDE_TOGETHER in [task.kind for task in tasks_of(workbench, 1, "Dora")]
    assert rooms_of(workbench, 1, "Dora")[0].members == ("Dora",)


def test_a_room_is_full_with_twelve_and_keeps_all_votes(workbench: Workbench, made: Checklist) -> None:
    names = tuple(f"Expert {n}" for n in range(MOST_MEMBERS + 1 - len(NAMES)))
    experts_say(workbench, made, {name: ["y--", "---", "---", "---"] for name in names})
    room = opened(workbench, made, 1, (*NAMES, *names[:-1]))
    with pytest.raises(ConflictError):
        join_room(workbench, room.id, names[-1])
    # Votes at the same moment are all kept.
    at_once = names[:6]
    threads = [threading.Thread(target=all_vote, args=[workbench, room, {name: "y"}]) for name in at_once]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert dict(room_view(workbench, room.id).room.voted) == dict.fromkeys(at_once, 1)


def test_a_change_in_a_room_is_told_by_another_number(workbench: Workbench, made: Checklist) -> None:
    states = [room_states(workbench, 1)]
    room = opened(workbench, made, 1)
    states.append(room_states(workbench, 1))
    all_vote(workbench, room, {"Ana": "y", "Ben": "n"})
    states.append(room_states(workbench, 1))
    assert room_states(workbench, 1) == states[-1]
    set_room_stage(workbench, room.id, RoomStage.DISCUSS)
    states.append(room_states(workbench, 1))
    say_line(workbench, room.id, "Ana", "Why.")
    states.append(room_states(workbench, 1))
    close_room(workbench, room.id)
    assert len({*states, room_states(workbench, 1)}) == 6
