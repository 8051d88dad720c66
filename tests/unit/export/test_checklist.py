"""A checklist as a file says where each question comes from, and what is no LLM."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import jsonschema
import pytest
import yaml

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
from app.domain.passage import Passage
from app.domain.project import Dimension, Project, Task
from app.errors import FileFormatError
from app.export.checklist import _literal, checklist_document, checklist_file, schema_text

PROJECT = Project(1, "News", Task("summary"), "", False, datetime(2026, 1, 1, tzinfo=UTC))
DIMENSION = Dimension("coherence", "How it hangs together.\nSecond line.", 1, 5)
ATTRIBUTES = {
    1: Attribute("coherence", "Ada", ContributorKind.HUMAN, "Is it in order?", id=1),
    2: Attribute("coherence", "rules", ContributorKind.LLM, "Check the links", id=2),
    3: Attribute("coherence", "Ada", ContributorKind.HUMAN, "Spelling", id=3, passage=Passage(1, 0, 7, "Speling")),
}
CHECKLIST = Checklist(
    "coherence",
    3,
    ChecklistStatus.PUBLISHED,
    "comb",
    "openai:m",
    components=(Component("Order", "What comes when.", (1, 2)),),
    questions=(
        Question("Is there order?", "Order", QuestionKind.KEY),
        Question(
            "Is it in order?",
            "Order",
            key_question="Is there order?",
            attributes=(1, 2, 99),
            id=7,
            guidance="Dates count.",
            original="Is it ordered?",
        ),
        Question("Switched off?", "Order", enabled=False, id=8),
        Question("Is it my own?", "", origin=QuestionOrigin.ADDED, id=9),
    ),
    dropped=(DroppedAttribute(3, "clusters", "Not about coherence."),),
)
DOCUMENT = checklist_document(PROJECT, DIMENSION, CHECKLIST, ATTRIBUTES)
ADA = {"text": "Is it in order?", "contributor": "Ada", "kind": "human"}
BY_RULES = {"text": "Check the links", "contributor": "rules", "kind": "llm"}


@pytest.mark.parametrize("rubric", [DIMENSION.rubric, "Kind\x85words", "a\r\n\tb \n\n: #c\u2028🙂\x85\n"])
def test_json_and_yaml_hold_the_same_document(rubric: str) -> None:
    written = {**DOCUMENT, "rubric": rubric}
    document = json.loads(checklist_file("json", written))
    assert yaml.safe_load(checklist_file("yaml", written)) == document == written
    assert [q["id"] for q in document["questions"]] == [7, 9]
    assert "not an LLM" in document["notice"]


def test_the_document_fits_its_published_schema_and_the_schema_can_refuse() -> None:
    schema = json.loads(schema_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(DOCUMENT, schema)
    broken = {**DOCUMENT, "questions": [{**DOCUMENT["questions"][0], "weight": -1}]}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, schema)


def test_lineage_leads_from_question_to_contributors_and_to_what_was_dropped() -> None:
    question = DOCUMENT["questions"][0]
    assert (question["key_question"], question["component"]) == ("Is there order?", "Order")
    assert (question["guidance"], question["original"]) == ("Dates count.", "Is it ordered?")
    assert question["attributes"] == [ADA, BY_RULES]
    assert DOCUMENT["components"] == [
        {
            "name": "Order",
            "description": "What comes when.",
            "key_question": "Is there order?",
            "attributes": [ADA, BY_RULES],
        }
    ]
    assert DOCUMENT["dropped"] == [
        {
            "text": "Spelling",
            "contributor": "Ada",
            "kind": "human",
            "quote": "Speling",
            "stage": "clusters",
            "reason": "Not about coherence.",
        }
    ]


def test_quotes_of_passages_stand_behind_their_attributes() -> None:
    about = replace(ATTRIBUTES[1], passage=Passage(1, 0, 8, "*No* order"))
    document = checklist_document(PROJECT, DIMENSION, CHECKLIST, ATTRIBUTES | {1: about})
    jsonschema.validate(document, json.loads(schema_text()))
    assert document["questions"][0]["attributes"] == [ADA | {"quote": "*No* order"}, BY_RULES]
    assert "(Ada, human) about “\\*No\\* order”" in checklist_file("md", document)


def test_markdown_reads_well_and_labels_the_rules() -> None:
    text = checklist_file("md", DOCUMENT)
    assert "  - Is it in order? (Ada, human)\n  - Check the links (rules, not an LLM)" in text
    assert "- [ ] Is it in order?\n  - How to decide: Dates count." in text
    assert "- [ ] Is it my own?\n  - added by hand" in text
    assert "> Second line." in text
    assert "Switched off" not in text


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("comb", "attributes of everybody,"),
        ("ml", "attributes of all LLMs,"),
        ("sh:Ada", "attributes of Ada,"),
        ("only:Ada,Bo", "attributes of Ada, Bo,"),
        ("imported", "imported from a file,"),
    ],
)
def test_markdown_says_in_words_whose_attributes_it_is_from(condition: str, said: str) -> None:
    document = checklist_document(PROJECT, DIMENSION, replace(CHECKLIST, condition=condition), ATTRIBUTES)
    assert said in checklist_file("md", document)


def test_a_form_nobody_knows_is_said() -> None:
    with pytest.raises(FileFormatError, match="docx"):
        checklist_file("docx", DOCUMENT)


def test_markdown_of_words_with_html_and_images_shows_them_literally() -> None:
    found = _literal("<img src=x> ![a](https://x.y/z) \u202e`b`")
    assert found == "\\<img src=x\\> \\!\\[a\\](https\\://x.y/z) ⟨U+202E⟩\\`b\\`"
