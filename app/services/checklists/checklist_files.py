"""Checklists out as files."""

from app.domain.checklist import Checklist
from app.domain.people.actor import Right
from app.errors import FileFormatError
from app.export.checklist import FORMATS, checklist_file
from app.export.checklist_document import checklist_document, schema_text
from app.export.paper import print_page, word_file
from app.export.printed_checklist import Making, printed_checklist
from app.export.tool_files.writing import ENDINGS, tool_file
from app.services.checklists.checklists import ChecklistView
from app.services.checklists.question_comments import comments_on
from app.services.checklists.tool_files import judge_words
from app.services.runtime.prompts import judge_wordings, own_wordings
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

__all__ = ["EXPORT_FORMATS", "export_file", "export_name", "schema_text"]

PAPER = ("html", "docx")
"""Made to be printed and filled in."""
EXPORT_FORMATS = (*FORMATS, *PAPER, *ENDINGS)


@use_case(Right.REVIEW, act="took a checklist out", about="format_name")
def export_file(workbench: Workbench, view: ChecklistView, format_name: str) -> bytes:
    """The checklist as one of EXPORT_FORMATS, in UTF-8 where it is text.

    For tools it asks in the project's wording of the judge's prompt.

    Raises FileFormatError, or NotReadyError where it asks nothing that a tool could ask.
    """
    if format_name not in EXPORT_FORMATS:
        raise FileFormatError(f"“{format_name}” is not a format for checklists.", f"Use {', '.join(EXPORT_FORMATS)}.")
    with workbench.database.read() as work:
        wordings = judge_wordings(work, view.project.id)
    document = checklist_document(
        view.project,
        view.dimension,
        view.checklist,
        view.attributes,
        comments_on(workbench, view.checklist.id),
        wordings,
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
