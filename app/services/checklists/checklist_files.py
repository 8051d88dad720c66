"""Import and export of checklists as files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, Literal

from app.corpora.csv_file import parse_delimited
from app.domain.checklist import Checklist
from app.domain.project import Dimension, Project, Task, Text
from app.domain.roles_and_rights import Right
from app.errors import FileFormatError, InputError, NotFoundError
from app.evaluators.checklist import PLAIN, judge_request
from app.export.checklist import FORMATS, checklist_document, checklist_file, marks_of, schema_text
from app.export.checklist_reading import (
    ImportedComment,
    ReadSettings,
    read_comments,
    read_document,
    read_lines,
    read_rows,
    read_settings,
)
from app.export.printed_checklist import Authorship, print_page, printed_checklist, word_file
from app.export.tool_files.writing import ENDINGS, JudgeWords, tool_file
from app.prompting.template import enclose, one_line
from app.providers.base import ChatRequest
from app.services.checklists.checklists import ChecklistView
from app.services.checklists.question_proposals import comments_on
from app.services.data.projects import create_project, get_project, set_dimension
from app.services.runtime.prompts import JUDGE, checked_wording, judge_wordings, own_wordings
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import UnitOfWork

__all__ = ["schema_text"]


# Stand where the text and its source will be; private characters that no text or prompt contains.
_TEXT, _SOURCE = "\ue000text\ue000", "\ue000source\ue000"


def judge_words(project: Project, dimension: Dimension, checklist: Checklist) -> JudgeWords:
    """Return our judge's prompt for this checklist, with placeholders for the text and its source. Raises
    NotReadyError."""
    task = project.task
    template = PLAIN.template(checklist.asked)
    labels = {"text": task.text_name, "source": task.source_name}

    def asked(source: str) -> ChatRequest:
        return judge_request(template, task, dimension, checklist.asked, Text("", _TEXT, source=source))

    request = asked(_SOURCE)
    return JudgeWords(
        system=request.prompt.system,
        with_source=_parts(request.prompt.user, labels),
        without_source=_parts(asked("").prompt.user, labels),
        labels={field: one_line(label.replace("=", " ")) for field, label in labels.items()},
        schema=request.schema or {},
    )


def _parts(user: str, labels: Mapping[str, str]) -> list[str]:
    """Split the user's part of a request; every second element is the name of the field to insert there."""
    for field, place in (("text", _TEXT), ("source", _SOURCE)):
        user = user.replace(enclose(place, labels[field]), f"\ue001{field}\ue001")
    return user.split("\ue001")


PAPER = ("html", "docx")
"""Formats to print and fill in."""
EXPORT_FORMATS = (*FORMATS, *PAPER, *ENDINGS)


@use_case(Right.REVIEW, act="exported a checklist", about="format_name")
def export_file(workbench: Workbench, view: ChecklistView, format_name: str) -> bytes:
    """Return the checklist in one of EXPORT_FORMATS, UTF-8 if it is text.

    Files for other tools use the project's wording of the judge's prompt. Raises FileFormatError, or NotReadyError if
    it has no question that the tool could ask.
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


def _making(workbench: Workbench, checklist: Checklist) -> Authorship:
    with workbench.database.read() as work:
        history = work.drafts.history(checklist.id)
    editors = dict.fromkeys(change.who for change in reversed(history) if change.who)
    return Authorship(tuple(editors), checklist.published_at or checklist.created_at)


def checklist_for_programs(view: ChecklistView) -> dict[str, Any]:
    """Return what a judge is told, as JSON: without people's names, attributes and comments."""
    task, checklist = view.project.task, view.checklist
    about = {"project": view.project.name, "text": task.text_name, "source": task.source_name}
    scale = {"low": view.dimension.low, "high": view.dimension.high}
    asked_fields = ("text", "component", "guidance", "weight", "may_not_apply")
    return {
        **about,
        "description": task.description,
        "language": task.language,
        "dimension": view.dimension.name,
        "version": checklist.version,
        "rubric": view.dimension.rubric,
        **scale,
        "questions": [
            {name: getattr(question, name) for name in asked_fields} | marks_of(question)
            for question in checklist.asked
        ],
    }


def export_name(view: ChecklistView, format_name: str) -> str:
    """Return a file name with project, dimension and version; for other tools, one that they and Python can import."""
    words = (view.project.name, view.dimension.name, f"v{view.checklist.version}")
    plain = "_".join("".join(c if c.isalnum() else "_" for c in word) for word in words)
    if format_name in ENDINGS:
        return f"{plain}_{format_name}.{ENDINGS[format_name]}"
    return f"{plain}.{format_name}"


IMPORT_ENDINGS = ("json", "yaml", "yml", "csv", "tsv", "txt", "md")
Holds = Literal["", "file", "project"]
"""Whose settings win where they differ; "" if nobody chose, which keeps the project's."""
_TABLES, _LISTS = ("csv", "tsv"), ("txt", "md")
_KINDS = f"End the name in {', '.join(f'.{ending}' for ending in IMPORT_ENDINGS)}."
_OF_DIMENSION = {"rubric": "rubric", "low": "lowest score", "high": "highest score"}
_OF_TASK = {
    "text_name": "name of a text",
    "source_name": "name of a source",
    "description": "description of the material",
    "language": "language",
}
_WORDS = {**_OF_DIMENSION, **_OF_TASK}
_UNSET: Mapping[str, Any] = {name: getattr(Dimension(""), name) for name in _OF_DIMENSION} | {
    name: getattr(Task(), name) for name in _OF_TASK
}


@dataclass(frozen=True, slots=True)
class SettingDifference:
    """A setting of the judge's request with different values in file and project. For a prompt "" is the built-in
    wording."""

    setting: str
    file: str | float
    project: str | float

    @property
    def words(self) -> str:
        return _WORDS.get(self.setting, f"wording of the prompt {self.setting}")

    def to_json(self) -> dict[str, Any]:
        return {"setting": self.setting, "file": self.file, "project": self.project}


@dataclass(frozen=True, slots=True)
class ChecklistImport:
    """The result of an import. `taken` are settings now taken from the file; `differs` differed from the project's;
    `holds` says whose settings were chosen. made: the dimension is new."""

    checklist: Checklist
    dimension: Dimension
    made: bool
    taken: tuple[str, ...]
    differs: tuple[SettingDifference, ...]
    holds: Holds

    @property
    def stays(self) -> tuple[SettingDifference, ...]:
        """Return the differing settings that keep the project's value."""
        return tuple(one for one in self.differs if one.setting not in self.taken)

    @property
    def asked_alike(self) -> bool:
        """Return whether a judge is asked as in the file's project, as far as the file tells."""
        return not self.stays

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return sentences on what was imported with the questions, and what wasn't."""
        said = [f"The dimension {self.dimension.name} is new, with the file's rubric and scale."] if self.made else []
        words = [_WORDS.get(name, f"wording of the prompt {name}") for name in self.taken]
        if words:
            said.append(f"Taken from the file: {', '.join(words)}.")
        if not self.asked_alike:
            different = ", ".join(one.words for one in self.stays)
            said.append(
                f"The project's settings differ from the file's and stay: {different}. A judge is asked otherwise than "
                "in the project that the file is from."
            )
        return tuple(said)

    def to_json(self) -> dict[str, Any]:
        rubric_stays = any(one.setting == "rubric" for one in self.stays)
        return {
            "dimension_made": self.made,
            "taken": list(self.taken),
            "differs": [one.to_json() for one in self.differs],
            "rubric": "file" if self.holds == "file" and not rubric_stays else "project",
            "asked_alike": self.asked_alike,
        }


@use_case(Right.FACILITATE)
def import_checklist_file(
    workbench: Workbench, dimension_id: int, data: bytes, name: str, holds: Holds = ""
) -> ChecklistImport:
    """Import a checklist into an existing dimension, as `import_checklist` does."""
    with workbench.database.read() as work:
        dimension, project = work.projects.dimension_by_id(dimension_id), work.projects.project_of(dimension_id)
    return import_checklist(workbench, project.id, data, name, dimension.name, holds)


@use_case(Right.FACILITATE, project="project")
def project_for_checklist(workbench: Workbench, project: str, data: bytes, file_name: str) -> tuple[Project, bool]:
    """Return the project of this name, and whether it was created now with the file's names for texts.

    Raises NotFoundError if it doesn't exist and the file has no such names.
    """
    try:
        return get_project(workbench, project), False
    except NotFoundError:
        content = _decoded(data)
        settings = _settings(content, _ending(file_name))
        if settings.text_name is None:
            raise
        _questions(content, file_name, settings.dimension or "", {})  # nothing is begun for what can't be read
    given = {field: value for field in _OF_TASK if (value := getattr(settings, field)) is not None}
    return create_project(workbench, project, replace(Task(), **given)), True


@use_case(Right.FACILITATE, act="imported a checklist", about="name")
def import_checklist(
    workbench: Workbench, project_id: int, data: bytes, name: str, dimension: str = "", holds: Holds = ""
) -> ChecklistImport:
    """Create a draft from a file; the ending of `name` says which of IMPORT_ENDINGS it is.

    dimension: by default the one that the file names; a missing one is created if the file has its rubric. holds: whose
    settings win where file and project differ; settings that a project without runs hasn't set come from the file
    unless `holds` is "project". Empty values never replace words. Lineage is imported as far as the project has the
    same attributes. Raises FileFormatError with the place of the error, InputError for a scale that excludes existing
    ratings, NotFoundError for a dimension; nothing is imported then.
    """
    content, ending = _decoded(data), _ending(name)
    settings = _settings(content, ending)
    called = dimension or settings.dimension
    if not called:
        raise InputError("The file doesn't say which dimension it is about.", "Name the dimension.")
    with workbench.database.read() as work:
        there = next((one for one in work.projects.dimensions(project_id) if one.name == called), None)
        if there is None and settings.rubric is None:
            work.projects.dimension(project_id, called)
        attributes = work.think_aloud.attributes(project_id, there.id) if there else []
    known = {(attribute.contributor, attribute.text): attribute.id for attribute in attributes}
    found, comments = _questions(content, name, called, known)
    wordings = {
        prompt: checked_wording(workbench, project_id, prompt, source)
        for prompt, source in (settings.prompts or {}).items()
        if prompt.startswith(JUDGE)
    }
    with workbench.database.write() as work:
        target = there or work.projects.add_dimension(project_id, _new_dimension(called, settings))
        taken, differs = _compared(work, project_id, target, settings, wordings, holds)
        _take(work, project_id, target, settings, wordings, taken)
        saved = work.checklists.get(work.checklists.save(target.id, found, origin="imported"))
        for question in saved.asked if comments else ():
            for said in comments.get((question.component, question.text), ()):
                id_ = work.question_comments.add(question.id, said.who, said.text, said.at)
                if said.resolved:
                    work.question_comments.settle(id_, "resolved", said.who)
        return ChecklistImport(
            saved, work.projects.dimension_by_id(target.id), there is None, tuple(taken), tuple(differs), holds
        )


def _compared(
    work: UnitOfWork,
    project_id: int,
    dimension: Dimension,
    settings: ReadSettings,
    wordings: Mapping[str, tuple[str, str]],
    holds: Holds,
) -> tuple[list[str], list[SettingDifference]]:
    """Return the settings to take from the file, and those that differ from the project's."""
    unused = holds != "project" and not work.runs.all(project_id)
    task = work.projects.by_id(project_id).task
    taken, differs = [], []
    for name in _WORDS:
        file, here = getattr(settings, name), getattr(dimension if name in _OF_DIMENSION else task, name)
        if file is None or file == here:
            continue
        if unused and here == _UNSET[name] and _holds_ratings(work, dimension, name, file):
            taken.append(name)
        else:
            differs.append(SettingDifference(name, file, here))
    own = judge_wordings(work, project_id)
    for name in sorted({*wordings, *own}) if settings.prompts is not None else ():
        file = wordings.get(name, ("", ""))[0]
        if file == own.get(name, ""):
            continue
        if unused and name not in own:
            taken.append(name)
        else:
            differs.append(SettingDifference(name, file, own.get(name, "")))
    if holds == "file":
        taken += [one.setting for one in differs if one.setting not in _WORDS or str(one.file).strip()]
    return taken, differs


def _holds_ratings(work: UnitOfWork, dimension: Dimension, name: str, value: float | str) -> bool:
    rated = work.texts.rating_range(dimension.id)
    if rated is None or not isinstance(value, float):
        return True
    return value <= rated[0] if name == "low" else rated[1] <= value


def _take(
    work: UnitOfWork,
    project_id: int,
    dimension: Dimension,
    settings: ReadSettings,
    wordings: Mapping[str, tuple[str, str]],
    taken: Sequence[str],
) -> None:
    of_dimension = {name: getattr(settings, name) for name in taken if name in _OF_DIMENSION}
    of_task = {name: getattr(settings, name) for name in taken if name in _OF_TASK}
    if of_dimension:
        set_dimension(work, replace(dimension, **of_dimension))
    if of_task:
        work.projects.set_task(project_id, replace(work.projects.by_id(project_id).task, **of_task))
    for name in taken:
        if name in wordings:
            work.own_prompts.add(project_id, name, *wordings[name])
        elif name not in _WORDS:
            work.own_prompts.use(project_id, name, 0)


def _new_dimension(name: str, settings: ReadSettings) -> Dimension:
    made = Dimension(name, settings.rubric or "")
    low = made.low if settings.low is None else settings.low
    return replace(made, low=low, high=made.high if settings.high is None else settings.high)


def _questions(
    content: str, name: str, dimension: str, known: Mapping[tuple[str, str], int]
) -> tuple[Checklist, Mapping[tuple[str, str], Sequence[ImportedComment]]]:
    ending = _ending(name)
    if ending in _TABLES:
        rows, skipped = parse_delimited(content, PurePath(name).name)
        if skipped:
            raise FileFormatError(
                f"Row {skipped[0].row} can't be read: {skipped[0].reason}", "Mend it, then try again."
            )
        return read_rows(rows, dimension), {}
    if ending in _LISTS:
        return read_lines(content, dimension), {}
    return read_document(content, dimension, known), read_comments(content)


def checklist_settings(data: bytes, name: str) -> ReadSettings:
    """Return a file's settings besides the questions; the ending of `name` says its kind. Raises FileFormatError."""
    return _settings(_decoded(data), _ending(name))


def _settings(content: str, ending: str) -> ReadSettings:
    return ReadSettings() if ending in (*_TABLES, *_LISTS) else read_settings(content)


def _ending(name: str) -> str:
    ending = PurePath(name).suffix.lower().removeprefix(".")
    if ending not in IMPORT_ENDINGS:
        raise FileFormatError(f"{PurePath(name).name} is no kind of file that checklists come in.", _KINDS)
    return ending


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileFormatError("The checklist file is no text in UTF-8.", "Save it as UTF-8.") from None
