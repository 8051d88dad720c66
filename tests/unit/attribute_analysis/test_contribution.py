"""Lineage from attribute to question, counted by hand."""

from app.attribute_analysis.pool import AttributeUse, contribution_of, sources_of
from app.domain.attribute import Attribute, ContributorKind
from app.domain.checklist import Checklist, ChecklistStatus, Component, DroppedAttribute, Question, QuestionKind

ATTRIBUTES = {
    number: Attribute(
        "coherence", name, ContributorKind.LLM if name == "model" else ContributorKind.HUMAN, "x", id=number
    )
    for number, name in enumerate(["Ada", "Ada", "Ada", "Ben", "model", "model"], start=1)
}


def question(number: int, *attributes: int, enabled: bool = True, kind: QuestionKind = QuestionKind.SUB) -> Question:
    return Question(f"Question {number}?", "Order", kind, attributes=attributes, enabled=enabled, id=number)


CHECKLIST = Checklist(
    "coherence",
    1,
    ChecklistStatus.PUBLISHED,
    "comb",
    "rules",
    components=(Component("Order", attributes=(1, 2, 4, 5)),),
    questions=(
        question(10, 1, 2, kind=QuestionKind.KEY),
        question(11, 1),
        question(12, 1, 4),
        question(13, 5),
        question(14),
        question(15, 2, enabled=False),
    ),
    dropped=(DroppedAttribute(3, "clusters", "twice"), DroppedAttribute(6, "clusters", "unclear")),
)


def test_the_attributes_behind_a_checklist_include_those_dropped_on_the_way():
    assert sources_of(CHECKLIST) == {1, 2, 3, 4, 5, 6}


def test_reach_of_each_contributor_counts_asked_questions_only():
    found = contribution_of(CHECKLIST, ATTRIBUTES)
    assert (found.asked, found.without_lineage) == (4, 1)
    assert found.by_contributor == {
        "Ada": AttributeUse(given=3, reached=1, dropped=1, questions=2, alone=(11,)),
        "Ben": AttributeUse(given=1, reached=1, dropped=0, questions=1, alone=()),
        "model": AttributeUse(given=2, reached=1, dropped=1, questions=1, alone=(13,)),
    }


def test_a_question_of_two_people_rests_on_people_alone():
    found = contribution_of(CHECKLIST, ATTRIBUTES)
    assert found.by_kind["human"].alone == (11, 12)
    assert found.by_kind["llm"].alone == (13,)
    assert list(found.joint) == ["human"], "the only LLM stands for the LLMs"


def test_an_imported_checklist_is_nobodys():
    imported = Checklist("c", 1, ChecklistStatus.DRAFT, "imported", "", questions=(question(1), question(2)))
    found = contribution_of(imported, ATTRIBUTES)
    assert (found.by_contributor, found.asked, found.without_lineage) == ({}, 2, 2)
