"""Checklists out as files, and in again as drafts."""

from collections.abc import Mapping, Sequence
from pathlib import PurePath

from app.corpora.delimited import parse_delimited
from app.domain.checklist import Checklist
from app.domain.people.actor import Right
from app.errors import FileFormatError
from app.export.checklist import FORMATS, checklist_file
from app.export.checklist_document import checklist_document, schema_text
from app.export.checklist_reading import ReadComment, read_comments, read_document, read_lines, read_rows
from app.export.paper import print_page, word_file
from app.export.printed_checklist import Making, printed_checklist
from app.export.tool_files.writing import ENDINGS, tool_file
from app.services.checklists.checklists import ChecklistView, save_checklist
from app.services.checklists.question_comments import comments_on
from app.services.checklists.tool_files import judge_words
from app.services.runtime.prompts import own_wordings
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

__all__ = ["EXPORT_FORMATS", "IMPORT_ENDINGS", "export_file", "export_name", "import_checklist_file", "schema_text"]

PAPER = ("html", "docx")
"""Made to be printed and filled in."""
EXPORT_FORMATS = (*FORMATS, *PAPER, *ENDINGS)
IMPORT_ENDINGS = ("json", "yaml", "yml", "csv", "tsv", "txt", "md")
_TABLES, _LISTS = ("csv", "tsv"), ("txt", "md")
_KINDS = f"End the name in {', '.join(f'.{ending}' for ending in IMPORT_ENDINGS)}."


@use_case(Right.REVIEW, act="took a checklist out", about="format_name")
def export_file(workbench: Workbench, view: ChecklistView, format_name: str) -> bytes:
    """The checklist as one of EXPORT_FORMATS, in UTF-8 where it is text.

    For tools it asks in the project's wording of the judge's prompt.

    Raises FileFormatError, or NotReadyError where it asks nothing that a tool could ask.
    """
    if format_name not in EXPORT_FORMATS:
        raise FileFormatError(f"“{format_name}” is not a format for checklists.", f"Use {', '.join(EXPORT_FORMATS)}.")
    document = checklist_document(
        view.project,
        view.dimension,
        view.checklist,
        view.attributes,
        comments_on(workbench, view.checklist.id),
    )
    if format_name in ENDINGS:
        with own_wordings(workbench, view.project.id):
            words = judge_words(view.project, view.dimension, view.checklist)
        return tool_file(format_name, document, words).encode()
    if format_name in PAPER:
        sheet = printed_checklist(document, _making(workbench, view.checklist))
        return word_file(sheet) if format_name == "docx" else print_page(sheet).encode()
    return checklist_file(format_name, document).encode()


def _making(workbench: Workbench, checklist: Checklist) -> Making:
    with workbench.database.read() as work:
        history = work.drafts.history(checklist.id)
    editors = dict.fromkeys(change.who for change in reversed(history) if change.who)
    return Making(tuple(editors), checklist.published_at or checklist.created_at)


def export_name(view: ChecklistView, format_name: str) -> str:
    """A file name that says what it holds; for tools, one that Python and they can read."""
    words = (view.project.name, view.dimension.name, f"v{view.checklist.version}")
    plain = "_".join("".join(c if c.isalnum() else "_" for c in word) for word in words)
    if format_name in ENDINGS:
        return f"{plain}_{format_name}.{ENDINGS[format_name]}"
    return f"{plain}.{format_name}"


@use_case(Right.FACILITATE, act="brought a checklist in", about="name")
def import_checklist_file(workbench: Workbench, dimension_id: int, data: bytes, name: str) -> Checklist:
    """A new draft from a file; `name` tells by its ending which of IMPORT_ENDINGS it is.

    Lineage comes in with it as far as the project has the same attributes. Raises FileFormatError with the place of
    what can't be read; nothing comes in then.
    """
    try:
        content = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileFormatError("The checklist file is no text in UTF-8.", "Save it as UTF-8.") from None
    with workbench.database.read() as work:
        dimension = work.projects.dimension_by_id(dimension_id)
        project = work.projects.project_of(dimension_id)
        attributes = work.think_aloud.attributes(project.id, dimension_id)
    comments: Mapping[tuple[str, str], Sequence[ReadComment]] = {}
    ending = PurePath(name).suffix.lower().removeprefix(".")
    if ending in _TABLES:
        found = read_rows(_rows(content, name), dimension.name)
    elif ending in _LISTS:
        found = read_lines(content, dimension.name)
    elif ending in IMPORT_ENDINGS:
        known = {(attribute.contributor, attribute.text): attribute.id for attribute in attributes}
        found, comments = read_document(content, dimension.name, known), read_comments(content)
    else:
        raise FileFormatError(f"{PurePath(name).name} is no kind of file that checklists come in.", _KINDS)
    return _kept(workbench, dimension_id, found, comments)


def _kept(
    workbench: Workbench,
    dimension_id: int,
    found: Checklist,
    comments: Mapping[tuple[str, str], Sequence[ReadComment]],
) -> Checklist:
    """As a new draft, with what people had said about its questions."""
    saved = save_checklist(workbench, dimension_id, found)
    if comments:
        with workbench.database.write() as work:
            for question in saved.asked:
                for said in comments.get((question.component, question.text), ()):
                    id_ = work.question_comments.add(question.id, said.who, said.text, said.at)
                    if said.resolved:
                        work.question_comments.settle(id_, "resolved", said.who)
    return saved


def _rows(content: str, name: str) -> list[tuple[int, dict[str, object]]]:
    rows, skipped = parse_delimited(content, PurePath(name).name)
    if skipped:
        raise FileFormatError(f"Row {skipped[0].row} can't be read: {skipped[0].reason}", "Mend it, then try again.")
    return rows
