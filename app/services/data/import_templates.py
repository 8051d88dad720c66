"""The table that people fill in to import their texts, in the words of a project or of a preset."""

from collections.abc import Sequence

from app.corpora.guessing import FIELD_NAMES, OUTPUT_NAMES
from app.corpora.presets import load_preset
from app.domain.people.actor import Right
from app.domain.project import Project
from app.domain.task import Dimension, Task
from app.errors import FileFormatError
from app.export.import_template import template_columns, template_csv, template_workbook
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

TEMPLATE_FORMATS = ("xlsx", "csv")


@use_case(Right.FACILITATE)
def project_template(workbench: Workbench, project: Project, format_name: str) -> bytes:
    """With the project's dimensions. Raises FileFormatError for another format than TEMPLATE_FORMATS."""
    with workbench.database.read() as work:
        return _file(project.task, work.projects.dimensions(project.id), format_name)


def preset_template(preset: str, format_name: str) -> bytes:
    """With the preset's dimensions, of "" with one. Raises NotFoundError, FileFormatError."""
    start = load_preset(preset) if preset else None
    return _file(start.task, start.dimensions, format_name) if start else _file(Task(), (), format_name)


def _file(task: Task, dimensions: Sequence[Dimension], format_name: str) -> bytes:
    """The columns are called so that an import guesses them right: by the task's words where these are known there."""
    text = task.text_name if task.text_name in OUTPUT_NAMES else "text"
    source = task.source_name if task.source_name in FIELD_NAMES["source"] else "source"
    columns = template_columns(task, dimensions, text, source)
    if format_name not in TEMPLATE_FORMATS:
        raise FileFormatError(f"“{format_name}” is no format for a template.", f"Use {', '.join(TEMPLATE_FORMATS)}.")
    return template_workbook(columns) if format_name == "xlsx" else template_csv(columns)
