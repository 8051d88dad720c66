"""Scores from elsewhere as a run: any metric's column joins the project's texts and stands beside the other methods."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from app.corpora.corpus import SkippedRow
from app.corpora.rows import one_line
from app.corpora.table import Key, MatchedScores, ScoreColumns, find_columns, load_table, match_scores, shown
from app.domain.judgment import Evaluation
from app.domain.people import Right
from app.domain.project import Dimension
from app.domain.run import Outcome, RunDimension, RunStatus
from app.errors import InputError
from app.input_file import read_file
from app.services.data.uploads import Upload, stored
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.scoring.evaluators import NO_JUDGE, OWN
from app.services.think_aloud.samples import evaluation_texts
from db.unit_of_work import UnitOfWork

__all__ = ["OwnScoresReport", "ScoreColumns", "columns_of", "import_scores", "import_upload"]
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class OwnScoresReport:
    """What came in as a run, and everything that didn't.

    scored: dimension -> texts with a score; without_score: dimension -> names of the texts that have none; samples:
    dimension -> rows of documents that are its samples; locked: rows of the locked test split.
    """

    run: int
    evaluator: str
    columns: ScoreColumns
    rows: int
    duplicates: int
    scored: Mapping[str, int]
    without_score: Mapping[str, Sequence[str]]
    samples: Mapping[str, int]
    locked: int
    left_out: tuple[SkippedRow, ...]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def columns_of(upload: Upload) -> tuple[tuple[str, ...], ScoreColumns | None]:
    """All columns of a file, and those that seem to name its texts, None where none does. Raises FileFormatError."""
    with stored(upload) as path:
        table = load_table(path)
    try:
        return table.columns, find_columns(table, ScoreColumns(""))
    except InputError:
        return table.columns, None


@use_case(Right.FACILITATE, act="brought scores in")
def import_upload(
    workbench: Workbench,
    project_id: int,
    dimensions: Sequence[Dimension],
    upload: Upload,
    columns: ScoreColumns,
    name: str = "",
) -> OwnScoresReport:
    """As import_scores, for a file that a person uploaded."""
    with stored(upload) as path:
        return import_scores(workbench, project_id, dimensions, path, columns, name)


@use_case(Right.FACILITATE, act="brought scores in")
def import_scores(
    workbench: Workbench,
    project_id: int,
    dimensions: Sequence[Dimension],
    path: Path,
    columns: ScoreColumns,
    name: str = "",
) -> OwnScoresReport:
    """One run with the column's scores on each of the dimensions, called by `name`, else by the column.

    Documents that are samples of a dimension stay out of it, and the locked split out of all, as with any method.
    Raises FileFormatError, NotFoundError for a missing file or column, InputError where no row fits a text.
    """
    table = load_table(path)
    found = find_columns(table, columns)
    with workbench.database.write() as work:
        matched = match_scores(table, found, work.texts.ids_by_key(project_id))
        if not matched.scores:
            raise _nothing_fits(work, project_id, matched)
        locked = matched.scores.keys() - {text.key for text in work.texts.places(project_id)}
        plan, without, samples = [], {}, {}
        for dimension in dimensions:
            part, lacking = _part(work, project_id, dimension, matched)
            plan.append(part)
            without[dimension.name] = lacking
            samples[dimension.name] = len(matched.scores) - len(locked) - len(part.texts)
        if not any(part.texts for part in plan):
            raise InputError(
                "All texts with a score are samples or locked.", "Score other texts, or choose other samples."
            )
        run_id = _keep(work, project_id, dimensions, plan, matched, _params(path, found), _called(name or found.score))
    return OwnScoresReport(
        run_id,
        f"{OWN}{_called(name or found.score)}",
        found,
        len(table.rows) + len(table.skipped),
        matched.duplicates,
        {part.name: len(part.texts) for part in plan},
        without,
        samples,
        len(locked),
        matched.left_out,
    )


def _part(
    work: UnitOfWork, project_id: int, dimension: Dimension, matched: MatchedScores
) -> tuple[RunDimension, list[str]]:
    """The texts to score on a dimension, and the names of those without a row."""
    texts, out = evaluation_texts(work, project_id, dimension.id)
    here = {text.key: text.id for text in texts}
    scored = tuple(here[key] for key in here if key in matched.scores)
    part = RunDimension(dimension.id, None, out.documents, scored, dimension.name, excluded_texts=out.texts)
    return part, [shown(key) for key in here if key not in matched.scores]


def _keep(
    work: UnitOfWork,
    project_id: int,
    dimensions: Sequence[Dimension],
    plan: Sequence[RunDimension],
    matched: MatchedScores,
    params: dict[str, Any],
    name: str,
) -> int:
    values = {text: matched.scores[key][1] for key, text in _ids(work, project_id, matched).items()}
    on_scale = all(d.low <= value <= d.high for d in dimensions for value in values.values())
    run_id = work.runs.create(project_id, f"{OWN}{name}", NO_JUDGE, {**params, "on_scale": on_scale}, plan)
    planned = work.runs.open_scores(run_id)
    work.runs.save([Outcome(score, Evaluation(values[score.text])) for score in planned])
    work.runs.finish(run_id, RunStatus.DONE)
    return run_id


def _ids(work: UnitOfWork, project_id: int, matched: MatchedScores) -> dict[Key, int]:
    ids = work.texts.ids_by_key(project_id)
    return {key: ids[key] for key in matched.scores}


def _params(path: Path, columns: ScoreColumns) -> dict[str, Any]:
    return {"column": columns.score, "file_digest": hashlib.sha256(read_file(path)).hexdigest()}


def _called(name: str) -> str:
    return one_line(name)[:_LONGEST_NAME]


def _nothing_fits(work: UnitOfWork, project_id: int, matched: MatchedScores) -> InputError:
    first = matched.left_out[0] if matched.left_out else None
    example = next(iter(work.texts.ids_by_key(project_id)), None)
    said = f" Row {first.row}: {first.reason}" if first else ""
    return InputError(
        f"No row of the file gives a score to a text of the project.{said}",
        f"Its texts are called like {shown(example)}; check which columns hold doc_id, system_id and item_id."
        if example
        else "The project has no texts yet.",
    )
