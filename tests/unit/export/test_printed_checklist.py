"""The rubric on paper: everything a reader needs, in both files alike, and people's words as words."""

from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from io import BytesIO
from typing import Any

import docx
import pytest

from app.export.printed_checklist import Authorship, PrintedChecklist, print_page, printed_checklist, word_file

HOSTILE = '<script>alert("1")</script> & {{ 7 * 7 }} \x01\x0b'
SAID = {"text": "Ideas follow from each other.", "contributor": "Nora", "kind": "human"}


def question(text: str, component: str = "Flow", **more: Any) -> dict[str, Any]:
    return {"text": text, "component": component, "guidance": "", "weight": 1.0, "attributes": [SAID], **more}


def document(*questions: dict[str, Any]) -> dict[str, Any]:
    return {
        "project": "Class 9b",
        "task": "essay",
        "dimension": "cohesion",
        "version": 3,
        "status": "published",
        "model": "gpt",
        "rubric": "It holds together.",
        "low": 1.0,
        "high": 6.0,
        "components": [{"name": "Flow", "description": "How it goes on.", "key_question": "Does it flow?"}],
        "questions": list(questions),
    }


@pytest.fixture
def sheet() -> PrintedChecklist:
    questions = (
        question("Does each paragraph follow?", guidance="Yes if one can say why.", weight=2.0, must_not=True),
        question("Do links fit?", attributes=[]),
        question(HOSTILE, component=""),
    )
    return printed_checklist(document(*questions), Authorship(("Ada", "Ben"), datetime(2026, 11, 3, tzinfo=UTC)))


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def in_page(sheet: PrintedChecklist) -> tuple[str, set[str]]:
    reader = _Words()
    reader.feed(print_page(sheet))
    return " ".join(" ".join(reader.words).split()), reader.tags


def in_word(sheet: PrintedChecklist) -> str:
    written = docx.Document(BytesIO(word_file(sheet)))
    cells = [cell.text for table in written.tables for row in table.rows for cell in row.cells]
    return " ".join(" ".join([*(paragraph.text for paragraph in written.paragraphs), *cells]).split())


def test_both_files_say_all_there_is_to_know(sheet: PrintedChecklist) -> None:
    for text in (in_page(sheet)[0], in_word(sheet)):
        for words in (
            "cohesion: checklist, version 3",
            "Class 9b",
            "Published, 03 November 2026",
            "From what these said to look for: Nora",
            "Built by gpt",
            "Edited by Ada, Ben",
            "It holds together.",
            "Score: 1 + 5 × number of points",
            "Flow",
            "How it goes on.",
            "Does it flow?",
            "1 Does each paragraph follow? A yes costs the point. Weight 2. How to decide: Yes if one can say why.",
            "For example: Ideas follow from each other.",
            "2 Do links fit?",
            "Without a component",
        ):
            assert words in text, words


def test_what_people_wrote_is_neither_run_nor_evaluated(sheet: PrintedChecklist) -> None:
    text, tags = in_page(sheet)
    assert "script" not in tags
    assert '<script>alert("1")</script> & {{ 7 * 7 }}' in text
    assert '<script>alert("1")</script> & {{ 7 * 7 }}' in in_word(sheet)


def test_print_page_and_word_file_show_marks_of_direction(sheet: PrintedChecklist) -> None:
    turned = replace(sheet, title="Clear\u202eraelc")
    assert "⟨U+202E⟩" in in_page(turned)[0]
    assert "⟨U+202E⟩" in in_word(turned)
    assert "\u202e" not in in_page(turned)[0] + in_word(turned)


def test_print_page_gives_each_question_its_own_reading_direction() -> None:
    asked = question("האם כל משפט שלם?", guidance="כן: עם פועל (19).", component="הדיוק")
    page = print_page(printed_checklist(document(asked), Authorship()))
    for words in ("האם כל משפט שלם?", "כן: עם פועל (19)."):
        assert f"<bdi>{words}</bdi>" in page
    assert '<h2 dir="auto">הדיוק' in page


def test_a_question_is_never_divided_between_pages(sheet: PrintedChecklist) -> None:
    assert "break-inside: avoid" in print_page(sheet)
    rows = docx.Document(BytesIO(word_file(sheet))).tables[0].rows
    assert all(row._tr.trPr.xpath("./w:cantSplit") for row in rows)
    assert rows[0]._tr.trPr.xpath("./w:tblHeader")


def test_without_people_or_rubric_nothing_is_made_up() -> None:
    bare = document(question("Is it there?", component="", attributes=[])) | {"rubric": "", "model": ""}
    sheet = printed_checklist(bare, Authorship())
    assert sheet.made == ("Published",)
    assert "Edited" not in in_page(sheet)[0]
    assert in_word(sheet)


def test_example_on_paper_has_its_passage_in_brackets() -> None:
    about = SAID | {"quote": "But\nnobody came."}
    (component,) = printed_checklist(document(question("Is it?", attributes=[about, SAID])), Authorship()).components
    assert component.questions[0].examples == (f"{SAID['text']} (“But nobody came.”)", SAID["text"])


def test_examples_of_the_judge_are_printed_with_their_answers() -> None:
    shown = [{"text": HOSTILE, "answer": "no", "reason": "It leaps."}]
    sheet = printed_checklist(document(question("Does it flow?") | {"examples": shown}), Authorship())
    ((printed,),) = (component.questions for component in sheet.components)
    assert printed.answered == (f"no: {HOSTILE} (It leaps.)",)
    for text in (in_page(sheet)[0], in_word(sheet)):
        assert "It leaps." in text


def test_formula_on_paper_says_how_thresholds_and_required_questions_count() -> None:
    plain = printed_checklist(document(question("Does it flow?")), Authorship()).scoring
    asked = [question("Does it flow?") | {"grade": "flow"}, question("Does it flow well?") | {"grade": "flow"}]
    graded = printed_checklist(document(*asked), Authorship()).scoring
    capped = printed_checklist(document(question("Does it flow?") | {"cap": 2.0}), Authorship()).scoring
    assert graded == f"{plain} Thresholds of one quality count together as one question."
    assert capped == f"{plain} A required question that fails caps the score."
