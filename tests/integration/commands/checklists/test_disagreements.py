"""Disagreements on the command line: list, look at one, decide, be told of another's decision, undo."""

from collections.abc import Callable

from app.domain.checklist import Checklist
from app.domain.checklist_score import Answer
from app.domain.room import RoomStage
from app.services.checklists.checklists import versions_of
from app.services.disagreements.rooms import join_room, open_room, set_room_stage, vote
from app.services.runtime.workbench import open_workbench
from tests.support.disagreements import experts_say, judge_says, parted_project, text_ids
from tests.support.small_project import document

WHERE = ("--project", "Letters", "--dimension", "tone")
Run = Callable[..., tuple[int, str, str]]


def _parted() -> Checklist:
    workbench = open_workbench()
    made = parted_project(workbench)
    experts_say(workbench, made, {"Ana": ["yyy", "yyy", "nyy", "yyy"], "Ben": ["nyy", "yyy", "nya", "yyy"]})
    judge_says(workbench, made, "llama:one", ["yyy", "nyy", "nyy", "yyy"], ["yyy", "nyy", "nyy", "yny"])
    return made


def test_a_disagreement_is_listed_looked_at_decided_and_given_back(run: Run) -> None:
    made = _parted()
    texts, first = text_ids(open_workbench(), made), made.asked[0].id
    pair = f"{first}-{texts[0]}"
    for words, said in (
        (("decide", "first", *WHERE, "--answer", "yes"), "is no disagreement"),
        (("decide", pair, *WHERE, "--answer", "maybe"), "is no answer"),
        (("decide", pair, *WHERE, "--answer", "na"), "doesn't allow"),
        (("list", *WHERE, "--kind", "other"), "is no kind"),
        (("list", *WHERE, "--state", "other"), "is no state"),
        (("show", "999-1", *WHERE), "doesn't ask this question"),
    ):
        status, _, err = run("disagreements", *words)
        assert status == 2
        assert said in err
    assert "No disagreement." in run("disagreements", "list", *WHERE, "--state", "decided")[1]
    listed = document(run("disagreements", "list", *WHERE, "--json")[1])
    assert isinstance(listed, list)
    assert {(one["id"], one["kind"], one["judge"]) for one in listed} == {
        (f"{first}-{texts[0]}", "experts", None),
        (f"{first}-{texts[1]}", "judge", "llama:one"),
        (f"{made.asked[2].id}-{texts[2]}", "experts", None),
        (f"{made.asked[1].id}-{texts[3]}", "repeats", "llama:one"),
    }
    one = next(each for each in listed if each["id"] == f"{first}-{texts[0]}")
    assert {name: one[name] for name in ("question", "question_text", "doc_id", "people", "decided")} == {
        "question": 1,
        "question_text": "Does it greet?",
        "doc_id": "letter-0",
        "people": {"yes": 1, "no": 1, "na": 0},
        "decided": None,
    }
    shown = run("disagreements", "show", one["id"], *WHERE)[1]
    assert "Expert A" in shown
    assert "Ana" not in shown
    status, out, _ = run(
        "disagreements", "decide", one["id"], *WHERE, "--answer", "no", "--guidance", "Names count.", "--by", "Cleo"
    )
    assert status == 0
    assert "Decided: no by Cleo, version 1: Names count." in out
    assert "guidance in draft 2" in out
    assert [each.asked[0].guidance for each in versions_of(open_workbench(), 1)] == ["Names count.", ""]
    told = document(run("disagreements", "show", one["id"], *WHERE, "--json")[1])
    assert isinstance(told, dict)
    assert [each["who"] for each in told["people"]] == ["Ana", "Ben"]
    status, _, err = run("disagreements", "decide", one["id"], *WHERE, "--answer", "yes")
    assert status == 2
    assert "Cleo has decided this meanwhile: no." in err
    assert run("disagreements", "decide", one["id"], *WHERE, "--answer", "yes", "--again")[0] == 0
    undone = document(run("disagreements", "undo", one["id"], *WHERE, "--by", "Dora", "--json")[1])
    assert isinstance(undone, dict)
    assert (undone["answer"], undone["undone_by"]) == ("yes", "Dora")
    assert run("disagreements", "undo", one["id"], *WHERE)[0] == 2


def test_rooms_are_listed_with_agreement_before_and_after_and_no_votes(run: Run) -> None:
    made, workbench = _parted(), open_workbench()
    room = open_room(workbench, made.id, made.asked[0].id, text_ids(workbench, made)[:2], "Fay")
    for name, answer in (("Ana", Answer.YES), ("Ben", Answer.NO)):
        join_room(workbench, room.id, name)
        for text in room.texts:
            vote(workbench, room.id, name, text, answer)
    (blind,) = document(run("disagreements", "rooms", *WHERE, "--json")[1])
    assert (blind["stage"], blind["members"], blind["alpha_before"]) == ("vote", ["Ana", "Ben"], None)
    assert "votes" not in blind
    set_room_stage(workbench, room.id, RoomStage.DISCUSS)
    (seen,) = document(run("disagreements", "rooms", *WHERE, "--json")[1])
    assert (seen["alpha_before"], seen["alike_before"], seen["alpha_after"]) == (-0.5, 0.0, None)
    assert "discuss" in run("disagreements", "rooms", *WHERE)[1]
