"""A checklist as a file says where each question comes from, and what is no LLM."""

import json
from datetime import UTC, datetime

import pytest
import yaml

from app.domain.attribute import Attribute, ContributorKind
from app.domain.checklist import Checklist, ChecklistStatus, Component, Question, QuestionKind, QuestionOrigin
from app.domain.project import Project
from app.domain.task import Dimension, Task
from app.errors import FileFormatError
from app.export.checklist import export_checklist, import_checklist

PROJECT = Project(1, "News", Task("summary"), "", datetime(2026, 1, 1, tzinfo=UTC))
DIMENSION = Dimension("coherence", "How it hangs together.\nSecond line.", 1, 5)
ATTRIBUTES = {
    1: Attribute("coherence", "Ada", ContributorKind.HUMAN, "Is it in order?", id=1),
    2: Attribute("coherence", "rules", ContributorKind.LLM, "Check the links", id=2),
}
CHECKLIST = Checklist(
    "coherence",
    3,
    ChecklistStatus.PUBLISHED,
    "comb",
    "openai:m",
    components=(Component("Order"),),
    questions=(
        Question("Is there order?", "Order", QuestionKind.KEY),
        Question("Is it in order?", "Order", key_question="Is there order?", attributes=(1, 2, 99), id=7),
        Question("Switched off?", "Order", enabled=False, id=8),
        Question("Is it my own?", "", origin=QuestionOrigin.ADDED, id=9),
    ),
)


def _exported(form: str) -> str:
    return export_checklist(PROJECT, DIMENSION, CHECKLIST, ATTRIBUTES, form)


def test_json_and_yaml_hold_the_same_document() -> None:
    document = json.loads(_exported("json"))
    assert yaml.safe_load(_exported("yaml")) == document
    assert [q["id"] for q in document["questions"]] == [7, 9]
    assert document["questions"][0]["attributes"] == [
        {"text": "Is it in order?", "contributor": "Ada", "kind": "human"},
        {"text": "Check the links", "contributor": "rules", "kind": "llm"},
    ]
    assert "not an LLM" in document["notice"]


def test_markdown_reads_well_and_labels_the_rules() -> None:
    text = _exported("md")
    assert "- [ ] Is it in order?\n  - Is it in order? (Ada, human)\n  - Check the links (rules, not an LLM)" in text
    assert "- [ ] Is it my own?\n  - added by hand" in text
    assert "> Second line." in text
    assert "Switched off" not in text


def test_a_plain_list_of_questions_comes_in() -> None:
    found = import_checklist('questions: ["Is it clear?", {text: "Is it short?", component: Length, weight: 2}]', "c")
    assert [(q.text, q.component, q.weight) for q in found.asked] == [
        ("Is it clear?", "", 1),
        ("Is it short?", "Length", 2),
    ]
    assert {q.origin for q in found.asked} == {QuestionOrigin.ADDED}


@pytest.mark.parametrize(
    "content", ["", "[", "just words", "questions: []", "questions: [{text: ''}]", "questions: [{text: a, weight: x}]"]
)
def test_what_is_no_checklist_is_refused_in_one_sentence(content: str) -> None:
    with pytest.raises(FileFormatError):
        import_checklist(content, "coherence")
