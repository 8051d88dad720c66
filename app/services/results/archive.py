"""Export of a project as an archive of tables."""

import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from app.domain.checklist import Checklist
from app.domain.expert_answer import AnswerDraw
from app.domain.project import Dimension, Text, TextPlace
from app.domain.roles_and_rights import Right
from app.export.project_archive import ArchiveFile, ArchiveTable, safe_name, write_archive
from app.export.results import COLUMNS as SCORES
from app.export.results import score_cells
from app.services.attributes.attribute_export import attribute_file
from app.services.checklists.answer_draws import draw_of
from app.services.checklists.answer_files import DRAW_COLUMNS, answers_csv, draw_rows
from app.services.checklists.checklist_files import export_file
from app.services.checklists.checklists import versions_of, view_checklist
from app.services.checklists.lineage import lineage_document, lineage_of_version
from app.services.data.held_out_split import state_of
from app.services.runtime.output_file import output_file
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.run_labels import variant_words
from db.unit_of_work import UnitOfWork

Row = dict[str, Any]
_AT_A_TIME = 500  # texts that are held in memory
_KEY = ("doc_id", "system_id", "item_id")
TEXT_COLUMNS = (*_KEY, "text", "source", "references", "extra")
RATING_COLUMNS = (*_KEY, "dimension", "rater", "rating")
SAMPLE_COLUMNS = ("dimension", *_KEY, "score", "chosen_by")
ASSIGNMENT_COLUMNS = ("dimension", "expert")
SHARE_COLUMNS = (*_KEY, "expert")
SIDE_BY_SIDE_COLUMNS = ("dimension", "expert", "set_a", "outside", "question", "answer")
RUN_COLUMNS = (
    "run",
    "evaluator",
    "variant",
    "judge",
    "dimensions",
    "status",
    "scored",
    "failed",
    "planned",
    "started",
    "choices",
)
SCORE_COLUMNS = (*SCORES, "status")
ANCHOR_COLUMNS = ("set", "dimension", "version", "frozen_at", "frozen_by", "digest", *_KEY, "question", "answer")
LOOK_COLUMNS = ("set", "dimension", "run", "judge", "against", "reference", "at", "verdict", "figures")
JUDGMENT_COLUMNS = ("run", "dimension", *_KEY, "number", "question", "answer", "repeat", "p_yes", "rationale", "quote")


def text_rows(workbench: Workbench, project_id: int) -> Iterator[Row]:
    """Yield a row for each text, in import order."""
    for text in _texts(workbench, project_id):
        yield {
            **_place(text.key),
            "text": text.text,
            "source": text.source,
            "references": _cell(text.references),
            "extra": _cell(text.extra),
        }


def rating_rows(workbench: Workbench, project_id: int, dimensions: Iterable[Dimension]) -> Iterator[Row]:
    """Yield a row for each rating."""
    places = text_places(workbench, project_id)
    for dimension in dimensions:
        with workbench.database.read() as work:
            for text, rater, value in work.texts.each_rating(dimension.id):
                if text in places:
                    yield {**places[text], "dimension": dimension.name, "rater": rater, "rating": value}


def sample_rows(workbench: Workbench, dimensions: Iterable[Dimension]) -> Iterator[Row]:
    """Yield a row for each sample of a dimension."""
    for dimension in dimensions:
        with workbench.database.read() as work:
            samples = work.think_aloud.samples(dimension.id)
        for sample in samples:
            place = _place(sample.text.key)
            yield {"dimension": dimension.name, **place, "score": sample.score, "chosen_by": sample.chosen_by}


def assignment_rows(workbench: Workbench, project_id: int, dimensions: Iterable[Dimension]) -> Iterator[Row]:
    """Yield a row for each dimension assigned to an expert."""
    with workbench.database.read() as work:
        given = work.assignments.given(project_id)
    for dimension in dimensions:
        for name in sorted(name for name, theirs in given.items() if dimension.id in theirs):
            yield {"dimension": dimension.name, "expert": name}


def share_rows(workbench: Workbench, draw: AnswerDraw) -> Iterator[Row]:
    """Yield a row for each pair of drawn text and assigned expert; none if all experts answer all texts."""
    with workbench.database.read() as work:
        shares = work.assignments.shares(draw.id)
        texts = work.texts.many(shares)
    for text in (text for text in draw.texts if text in texts):
        for name in sorted(shares[text]):
            yield {**_place(texts[text].key), "expert": name}


def comparison_rows(workbench: Workbench, dimensions: Iterable[Dimension]) -> Iterator[Row]:
    """Yield a row for each expert's answer in a blind side-by-side comparison."""
    for dimension in dimensions:
        with workbench.database.read() as work:
            comparisons = work.side_by_side.of(dimension.id)
        for one in comparisons:
            whose = "people" if one.people_are_a else "LLMs"
            about = {"dimension": dimension.name, "expert": one.expert, "set_a": whose, "outside": one.outside}
            for question, answer in one.answers.items():
                yield {**about, "question": question, "answer": answer}


def anchor_rows(workbench: Workbench, project_id: int, dimensions: Iterable[Dimension]) -> Iterator[Row]:
    """Yield a row for each frozen answer of an anchor."""
    places = text_places(workbench, project_id)
    for dimension in dimensions:
        with workbench.database.read() as work:
            found = [(each, work.checklists.get(each.checklist)) for each in work.anchors.sets(dimension.id)]
        for anchors, checklist in reversed(found):
            wordings = {question.id: question.text for question in checklist.questions}
            about = {
                "set": anchors.id,
                "dimension": dimension.name,
                "version": checklist.version,
                "frozen_at": anchors.frozen_at.isoformat(timespec="seconds"),
                "frozen_by": anchors.frozen_by,
                "digest": anchors.digest,
            }
            for (text, question), answer in anchors.answers.items():
                if text in places:  # not where it was locked away since
                    said = {"question": wordings.get(question, ""), "answer": answer.value}
                    yield {**about, **places[text], **said}


def look_rows(workbench: Workbench, dimensions: Iterable[Dimension]) -> Iterator[Row]:
    """Yield a row for each asking of a judge about anchors, in order."""
    for dimension in dimensions:
        with workbench.database.read() as work:
            looks = [
                (each.id, look) for each in work.anchors.sets(dimension.id) for look in work.anchors.looks(each.id)
            ]
        for anchors, look in sorted(looks, key=lambda pair: pair[1].id):
            yield {
                "set": anchors,
                "dimension": dimension.name,
                "run": look.run,
                "judge": look.judge,
                "against": look.against,
                "reference": look.is_reference,
                "at": look.at.isoformat(timespec="seconds"),
                "verdict": look.verdict,
                "figures": _cell(dict(look.figures)),
            }


def run_rows(workbench: Workbench, project_id: int) -> Iterator[Row]:
    """Yield a row for each run, oldest first, with those of studies and of imported scores."""
    with workbench.database.read() as work:
        runs = work.runs.all(project_id, anchors=True)
    for run in reversed(runs):
        yield {
            "run": run.id,
            "evaluator": run.evaluator,
            "variant": variant_words(run),
            "judge": run.judge,
            "dimensions": ", ".join(run.dimensions),
            "status": run.status.value,
            "scored": run.done,
            "failed": run.failed,
            "planned": run.all,
            "started": run.started.isoformat(timespec="seconds"),
            "choices": _cell(run.params),
        }


def score_rows(workbench: Workbench, project_id: int) -> Iterator[Row]:
    """Yield a row for each text, dimension and run, with the mean rating; failed and pending ones have no score."""

    def of_part(work: UnitOfWork, origin: Row, dimension_id: int, _: Checklist | None) -> Iterator[Row]:
        for row in work.results.each_scored(origin["run"], dimension_id):
            place = _place((row.doc_id, row.system_id, row.item_id))
            yield {**origin, **score_cells(row), **place, "status": row.status.value}

    return _of_runs(workbench, project_id, of_part)


def judgment_rows(workbench: Workbench, project_id: int) -> Iterator[Row]:
    """Yield a row for each answer of a judge; repeats are numbered from 0."""
    places = text_places(workbench, project_id)

    def of_part(work: UnitOfWork, origin: Row, dimension_id: int, checklist: Checklist | None) -> Iterator[Row]:
        if checklist is None:
            return
        wordings = {question.id: question.text for question in checklist.questions}
        about = {"run": origin["run"], "dimension": origin["dimension"]}
        numbers = checklist.numbers
        for text, one in work.results.each_judged(origin["run"], dimension_id):
            yield {
                **about,
                **places.get(text, {}),
                "number": numbers.get(one.question),
                "question": wordings.get(one.question, ""),
                "answer": one.answer.value,
                "repeat": one.repeat,
                "p_yes": one.p_yes,
                "rationale": one.rationale,
                "quote": one.quote,
            }

    return _of_runs(workbench, project_id, of_part)


def _of_runs(
    workbench: Workbench, project_id: int, rows: Callable[[UnitOfWork, Row, int, Checklist | None], Iterator[Row]]
) -> Iterator[Row]:
    """Yield the rows of each run, oldest first, and within it of each dimension."""
    with workbench.database.read() as work:
        runs = work.runs.all(project_id, anchors=True)
    for run in reversed(runs):
        with workbench.database.read() as work:
            for part in work.runs.parts(run.id):
                variant = variant_words(run)
                origin = {
                    "run": run.id,
                    "evaluator": run.evaluator,
                    "variant": variant,
                    "judge": run.judge,
                    "dimension": part.name,
                }
                checklist = work.checklists.get(part.checklist) if part.checklist else None
                yield from rows(work, origin, part.dimension, checklist)


def _texts(workbench: Workbench, project_id: int) -> Iterator[Text]:
    """Yield the texts page by page, because texts may be many and long."""
    last = 0
    while True:
        with workbench.database.read() as work:
            page = work.texts.after(project_id, last, _AT_A_TIME)
        yield from page
        if len(page) < _AT_A_TIME:
            return
        last = page[-1].id


class TextNames(Mapping[int, Row]):
    """Maps text id to the names that identify the text in every table."""

    def __init__(self, places: Iterable[TextPlace]) -> None:
        self._places = {place.id: place for place in places}

    def __getitem__(self, text: int) -> Row:
        return _place(self._places[text].key)

    def __iter__(self) -> Iterator[int]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def text_places(workbench: Workbench, project_id: int) -> TextNames:
    with workbench.database.read() as work:
        return TextNames(work.texts.places(project_id))


def _place(key: tuple[str, str, str]) -> Row:
    return dict(zip(_KEY, key, strict=True))


def _cell(value: object) -> str:
    """Return a value as JSON for a cell of a table, "" for an empty one."""
    return json.dumps(value, ensure_ascii=False) if value else ""


DECISION_COLUMNS = (
    "decision",
    "dimension",
    "version",
    "doc_id",
    "system_id",
    "item_id",
    "question",
    "guidance",
    "answer",
    "why",
    "guided",
    "run",
    "decided_by",
    "decided_at",
    "undone_by",
    "undone_at",
)
IMPROVEMENT_COLUMNS = (
    "attempt",
    "dimension",
    "model",
    "judge",
    "run",
    "question",
    "guidance",
    "decisions",
    "tried",
    "best",
    "proof",
    "proof_decided",
    "calls",
    "cost_usd",
    "status",
    "taken",
    "made_by",
    "made_at",
    "decided_by",
    "decided_at",
)


def decision_rows(workbench: Workbench, project_id: int, dimensions: Iterable[Dimension]) -> Iterator[Row]:
    """Yield a row for each decision in order, with undone ones; question and guidance as they were then."""
    places = text_places(workbench, project_id)
    for dimension in dimensions:
        with workbench.database.read() as work:
            decisions = work.decisions.of_dimension(dimension.id)
        for one in decisions:
            if one.text in places:  # not where it was locked away since
                yield {
                    "decision": one.id,
                    "dimension": dimension.name,
                    "version": one.version,
                    **places[one.text],
                    "question": one.wording,
                    "guidance": one.guidance,
                    "answer": one.answer.value,
                    "why": one.why,
                    "guided": one.guided,
                    "run": one.run,
                    "decided_by": one.who,
                    "decided_at": _at(one.at),
                    "undone_by": one.undone_by,
                    "undone_at": _at(one.undone_at),
                }


def improvement_rows(workbench: Workbench, dimensions: Iterable[Dimension]) -> Iterator[Row]:
    """Yield a row for each attempt to improve a wording, with all tried wordings and their results."""
    for dimension in dimensions:
        with workbench.database.read() as work:
            attempts = work.improvements.of_dimension(dimension.id)
        for one in attempts:
            yield {
                "attempt": one.id,
                "dimension": dimension.name,
                "model": one.model,
                "judge": one.judge,
                "run": one.run,
                "question": one.before.text,
                "guidance": one.before.guidance,
                "decisions": _json(list(one.decisions)),
                "tried": _json([asdict(each) for each in one.tried]),
                "best": one.best,
                "proof": _json(asdict(one.proof)) if one.proof else "",
                "proof_decided": one.proof_decided,
                "calls": one.calls,
                "cost_usd": one.cost_usd,
                "status": one.status.value,
                "taken": _json(asdict(one.taken)) if one.taken else "",
                "made_by": one.who,
                "made_at": _at(one.at),
                "decided_by": one.decided_by,
                "decided_at": _at(one.decided_at),
            }


def _at(moment: datetime | None) -> str:
    return moment.isoformat(timespec="seconds") if moment else ""


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


Part = ArchiveFile | ArchiveTable
_CONTENTS = """\
project.json        what the texts are called, and the dimensions with their rubrics and ranges
texts.csv           the texts with their sources, one row per text
ratings.csv         people's ratings, one row per rating
samples.csv         the texts that were read while thinking aloud, with the score shown beside them
attributes.csv      what people and LLMs said to look for, left-out and merged ones with the reason; as JSON too
checklists/         a folder for each dimension: every version as JSON (which can be imported again) and Markdown, and
                    its lineage, which says on whose attributes each question rests and what was left out
assignments.csv     the dimensions that experts were given; an expert without any has all of them
expert-answers/     what experts answered to each published version, which texts were drawn for them, when and with what
                    probability, and whom each was given to where not everybody answers every text
side-by-side.csv    experts' answers to the six questions about the two sets
anchors.csv         texts with the frozen answers of most experts, to see whether a judge changes
anchor-looks.csv    each time a judge was asked about them, and the result
decisions.csv       what was decided where people or judges part, undone ones too
improvements.csv    wordings that were tried because of decisions, and their results
runs.csv            who scored what, with which judge and choices
scores.csv          every score beside the mean rating
judge-answers.csv   what the judge answered to each question about each text

Texts in different files belong together where doc_id, system_id and item_id are the same. Times are in UTC.
Not in here: prompts and replies of models, the steps of builds, the history of drafts, recordings and transcripts. A
backup (Settings, or `interacteval backup FILE`) holds everything of all projects.
"""


@use_case(Right.FACILITATE, act="exported the project's tables")
def archive_bytes(workbench: Workbench, project_id: int) -> bytes:
    """Return the archive as bytes, for a download."""
    stream = io.BytesIO()
    _write(workbench, project_id, stream)
    return stream.getvalue()


@use_case(Right.FACILITATE, act="exported the project's tables")
def write_project_archive(workbench: Workbench, project_id: int, target: Path) -> None:
    """Write the archive to a file. Raises InputError if it can't be written."""
    with output_file(target) as path, path.open("wb") as file:
        _write(workbench, project_id, file)


def archive_name(project: str) -> str:
    """Return a safe file name made from the project's name."""
    return f"{safe_name(project) or 'project'}-export.zip"


def _write(workbench: Workbench, project_id: int, target: IO[bytes]) -> None:
    now = datetime.now(UTC)
    write_archive(target, _parts(workbench, project_id, now), now)


def _parts(workbench: Workbench, project_id: int, now: datetime) -> Iterator[Part]:
    with workbench.database.read() as work:
        dimensions = work.projects.dimensions(project_id)
        attributes, people = work.think_aloud.attributes(project_id), work.think_aloud.contributors(project_id)
        project = work.projects.by_id(project_id)
        about = {
            "project": project.name,
            "created": project.created_at.isoformat(timespec="seconds"),
            "notice": project.notice,
            "task": asdict(project.task),
            "dimensions": [_about_dimension(work, each) for each in dimensions],
        }
    locked = state_of(workbench, project_id)
    apart = (
        f"\nThe {locked.texts:,} texts of the held-out split are not in here, nor their ratings and scores.\n"
        if locked
        else ""
    )
    title = f"{about['project']}, exported {now:%d %b %Y, %H:%M} UTC\n\n"
    yield ArchiveFile("README.txt", f"{title}{_CONTENTS}{apart}".encode())
    yield ArchiveFile("project.json", _as_json(about))
    yield ArchiveTable("texts.csv", TEXT_COLUMNS, text_rows(workbench, project_id))
    yield ArchiveTable("ratings.csv", RATING_COLUMNS, rating_rows(workbench, project_id, dimensions))
    yield ArchiveTable("samples.csv", SAMPLE_COLUMNS, sample_rows(workbench, dimensions))
    for form in ("csv", "json"):
        yield ArchiveFile(f"attributes.{form}", attribute_file(attributes, people, form))
    for number, dimension in enumerate(dimensions, start=1):
        name = "-".join(part for part in (str(number), safe_name(dimension.name)) if part)
        yield from _checklists(workbench, dimension, name)
    assigned = assignment_rows(workbench, project_id, dimensions)
    yield ArchiveTable("assignments.csv", ASSIGNMENT_COLUMNS, assigned)
    yield ArchiveTable("side-by-side.csv", SIDE_BY_SIDE_COLUMNS, comparison_rows(workbench, dimensions))
    yield ArchiveTable("anchors.csv", ANCHOR_COLUMNS, anchor_rows(workbench, project_id, dimensions))
    yield ArchiveTable("anchor-looks.csv", LOOK_COLUMNS, look_rows(workbench, dimensions))
    made = decision_rows(workbench, project_id, dimensions)
    yield ArchiveTable("decisions.csv", DECISION_COLUMNS, made)
    attempts = improvement_rows(workbench, dimensions)
    yield ArchiveTable("improvements.csv", IMPROVEMENT_COLUMNS, attempts)
    yield ArchiveTable("runs.csv", RUN_COLUMNS, run_rows(workbench, project_id))
    yield ArchiveTable("scores.csv", SCORE_COLUMNS, score_rows(workbench, project_id))
    yield ArchiveTable("judge-answers.csv", JUDGMENT_COLUMNS, judgment_rows(workbench, project_id))


def _about_dimension(work: UnitOfWork, dimension: Dimension) -> dict[str, Any]:
    return {
        "name": dimension.name,
        "rubric": dimension.rubric,
        "low": dimension.low,
        "high": dimension.high,
        "overlap": work.assignments.overlap(dimension.id),
    }


def _checklists(workbench: Workbench, dimension: Dimension, folder: str) -> Iterator[Part]:
    """Yield every version as a file, with those that studies of conditions made."""
    for of_studies, word in ((False, "version"), (True, "study-version")):
        for version in sorted(versions_of(workbench, dimension.id, of_studies), key=lambda each: each.version):
            view = view_checklist(workbench, dimension.id, version.version)
            name = f"checklists/{folder}/{word}-{version.version}"
            for form in ("json", "md"):
                yield ArchiveFile(f"{name}.{form}", export_file(workbench, view, form))
            lineage = lineage_document(lineage_of_version(workbench, dimension.id, version.version))
            yield ArchiveFile(f"{name}-lineage.json", _as_json(lineage))
            if draw := draw_of(workbench, version.id):
                answers = f"expert-answers/{folder}-{word}-{version.version}"
                yield ArchiveFile(f"{answers}.csv", answers_csv(workbench, version.id))
                yield ArchiveTable(f"{answers}-drawn.csv", DRAW_COLUMNS, draw_rows(workbench, version.id))
                yield ArchiveTable(f"{answers}-shared.csv", SHARE_COLUMNS, share_rows(workbench, draw))


def _as_json(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document, ensure_ascii=False, indent=2).encode()
