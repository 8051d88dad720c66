"""A draft edited, compared, reviewed and tried from the command line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., tuple[int, str, str]]
QUESTIONS = ["Is each sentence linked to the one before?", "Is the text short and clear?", "Are all names right?"]


@pytest.fixture
def on(run: Run, small: None, tmp_path: Path) -> tuple[str, ...]:
    """The words that name a dimension with a draft of three questions."""
    words = ("--project", "Small", "--dimension", "coherence")
    file = tmp_path / "mine.json"
    file.write_text(json.dumps({"questions": [{"text": q, "component": "Order"} for q in QUESTIONS]}))
    assert run("checklist", "import", file, *words)[0] == 0
    return words


def _json(result: tuple[int, str, str]) -> Any:
    status, out, err = result
    assert status == 0, err
    return json.loads(out)


def listed(run: Run, on: tuple[str, ...]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = _json(run("checklist", "questions", *on, "--json"))
    return found


def test_a_draft_is_edited_signed_and_taken_back(run: Run, on: tuple[str, ...]) -> None:
    first, second, third = (row["question"] for row in listed(run, on))
    edited = ("--text", "Is it linked?", "--weight", "2", "--guidance", "Any link counts.", "--off", "--by", "Ana")
    found = _json(run("checklist", "edit", first, *on, *edited, "--json"))
    assert found[0] == {
        "question": first, "on": False, "weight": 2.0, "component": "Order", "text": "Is it linked?",
        "guidance": "Any link counts.", "may_not_apply": False,
    }  # fmt: skip
    _json(run("checklist", "move", third, "--places", "-2", *on, "--by", "Ana", "--json"))
    _json(run("checklist", "remove", second, *on, "--json"))
    found = _json(run("checklist", "add", "Is it new?", *on, "--component", "Order", "--json"))
    assert [row["text"] for row in found] == [QUESTIONS[2], "Is it linked?", "Is it new?"]
    assert [row["text"] for row in _json(run("checklist", "undo", *on, "--json"))] == [QUESTIONS[2], "Is it linked?"]
    changes = _json(run("checklist", "history", *on, "--json"))
    assert [(change["who"], change["what"], change["taken_back"]) for change in changes] == [
        ("", "undid: added a question", False),
        ("", "added a question", True),
        ("", "removed a question", False),
        ("Ana", "moved a question", False),
        ("Ana", "switched a question off", False),
        ("Ana", "reworded a question", False),
    ]
    status, out, _ = run("checklist", "questions", *on)
    assert status == 0
    assert "Is it linked?" in out


def test_examples_of_a_question_come_from_a_file(run: Run, on: tuple[str, ...], tmp_path: Path) -> None:
    first, *_ = (row["question"] for row in listed(run, on))
    file = tmp_path / "examples.yaml"
    file.write_text("- {text: And then., answer: yes, reason: A link.}\n- {text: First., answer: no}\n")
    shown = [
        {"text": "And then.", "answer": "yes", "reason": "A link."},
        {"text": "First.", "answer": "no", "reason": ""},
    ]
    assert _json(run("checklist", "edit", first, *on, "--examples", file, "--json"))[0]["examples"] == shown
    for said in ("[]", "- {text: First., answer: no}", "- {text: [", "\x00"):
        file.write_text(said)
        assert run("checklist", "edit", first, *on, "--examples", file)[0] == 2
    assert listed(run, on)[0]["examples"] == shown
    assert "examples" not in _json(run("checklist", "edit", first, *on, "--no-examples", "--json"))[0]


def test_any_change_is_taken_back_by_its_number(run: Run, on: tuple[str, ...]) -> None:
    first, second, _ = (row["question"] for row in listed(run, on))
    assert run("checklist", "edit", first, *on, "--text", "Is it linked?", "--by", "Ana")[0] == 0
    assert run("checklist", "edit", second, *on, "--text", "Is it short?", "--by", "Ana")[0] == 0
    _, earlier = _json(run("checklist", "history", *on, "--json"))
    found = _json(run("checklist", "undo", *on, "--change", earlier["change"], "--by", "Ben", "--json"))
    assert [row["text"] for row in found] == [QUESTIONS[0], "Is it short?", QUESTIONS[2]]
    assert _json(run("checklist", "history", *on, "--json"))[0]["who"] == "Ben"
    status, _, err = run("checklist", "undo", *on, "--change", earlier["change"])
    assert (status, "undone already" in err) == (2, True)


def test_components_are_edited_as_on_the_screen(run: Run, on: tuple[str, ...]) -> None:
    def component(*words: Any) -> Any:
        return _json(run("checklist", "component", *words, *on, "--json"))

    order = {"component": "Order", "description": "", "key_question": ""}
    links = {"component": "Links", "description": "What ties.", "key_question": ""}
    assert component("add", "Links", "--description", "What ties.", "--by", "Ana") == [order, links]
    assert component("move", "links", "--places", -1) == [links, order]
    edited = component("edit", "Links", "--name", "Ties", "--key-question", "Is it tied?")
    assert edited == [{**links, "component": "Ties", "key_question": "Is it tied?"}, order]
    assert component("remove", "Ties") == component("list") == [order]
    assert _json(run("checklist", "undo", *on, "--json"))
    assert [row["component"] for row in component("list")] == ["Ties", "Order"]
    status, out, _ = run("checklist", "component", "list", *on)
    assert (status, "Is it tied?" in out) == (0, True)


def test_versions_are_compared_and_restored(run: Run, on: tuple[str, ...]) -> None:
    assert run("checklist", "publish", *on)[0] == 0
    first = listed(run, on)[0]["question"]
    status, _, err = run("checklist", "edit", first, *on, "--text", "No?")
    assert status == 2
    assert "checklist restore" in err
    assert _json(run("checklist", "restore", *on, "--json")) == {"dimension": "coherence", "version": 2, "from": 1}
    copied = listed(run, on)[0]["question"]
    assert run("checklist", "edit", copied, *on, "--text", "Is each sentence tied to the one before?")[0] == 0
    status, out, _ = run("checklist", "diff", *on, "--from", "1")
    assert status == 0
    assert out.splitlines() == [
        "1 reworded",
        "reworded: Is each sentence [-linked-]{+tied+} to the one before?",
    ]
    found = _json(run("checklist", "diff", *on, "--from", "1", "--to", "2", "--json"))
    assert found["questions"] == [
        {"changes": ["reworded"], "before": QUESTIONS[0], "after": "Is each sentence tied to the one before?"}
    ]


def test_a_model_proposes_and_a_person_decides(run: Run, on: tuple[str, ...]) -> None:
    _, second, _ = (row["question"] for row in listed(run, on))
    (waiting,) = _json(run("checklist", "ask", "split", second, *on, "--model", "rules", "--json"))
    assert waiting["after"] == ["Is the text short?", "Is the text clear?"]
    assert _json(run("checklist", "decide", waiting["proposal"], "--accept", *on, "--json")) == []
    assert [row["text"] for row in listed(run, on)][1:3] == waiting["after"]
    _json(run("checklist", "review", *on, "--model", "rules", "--json"))
    for each in _json(run("checklist", "proposals", *on, "--json")):
        assert run("checklist", "decide", each["proposal"], "--refuse", *on)[0] == 0
    assert "Nothing waits" in run("checklist", "proposals", *on)[1]


def test_a_draft_is_tried_without_leaving_a_result(run: Run, on: tuple[str, ...]) -> None:
    found = _json(run("checklist", "try", *on, "--judge", "rules", "--seed", "1", "--json"))
    assert [answer["question"] for answer in found["answers"]] == QUESTIONS
    assert {answer["answer"] for answer in found["answers"]} <= {"yes", "no"}
    assert found["score"] == found["weighted"]
    assert _json(run("runs", "list", "--project", "Small", "--json")) == []
    status, out, _ = run("checklist", "try", *on, "--judge", "rules")
    assert status == 0
    assert "3 of 3 answered" in out


MISTAKES = (
    (("edit", 999, "--text", "Is it?"), "no question 999"),
    (("ask", "shout", 999, "--model", "rules"), "nothing to ask a model for"),
    (("decide", 9, "--accept"), "no open proposal 9"),
    (("diff", "--from", "7"), "no checklist version 7"),
    (("undo",), "no change"),
    (("undo", "--change", 99), "no change 99"),
    (("component", "remove", "Order"), "still has questions"),
    (("component", "edit", "Nowhere"), "no component"),
    (("add", " "), "can't be empty"),
    (("add", "Is it?", "--component", "Nowhere"), "no component"),
    (("add", "Is it?", "--weight", "-1"), "not a weight"),
)


def test_mistakes_are_one_sentence(run: Run, on: tuple[str, ...], subtests: pytest.Subtests) -> None:
    for words, complaint in MISTAKES:
        with subtests.test(words=words):
            status, out, err = run("checklist", words[0], *words[1:], *on)
            assert status == 2
            assert complaint in err
            assert out == ""
            assert "Traceback" not in err


def test_checklist_import_keeps_the_rubric_of_the_side_asked_for(run: Run, on: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    rubric = ("dimension", "edit", "coherence", "--project", "Small", "--rubric")
    assert run(*rubric, "Kind words.")[0] == 0
    assert run("checklist", "publish", *on)[0] == 0
    assert run("checklist", "export", *on, "--format", "json", "--output", file)[0] == 0
    assert run(*rubric, "How it hangs together.")[0] == 0
    for holds, kept in (("project", "How it hangs together."), ("file", "Kind words.")):
        _json(run("checklist", "import", file, *on, "--rubric", holds, "--json"))
        found = next(one for one in _json(run("dimension", "list", "--project", "Small", "--json")))
        assert found["rubric"] == kept, holds
