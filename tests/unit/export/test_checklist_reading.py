"""Checklists come in from what people have: our own files, tables, lists; or not at all, with the place named."""

import json

import pytest

from app.corpora.csv_file import parse_delimited
from app.domain.checklist import Checklist, QuestionOrigin
from app.errors import FileFormatError
from app.export.checklist import checklist_file
from app.export.checklist_reading import read_document, read_lines, read_rows
from tests.unit.export.test_checklist import ATTRIBUTES, DOCUMENT

KNOWN = {(a.contributor, a.text): a.id for a in ATTRIBUTES.values()}
FORMULA = "=HYPERLINK(1) or 'two'?"


def asked(found: Checklist) -> list[tuple[str, str, str, float]]:
    return [(q.text, q.component, q.guidance, q.weight) for q in found.asked]


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_an_exported_document_comes_back_with_the_lineage_the_project_knows(form: str) -> None:
    found = read_document(checklist_file(form, DOCUMENT), "coherence", KNOWN)
    assert asked(found) == [("Is it in order?", "Order", "Dates count.", 1), ("Is it my own?", "", "", 1)]
    first, own = found.asked
    assert (first.attributes, first.origin, first.original) == ((1, 2), QuestionOrigin.GENERATED, "Is it ordered?")
    assert (own.origin, own.reason) == (QuestionOrigin.ADDED, "added by hand")
    assert [(c.name, c.description, c.attributes) for c in found.components] == [("Order", "What comes when.", (1, 2))]
    assert [q.text for q in found.questions if q not in found.asked] == ["Is there order?"]


def test_in_another_project_every_question_is_added_by_hand() -> None:
    found = read_document(checklist_file("json", DOCUMENT), "coherence")
    assert {(q.origin, q.reason, q.attributes) for q in found.asked} == {(QuestionOrigin.ADDED, "added by hand", ())}


def test_an_exported_table_comes_back_and_formulas_are_what_they_were() -> None:
    question = {**DOCUMENT["questions"][0], "text": FORMULA, "guidance": '-x, then "y"\nand \'=z', "weight": 2.5}
    table = checklist_file("csv", {**DOCUMENT, "questions": [question]})
    assert "'=HYPERLINK" in table
    rows, _ = parse_delimited(table, "x.csv")
    assert asked(read_rows(rows, "coherence")) == [(FORMULA, "Order", '-x, then "y" and \'=z', 2.5)]


def test_exported_markdown_comes_back_as_its_questions() -> None:
    found = read_lines(checklist_file("md", DOCUMENT), "coherence")
    assert asked(found) == [("Is it in order?", "Order", "", 1), ("Is it my own?", "", "", 1)]


@pytest.mark.parametrize(
    "content", ["Is it clear?\n\nIs it short: yes or no?\n", "1. Is it clear?\n2) Is it short: yes or no?"]
)
def test_one_question_a_line_comes_in(content: str) -> None:
    assert [q.text for q in read_lines(content, "c").asked] == ["Is it clear?", "Is it short: yes or no?"]


@pytest.mark.parametrize(
    "content",
    [
        'questions: ["Is it clear?", {text: "Is it short?", component: Length, weight: 2}]',
        json.dumps(["Is it clear?", {"text": "Is it short?", "component": "Length", "weight": "2"}]),
        "- Is it clear?\n- text: Is it short?\n  component: Length\n  weight: 2\n",
    ],
)
def test_a_plain_list_of_questions_comes_in(content: str) -> None:
    found = read_document(content, "c")
    assert asked(found) == [("Is it clear?", "", "", 1), ("Is it short?", "Length", "", 2)]


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("", "no list"),
        ("just words", "no list"),
        ("questions: []", "no list"),
        ("questions: [a, {text: ''}]", "Question 2"),
        ("questions: [a, 3]", "Question 2"),
        ("questions: [{text: [a, b]}]", "“text” of Question 1"),
        ("questions: [{text: a, weight: x}]", "weight of Question 1"),
        ("questions: [{text: a, weight: -1}]", "weight of Question 1"),
        ("questions: [{text: a, weight: .nan}]", "weight of Question 1"),
        ("questions:\n  - text: 'a", "line"),
        ('{"questions": [\n"a?",\n]}', "line 3"),
        ("[" * 100_000, "sensible depth"),
        ("questions: [a]\nday: 2026-13-45", "sensible dates"),
        ('{"questions": [' + "9" * 5000 + "]}", "sensible dates"),
        ("a: !!python/object/apply:os.system [ls]", "YAML"),
    ],
)
def test_what_is_no_checklist_is_refused_with_its_place(content: str, place: str) -> None:
    with pytest.raises(FileFormatError, match=place):
        read_document(content, "coherence")


@pytest.mark.parametrize(
    ("table", "place"),
    [
        ("question\na?", "no column “text”"),
        ("text,weight\na?,1\n,2", "Row 2"),
        ("text,weight\na?,x", "weight of Row 1"),
    ],
)
def test_a_table_that_cant_be_read_names_the_row(table: str, place: str) -> None:
    with pytest.raises(FileFormatError, match=place):
        read_rows(parse_delimited(table, "x.csv")[0], "coherence")


def test_a_list_without_questions_is_refused() -> None:
    with pytest.raises(FileFormatError, match="no question"):
        read_lines("# Title\n\n", "coherence")
