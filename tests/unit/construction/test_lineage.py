"""Forward from contributors to questions, and back."""

import pytest

from app.construction.lineage import LEFT_OUT, Unserved, flows, lineage_of
from app.domain.attribute import Attribute, ContributorKind
from app.domain.checklist import (
    Checklist,
    ChecklistStatus,
    Component,
    DroppedAttribute,
    Question,
    QuestionKind,
    QuestionOrigin,
)

SAID = {1: "Ada", 2: "Ada", 3: "gpt", 4: "gpt", 5: "Ada"}
ATTRIBUTES = {id_: Attribute("c", who, ContributorKind.HUMAN, f"Point {id_}.", id=id_) for id_, who in SAID.items()}


@pytest.fixture
def checklist() -> Checklist:
    return Checklist(
        "c",
        1,
        ChecklistStatus.DRAFT,
        "comb",
        "rules",
        components=(Component("Order", attributes=(1, 2, 3)), Component("Links", attributes=(3,), position=1)),
        questions=(
            Question("Ordered?", "Order", QuestionKind.KEY, attributes=(1, 2), id=10),
            Question("First?", "Order", attributes=(1,), id=11),
            Question("Tied?", "Links", attributes=(1, 3), id=12),
            Question("Off?", "Links", attributes=(2,), enabled=False, id=13),
            Question("Mine?", "", origin=QuestionOrigin.ADDED, id=14),
        ),
        dropped=(DroppedAttribute(4, "clusters", "too vague"),),
    )


def test_every_question_that_is_asked_stands_under_its_component_and_key_question(checklist: Checklist) -> None:
    branches = lineage_of(checklist, [1, 2, 3, 4]).branches
    assert [(b.component.name, b.key_question, [q.id for q in b.questions]) for b in branches] == [
        ("Order", "Ordered?", [11]),
        ("Links", "", [12]),
        ("", "", [14]),
    ]


def test_back_from_an_attribute_to_the_questions_it_serves(checklist: Checklist) -> None:
    found = lineage_of(checklist, [1, 2, 3, 4])
    assert found.serving == {1: (11, 12), 3: (12,)}
    assert found.by_hand == (14,)


def test_what_serves_no_question_says_where_it_ended_and_why(checklist: Checklist) -> None:
    assert lineage_of(checklist, [1, 2, 3, 4, 5]).unserved == (
        Unserved(2, "Order"),  # its only question is switched off
        Unserved(4, "", "clusters", "too vague"),
        Unserved(5),  # came later
    )


def test_flows_count_attributes_by_whose_they_are(checklist: Checklist) -> None:
    first, second = flows(checklist, ATTRIBUTES)
    assert {(f.source, f.target): f.attributes for f in first} == {
        ("Ada", "Order"): 2,
        ("gpt", "Order"): 1,
        ("gpt", "Links"): 1,
        ("gpt", LEFT_OUT): 1,
    }
    assert {(f.source, f.target, f.group): f.attributes for f in second} == {
        ("Order", "11", "Ada"): 1,
        ("Links", "12", "Ada"): 1,
        ("Links", "12", "gpt"): 1,
    }


def test_a_checklist_without_lineage_is_all_by_hand() -> None:
    bare = Checklist("c", 1, ChecklistStatus.DRAFT, "imported", "", questions=(Question("Short?", "", id=1),))
    found = lineage_of(bare, [])
    assert (found.by_hand, found.unserved, flows(bare, {})) == ((1,), (), ([], []))
