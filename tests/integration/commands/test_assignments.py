"""people assign and reassign, and what people list says of them."""

from collections.abc import Callable
from typing import Any

import pytest

from app.domain.checklist_score import Answer
from app.domain.project import Dimension
from app.domain.roles_and_rights import Role
from app.services.checklists.answer_draws import draw_texts
from app.services.checklists.expert_answers import answer, answer_sheet
from app.services.data.projects import add_dimension
from app.services.people.invitations import invite
from app.services.runtime.workbench import open_workbench
from tests.support.projects import ready_to_score
from tests.support.small_project import document

Run = Callable[..., tuple[int, str, str]]
HERE = ("--project", "Ready")
ABOUT = (*HERE, "--dimension", "coherence")


@pytest.fixture(autouse=True)
def project(run: Run) -> None:
    """Ana and Ben are experts, and eight texts are drawn."""
    workbench = open_workbench()
    ready_to_score(workbench, texts=40)
    add_dimension(workbench, 1, Dimension("fluency"))
    for name in ("Ana", "Ben"):
        invite(workbench, 1, name, Role.EXPERT)
    draw_texts(workbench, 1, 8, seed=1)


def told(run: Run, *words: str) -> Any:
    return document(run("people", *words, "--json")[1])


def test_dimensions_are_given_and_all_are_given_back(run: Run) -> None:
    status, out, _ = run("people", "assign", "Ana", *ABOUT, "--dimension", "fluency")
    assert (status, out) == (0, "Ana has coherence, fluency\n")
    assert told(run, "assign", "Ana", *HERE, "--dimension", "fluency") == {"name": "Ana", "dimensions": ["fluency"]}
    ana, ben = told(run, "list", *HERE)
    assert (ana["dimensions"], ana["tasks"], ana["texts"]) == (["fluency"], 1, 0)
    assert (ben["dimensions"], ben["tasks"], ben["texts"]) == ("all", 3, 8)
    assert told(run, "assign", "Ana", *HERE, "--all") == {"name": "Ana", "dimensions": "all"}
    assert run("people", "list", *HERE)[1].splitlines()[1].endswith("all         0 of 3  0 of 8")


def test_texts_are_shared_and_what_lies_idle_is_another_s(run: Run) -> None:
    shared = told(run, "assign", *ABOUT, "--overlap", "1")
    assert shared == [
        {"dimension": "coherence", "overlap": 1, "texts": 8, "unanswered": {"Ana": 4, "Ben": 4}, "without": []}
    ]
    workbench = open_workbench()
    sheet = answer_sheet(workbench, 1, "Ana")
    for question in sheet.checklist.asked:
        answer(workbench, sheet.draw, "Ana", sheet.texts[0], question.id, Answer.YES)
    assert told(run, "reassign", "Ana", "Ben", *ABOUT) == {"from": "Ana", "to": "Ben", "moved": 3, "left": 0}
    found = [(one["name"], one["texts_done"], one["texts"]) for one in told(run, "list", *HERE)]
    assert found == [("Ana", 1, 1), ("Ben", 0, 7)]
    out = run("people", "reassign", "Ben", "Ana", *ABOUT)[1]
    assert out == "7 texts of Ben went to Ana\n"
    out = run("people", "assign", *ABOUT, "--overlap", "0")[1]
    assert out == "coherence: everybody answers every text, 8 texts drawn\n"
    acts = [one["act"] for one in told(run, "trail", *HERE)]
    assert acts[:3] == ["shared texts among experts", "moved unanswered texts", "moved unanswered texts"]


def test_each_expert_s_part_is_said(run: Run) -> None:
    out = run("people", "assign", *ABOUT, "--overlap", "2")[1]
    assert out.splitlines() == [
        "coherence: 2 experts a text, 8 texts drawn",
        "  Ana: 8 texts to answer",
        "  Ben: 8 texts to answer",
    ]
    out = run("people", "assign", *HERE, "--dimension", "fluency", "--overlap", "1")[1]
    assert out == "fluency: 1 expert a text, no texts drawn yet\n"


NOT_ASSIGNED = (
    (("assign",), "not both"),
    (("assign", "Ana"), "Say which dimensions"),
    (("assign", "Ana", "--dimension", "coherence", "--all"), "Say which dimensions"),
    (("assign", "Ana", "--dimension", "coherence", "--overlap", "1"), "not both"),
    (("assign", "--overlap", "1"), "Say which dimensions"),
    (("assign", "--dimension", "coherence", "--overlap", "3"), "There are 2 to choose from"),
    (("assign", "Zoe", "--all"), "Nobody called “Zoe” is an expert"),
    (("assign", "Ana", "--dimension", "taste"), "no dimension “taste”"),
    (("reassign", "Ana", "Ben", "--dimension", "coherence"), "there is nothing to move"),
)


def test_what_can_not_be_assigned_is_a_sentence(run: Run, subtests: pytest.Subtests) -> None:
    for words, said in NOT_ASSIGNED:
        with subtests.test(words=words):
            status, out, err = run("people", *words, *HERE)
            assert (status, out) == (2, "")
            assert said in err
