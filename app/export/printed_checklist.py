"""A checklist to print: an HTML page and a Word file."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from docx import Document
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml.ns import qn
from docx.oxml.parser import OxmlElement
from docx.shared import Cm, Pt, RGBColor
from jinja2 import Environment, StrictUndefined

from app.domain.storable_text import shown_directions, shown_value
from app.export.checklist import NO_COMPONENT, counting_words, example_words

MOST_EXAMPLES = 3
"""Most attributes printed under a question: a sheet of paper is to be filled in, not studied."""


@dataclass(frozen=True, slots=True)
class Authorship:
    """Who edited the checklist, and when it was made or, if it is published, published."""

    editors: tuple[str, ...] = ()
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PrintedQuestion:
    """A question on paper. `counts` says how its answer counts, where that differs from the default. `examples` are
    attributes behind the question, in the words of those who thought aloud, each with its passage in brackets if it has
    one. `answered` are the examples that the judge reads."""

    number: int
    text: str
    counts: str
    guidance: str
    examples: tuple[str, ...]
    answered: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PrintedComponent:
    name: str
    description: str
    key_question: str
    questions: tuple[PrintedQuestion, ...]


@dataclass(frozen=True, slots=True)
class PrintedChecklist:
    """A checklist to print. `made` are lines on who made it, from what and when."""

    title: str
    project: str
    task: str
    rubric: str
    scoring: str
    made: tuple[str, ...]
    components: tuple[PrintedComponent, ...]


def printed_checklist(document: Mapping[str, Any], making: Authorship) -> PrintedChecklist:
    """Return the printed form of a `checklist_document`; questions are numbered as on the screen."""
    described = {component["name"]: component for component in document["components"]}
    listed: dict[str, list[PrintedQuestion]] = {}
    for number, question in enumerate(document["questions"], start=1):
        examples = tuple(dict.fromkeys(_example(attribute) for attribute in question["attributes"]))[:MOST_EXAMPLES]
        answered = tuple(map(example_words, question.get("examples", ())))
        counts = ". ".join([*counting_words(question), ""]).strip()
        printed = PrintedQuestion(number, question["text"], counts, _guidance(question), examples, answered)
        listed.setdefault(question["component"], []).append(printed)
    return PrintedChecklist(
        f"{document['dimension']}: checklist, version {document['version']}",
        document["project"],
        document["task"],
        document["rubric"],
        f"Answer every question with yes or no; yes is good{_unless(document)}. Score: {document['low']:g} + "
        f"{document['high'] - document['low']:g} × number of {_points(document)} ÷ {_counted(document)}."
        + _together(document),
        tuple(_made(document, making)),
        tuple(_read_component(name, questions, described.get(name, {})) for name, questions in listed.items()),
    )


def _example(attribute: Mapping[str, Any]) -> str:
    quote = " ".join(attribute.get("quote", "").split())
    return f"{attribute['text']} (“{quote}”)" if quote else attribute["text"]


def _guidance(question: Mapping[str, Any]) -> str:
    """Return the guidance; if the question may not apply, with what to do on paper, which has two boxes."""
    also = "Where it does not apply, write n/a." if question.get("may_not_apply") else ""
    return " ".join(filter(None, (question["guidance"], also)))


def _together(document: Mapping[str, Any]) -> str:
    """Return how grades' thresholds, required questions and weights enter the formula, if there are any."""
    questions = document["questions"]
    grades = " Thresholds of one quality count together as one question." if _any(questions, "grade") else ""
    caps = " A required question that fails caps the score." if any("cap" in question for question in questions) else ""
    weights = any(question["weight"] != 1 for question in questions)
    return grades + caps + (" The weighted score counts each question by its weight." if weights else "")


def _any(questions: Sequence[Mapping[str, Any]], field: str) -> bool:
    return any(question.get(field) for question in questions)


def _unless(document: Mapping[str, Any]) -> str:
    return " unless it says otherwise" if _has_bad_yes(document) else ""


def _points(document: Mapping[str, Any]) -> str:
    return "points" if _has_bad_yes(document) else "yes"


def _has_bad_yes(document: Mapping[str, Any]) -> bool:
    return _any(document["questions"], "must_not")


def _counted(document: Mapping[str, Any]) -> str:
    return "number of yes and no" if _any(document["questions"], "may_not_apply") else "number of answers"


def _read_component(name: str, questions: Sequence[PrintedQuestion], described: Mapping[str, Any]) -> PrintedComponent:
    texts = (described.get("description", ""), described.get("key_question", ""))
    return PrintedComponent(name or NO_COMPONENT, *texts, tuple(questions))


def _made(document: Mapping[str, Any], making: Authorship) -> list[str]:
    said = {(a["kind"] != "human", a["contributor"]) for q in document["questions"] for a in q["attributes"]}
    when = f"{making.at:%d %B %Y}" if making.at else ""
    lines = [f"{document['status'].capitalize()}{f', {when}' if when else ''}"]
    if said:
        lines.append(f"From what these said to look for: {', '.join(name for _, name in sorted(said))}")
    if document["model"]:
        lines.append(f"Built by {document['model']}")
    if making.editors:
        lines.append(f"Edited by {', '.join(making.editors)}")
    return [*lines, *([document["notice"]] if "notice" in document else [])]


_PAGE = Path(__file__).with_name("printed_checklist.html")
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_WIDTHS = (Cm(1), Cm(13), Cm(1.5), Cm(1.5))
_GREY = RGBColor(0x4A, 0x54, 0x62)


def print_page(sheet: PrintedChecklist) -> str:
    """Return a self-contained HTML page without scripts; people's words are escaped."""
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=shown_value
    )
    return environment.from_string(_PAGE.read_text(encoding="utf-8")).render(sheet=sheet)


def word_file(sheet: PrintedChecklist) -> bytes:
    """Return an editable .docx with the same content: real headings, a table a component, rows that stay on one
    page."""
    document = Document()
    about = document.core_properties
    about.title, about.author, about.comments = _legal(sheet.title), _legal(sheet.project), ""
    about.created = about.modified = datetime.now(UTC).replace(tzinfo=None, microsecond=0)
    for section in document.sections:
        section.left_margin = section.right_margin = Cm(2)
        section.top_margin = section.bottom_margin = Cm(1.8)
    document.add_heading(_legal(sheet.title), 1)
    for line in (sheet.project, *sheet.made):
        _small(document.add_paragraph(), line)
    if sheet.rubric:
        document.add_paragraph(_legal(sheet.rubric), "Intense Quote")
    document.add_paragraph(_legal(sheet.scoring))
    document.add_paragraph(f"{_legal(sheet.task).capitalize()}: {'_' * 22}  Read by: {'_' * 16}  Score: {'_' * 8}")
    for component in sheet.components:
        _component(document, component)
    file = BytesIO()
    document.save(file)
    return file.getvalue()


def _component(document: Any, component: PrintedComponent) -> None:
    document.add_heading(_legal(component.name), 2)
    for text in filter(None, (component.description, component.key_question)):
        paragraph = document.add_paragraph()
        paragraph.add_run(_legal(text)).italic = text == component.key_question
        paragraph.paragraph_format.keep_with_next = True
    table = document.add_table(rows=1, cols=len(_WIDTHS), style="Table Grid")
    table.autofit = False
    for cell, title in zip(table.rows[0].cells, ("", "Question", "Yes", "No"), strict=True):
        cell.paragraphs[0].add_run(title).bold = True
    _mark(table.rows[0], "w:tblHeader")
    for question in component.questions:
        _question(table.add_row(), question)
    for row in table.rows:
        _mark(row, "w:cantSplit")
        for cell, width in zip(row.cells, _WIDTHS, strict=True):
            cell.width = width
        for cell in row.cells[2:]:
            cell.paragraphs[0].alignment = WD_ALIGN_PARAGRAPH.CENTER


def _question(row: Any, question: PrintedQuestion) -> None:
    number, words, yes, no = row.cells
    number.text = str(question.number)
    words.text = _legal(question.text)
    if question.counts:
        _small(words.add_paragraph(), "", _legal(question.counts))
    if question.guidance:
        _small(words.add_paragraph(), question.guidance, "How to decide: ")
    if question.answered:
        _small(words.add_paragraph(), " · ".join(question.answered), "Answered: ")
    if question.examples:
        _small(words.add_paragraph(), " · ".join(question.examples), "For example: ")
    yes.text = no.text = "☐"


def _small(paragraph: Any, text: str, label: str = "") -> None:
    paragraph.paragraph_format.space_after = Pt(0)
    for words, bold in ((label, True), (_legal(text), False)):
        run = paragraph.add_run(words)
        run.bold, run.font.size, run.font.color.rgb = bold, Pt(9), _GREY


def _mark(row: Any, name: str) -> None:
    """Set a row property that the library has no name for: repeat the row on every page, or never divide it."""
    properties = row._tr.get_or_add_trPr()
    mark = OxmlElement(name)
    mark.set(qn("w:val"), "true")
    properties.append(mark)


def _legal(text: str) -> str:
    """Return the text without characters that XML forbids; direction marks are shown."""
    return _ILLEGAL.sub("", shown_directions(text))
