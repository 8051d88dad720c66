"""A project to take along before it is deleted: all that can be exported of it, in one ZIP file."""

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from app.domain.people import Right
from app.domain.project import Dimension
from app.export.project_archive import ArchiveFile, ArchiveTable, safe_name, write_archive
from app.services.attributes.attribute_changes import attribute_file
from app.services.checklists.answer_files import DRAW_COLUMNS, answers_csv, draw_rows
from app.services.checklists.checklist_files import export_file
from app.services.checklists.checklists import versions_of, view_checklist
from app.services.checklists.expert_answers import draw_of
from app.services.checklists.lineage import lineage_document, lineage_of_version
from app.services.data.locked_split import state_of
from app.services.results.archive import archive_tables as tables
from app.services.results.archive import decision_tables as decided
from app.services.runtime.output_file import output_file
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from db.unit_of_work import UnitOfWork

Part = ArchiveFile | ArchiveTable
_CONTENTS = """\
project.json        what the texts are called, and the dimensions with their rubrics and ranges
texts.csv           the texts with their sources, one row per text
ratings.csv         people's ratings, one row per rating
samples.csv         the texts that were read while thinking aloud, with the score shown beside them
attributes.csv      what people and LLMs said to look for, left-out and merged ones with the reason; as JSON too
checklists/         a folder for each dimension: every version as JSON (which can be imported again) and Markdown, and
                    its lineage, which says on whose attributes each question rests and what was left out
assignments.csv     the dimensions that experts were given; whoever was given none has all of them
expert-answers/     what experts answered to each published version, which texts were drawn for them, when and with what
                    probability, and whom each was given to where not everybody answers every text
side-by-side.csv    experts' answers to the six questions about the two sets
anchors.csv         texts with the frozen answers of most experts, to see whether a judge changes
anchor-looks.csv    each time a judge was asked about them, and what came of it
decisions.csv       what was decided where people or judges part, undone ones too
improvements.csv    wordings that were tried because of decisions, and what came of them
runs.csv            who scored what, with which judge and choices
scores.csv          every score beside the mean rating
judge-answers.csv   what the judge answered to each question about each text

Texts in different files belong together where doc_id, system_id and item_id are the same. Times are in UTC.
Not in here: prompts and replies of models, the steps of builds, the history of drafts, recordings and transcripts. A
backup (Settings, or `interacteval backup FILE`) holds everything of all projects.
"""


@use_case(Right.FACILITATE, act="took the project's tables out")
def archive_bytes(workbench: Workbench, project_id: int) -> bytes:
    """The archive, to be downloaded."""
    stream = io.BytesIO()
    _write(workbench, project_id, stream)
    return stream.getvalue()


@use_case(Right.FACILITATE, act="took the project's tables out")
def write_project_archive(workbench: Workbench, project_id: int, target: Path) -> None:
    """The archive as a file of its own. Raises InputError where it can't be written."""
    with output_file(target) as path, path.open("wb") as file:
        _write(workbench, project_id, file)


def archive_name(project: str) -> str:
    """A file name from the project's own, harmless wherever it is kept."""
    return f"{safe_name(project) or 'project'}-export.zip"


def _write(workbench: Workbench, project_id: int, target: IO[bytes]) -> None:
    now = datetime.now(UTC)
    write_archive(target, _parts(workbench, project_id, now), now)


def _parts(workbench: Workbench, project_id: int, now: datetime) -> Iterator[Part]:
    with workbench.database.read() as work:
        dimensions = work.projects.dimensions(project_id)
        attributes, people = work.think_aloud.attributes(project_id), work.think_aloud.contributors(project_id)
        about = _about(work, project_id, dimensions)
    locked = state_of(workbench, project_id)
    apart = (
        f"\nThe {locked.texts:,} texts of the locked test split are not in here, nor their ratings and scores.\n"
        if locked
        else ""
    )
    title = f"{about['project']}, exported {now:%d %b %Y, %H:%M} UTC\n\n"
    yield ArchiveFile("README.txt", f"{title}{_CONTENTS}{apart}".encode())
    yield ArchiveFile("project.json", _json(about))
    yield ArchiveTable("texts.csv", tables.TEXT_COLUMNS, tables.text_rows(workbench, project_id))
    yield ArchiveTable("ratings.csv", tables.RATING_COLUMNS, tables.rating_rows(workbench, project_id, dimensions))
    yield ArchiveTable("samples.csv", tables.SAMPLE_COLUMNS, tables.sample_rows(workbench, dimensions))
    for form in ("csv", "json"):
        yield ArchiveFile(f"attributes.{form}", attribute_file(attributes, people, form))
    for number, dimension in enumerate(dimensions, start=1):
        name = "-".join(part for part in (str(number), safe_name(dimension.name)) if part)
        yield from _checklists(workbench, dimension, name)
    assigned = tables.assignment_rows(workbench, project_id, dimensions)
    yield ArchiveTable("assignments.csv", tables.ASSIGNMENT_COLUMNS, assigned)
    yield ArchiveTable("side-by-side.csv", tables.SIDE_BY_SIDE_COLUMNS, tables.comparison_rows(workbench, dimensions))
    yield ArchiveTable("anchors.csv", tables.ANCHOR_COLUMNS, tables.anchor_rows(workbench, project_id, dimensions))
    yield ArchiveTable("anchor-looks.csv", tables.LOOK_COLUMNS, tables.look_rows(workbench, dimensions))
    made = decided.decision_rows(workbench, project_id, dimensions)
    yield ArchiveTable("decisions.csv", decided.DECISION_COLUMNS, made)
    attempts = decided.improvement_rows(workbench, dimensions)
    yield ArchiveTable("improvements.csv", decided.IMPROVEMENT_COLUMNS, attempts)
    yield ArchiveTable("runs.csv", tables.RUN_COLUMNS, tables.run_rows(workbench, project_id))
    yield ArchiveTable("scores.csv", tables.SCORE_COLUMNS, tables.score_rows(workbench, project_id))
    yield ArchiveTable("judge-answers.csv", tables.JUDGMENT_COLUMNS, tables.judgment_rows(workbench, project_id))


def _about(work: UnitOfWork, project_id: int, dimensions: Iterable[Dimension]) -> dict[str, Any]:
    project = work.projects.by_id(project_id)
    return {
        "project": project.name,
        "created": project.created_at.isoformat(timespec="seconds"),
        "notice": project.notice,
        "task": asdict(project.task),
        "dimensions": [_about_dimension(work, each) for each in dimensions],
    }


def _about_dimension(work: UnitOfWork, dimension: Dimension) -> dict[str, Any]:
    return {
        "name": dimension.name,
        "rubric": dimension.rubric,
        "low": dimension.low,
        "high": dimension.high,
        "overlap": work.assignments.overlap(dimension.id),
    }


def _checklists(workbench: Workbench, dimension: Dimension, folder: str) -> Iterator[Part]:
    """Every version, those that studies of conditions made by themselves included."""
    for of_studies, word in ((False, "version"), (True, "study-version")):
        for version in sorted(versions_of(workbench, dimension.id, of_studies), key=lambda each: each.version):
            view = view_checklist(workbench, dimension.id, version.version)
            name = f"checklists/{folder}/{word}-{version.version}"
            for form in ("json", "md"):
                yield ArchiveFile(f"{name}.{form}", export_file(workbench, view, form))
            lineage = lineage_document(lineage_of_version(workbench, dimension.id, version.version))
            yield ArchiveFile(f"{name}-lineage.json", _json(lineage))
            if draw := draw_of(workbench, version.id):
                answers = f"expert-answers/{folder}-{word}-{version.version}"
                yield ArchiveFile(f"{answers}.csv", answers_csv(workbench, version.id))
                yield ArchiveTable(f"{answers}-drawn.csv", DRAW_COLUMNS, draw_rows(workbench, version.id))
                yield ArchiveTable(f"{answers}-shared.csv", tables.SHARE_COLUMNS, tables.share_rows(workbench, draw))


def _json(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document, ensure_ascii=False, indent=2).encode()
