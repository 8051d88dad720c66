"""A checklist on paper: a page made for print, and a Word file."""

import re
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
from app.export.printed_checklist import PrintedChecklist, PrintedComponent, PrintedQuestion

_PAGE = Path(__file__).with_name("printed_checklist.html")
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_BOX = "☐"
_WIDTHS = (Cm(1), Cm(13), Cm(1.5), Cm(1.5))
_GREY = RGBColor(0x4A, 0x54, 0x62)


def print_page(sheet: PrintedChecklist) -> str:
    """HTML that needs nothing else and runs nothing; people's words are escaped."""
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=shown_value
    )
    return environment.from_string(_PAGE.read_text(encoding="utf-8")).render(sheet=sheet)


def word_file(sheet: PrintedChecklist) -> bytes:
    """A .docx with the same content, to be edited: real headings, a table a component, rows that stay on one page."""
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
    if question.weight != 1:
        words.paragraphs[0].add_run(f" (weight {question.weight:g})").font.color.rgb = _GREY
    if question.guidance:
        _small(words.add_paragraph(), question.guidance, "How to decide: ")
    if question.examples:
        _small(words.add_paragraph(), " · ".join(question.examples), "For example: ")
    yes.text = no.text = _BOX


def _small(paragraph: Any, text: str, label: str = "") -> None:
    paragraph.paragraph_format.space_after = Pt(0)
    for words, bold in ((label, True), (_legal(text), False)):
        run = paragraph.add_run(words)
        run.bold, run.font.size, run.font.color.rgb = bold, Pt(9), _GREY


def _mark(row: Any, name: str) -> None:
    """A property of a row that the library has no name for: it is repeated on every page, or never divided."""
    properties = row._tr.get_or_add_trPr()
    mark = OxmlElement(name)
    mark.set(qn("w:val"), "true")
    properties.append(mark)


def _legal(text: str) -> str:
    """Without the characters that XML has no place for; marks that turn its direction are shown."""
    return _ILLEGAL.sub("", shown_directions(text))
