"""Import of scores and answers from files."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from app.corpora.corpus import SkippedRow
from app.corpora.own_score_tables import (
    Cells,
    MatchedScores,
    ScoreColumns,
    find_columns,
    load_table,
    match_scores,
    shown,
)
from app.corpora.rows import BadCellError, number, one_line
from app.domain.checklist import Checklist
from app.domain.checklist_score import Answer, Evaluation, Judgment
from app.domain.project import Dimension
from app.domain.roles_and_rights import Right
from app.domain.run import Outcome, RunDimension, RunStatus
from app.errors import InputError
from app.evaluators.checklist import evaluation_of
from app.input_file import read_file
from app.services.checklists.answer_files import (
    CANNOT_TELL,
    AnswerImport,
    AnswerReading,
    import_answers,
    read_table,
    texts_by_key,
)
from app.services.data.uploads import Upload, stored
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.evaluators import CHECKLIST, NO_JUDGE, OWN
from app.services.think_aloud.samples import evaluation_texts
from db.unit_of_work import UnitOfWork

__all__ = ["ScoreColumns"]


_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class OwnScoresReport:
    """The result of importing scores as a run.

    scored: dimension -> number of texts with a score; without_score: dimension -> names of texts without one; samples:
    dimension -> number of rows about its samples' documents; locked: number of rows about held-out texts.
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
    """Return all columns of a file, and those that seem to name its texts, None if none do. Raises FileFormatError."""
    with stored(upload) as path:
        table = load_table(path)
    try:
        return table.columns, find_columns(table, ScoreColumns(""))
    except InputError:
        return table.columns, None


@use_case(Right.FACILITATE, act="imported scores")
def import_upload(
    workbench: Workbench,
    project_id: int,
    dimensions: Sequence[Dimension],
    upload: Upload,
    columns: ScoreColumns,
    name: str = "",
) -> OwnScoresReport:
    """Import an uploaded file as `import_scores` does."""
    with stored(upload) as path:
        return import_scores(workbench, project_id, dimensions, path, columns, name)


@use_case(Right.FACILITATE, act="imported scores")
def import_scores(
    workbench: Workbench,
    project_id: int,
    dimensions: Sequence[Dimension],
    path: Path,
    columns: ScoreColumns,
    name: str = "",
) -> OwnScoresReport:
    """Import the column's scores as one run on each of the dimensions, named `name` or like the column.

    Samples' documents and held-out texts are left out, as with any method. Raises FileFormatError, NotFoundError for a
    missing file or column, InputError if no row fits a text.
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
    """Return the texts to score on a dimension, and the names of those without a row."""
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
    ids = work.texts.ids_by_key(project_id)
    values = {text: matched.scores[key][1] for key, text in {key: ids[key] for key in matched.scores}.items()}
    on_scale = all(d.low <= value <= d.high for d in dimensions for value in values.values())
    run_id = work.runs.create(project_id, f"{OWN}{name}", NO_JUDGE, {**params, "on_scale": on_scale}, plan)
    planned = work.runs.open_scores(run_id)
    work.runs.save([Outcome(score, Evaluation(values[score.text])) for score in planned])
    work.runs.finish(run_id, RunStatus.DONE)
    return run_id


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


ELSEWHERE = "file:"  # before the name of a judge that can't be asked
_MOST_REPEATS = 100
_Place = tuple[int, int, int]  # text, question, repeat


@dataclass(frozen=True, slots=True)
class JudgeAnswers:
    """The imported answers of one judge: its run, and numbers of texts and answers."""

    judge: str
    run: int
    texts: int
    answers: int


@dataclass(frozen=True, slots=True)
class JudgeImport:
    """The result of importing judges' answers. `known`: (judge, run) for judges whose answers in this file a run has
    already. `skipped` are unusable rows with the reason."""

    judges: tuple[JudgeAnswers, ...]
    known: tuple[tuple[str, int], ...]
    blank: int
    skipped: tuple[tuple[int, str], ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "judges": [asdict(one) for one in self.judges],
            "known": [{"judge": judge, "run": run} for judge, run in self.known],
            "blank": self.blank,
            "skipped": [{"row": row, "reason": reason} for row, reason in self.skipped],
        }


@use_case(Right.FACILITATE, act="imported a judge's answers", about="name")
def import_judge_answers(
    workbench: Workbench, checklist_id: int, data: bytes, name: str, judge: str = "", columns: Sequence[str] = ()
) -> JudgeImport:
    """Import a run for each judge from a table with a row for each answer: doc_id, system_id, item_id, number or
    question, answer, and optionally judge, repeat (from 0), p_yes, rationale and quote.

    A judge is named file:NAME; `judge` names the one if no column does. columns: columns that hold the answers of one
    judge each, named like it. Answers are read as experts' are, and may be "can't tell". Missing answers count as
    unanswered. Unusable rows are listed and the others imported. Raises FileFormatError for an unreadable table,
    InputError if no row can be used.
    """
    table, digest = read_table(Upload(name, data)), hashlib.sha256(data).hexdigest()
    with workbench.database.read() as work:
        checklist = work.checklists.get(checklist_id)
        dimension = work.projects.dimension_by_id(work.checklists.dimension_of(checklist_id))
        project = work.projects.project_of(dimension.id).id
        texts, out = evaluation_texts(work, project, dimension.id)
    reader = _Reader(AnswerReading(checklist, texts_by_key(texts), "to score"), judge)
    skipped = [(row.row, row.reason) for row in table.skipped]
    for row, cells in reader.reading.rows(table, name, "judge", columns):
        try:
            reader.take(cells)
        except BadCellError as error:
            skipped.append((row, str(error)))
        except InputError as error:
            skipped.append((row, error.message))
    if not reader.given:
        said = f" Row {skipped[0][0]}: {skipped[0][1]}" if skipped else ""
        raise InputError(f"No row of {name} holds an answer of a judge.{said}", "Nothing was stored.")
    made = []
    with workbench.database.write() as work:
        known = _known(work, project, checklist_id, digest)
        for called in [called for called in reader.given if called not in known]:
            given = reader.given[called]
            scored, repeats = tuple(dict.fromkeys(text for text, _, _ in given)), 1 + max(again for *_, again in given)
            part = RunDimension(
                dimension.id, checklist_id, out.documents, scored, dimension.name, excluded_texts=out.texts
            )
            params = {"file_digest": digest, "reuse": False, "repeats": repeats}
            run = work.runs.create(project, CHECKLIST, called, params, [part])
            _save(work, run, checklist, dimension, given, repeats)
            made.append(JudgeAnswers(called, run, len(scored), len(given)))
    there = tuple((called, known[called]) for called in reader.given if called in known)
    return JudgeImport(tuple(made), there, reader.blank, tuple(sorted(skipped)))


def _known(work: UnitOfWork, project: int, checklist: int, digest: str) -> dict[str, int]:
    """Return judge -> the run with its answers in this file to this version."""
    return {
        run.judge: run.id
        for run in work.runs.all(project)
        if run.params.get("file_digest") == digest
        and any(part.checklist == checklist for part in work.runs.parts(run.id))
    }


def _save(
    work: UnitOfWork,
    run: int,
    checklist: Checklist,
    dimension: Dimension,
    given: Mapping[_Place, Judgment],
    repeats: int,
) -> None:
    outcomes = []
    for planned in work.runs.open_scores(run):
        said = [
            [
                given.get((planned.text, question.id, repeat))
                or Judgment(question.id, Answer.UNANSWERED, repeat=repeat)
                for question in checklist.asked
            ]
            for repeat in range(repeats)
        ]
        outcomes.append(Outcome(planned, evaluation_of(checklist, dimension, said)))
    work.runs.save(outcomes)
    work.runs.finish(run, RunStatus.DONE)


class _Reader:
    """Reads the rows. `given`: judge -> its answers."""

    def __init__(self, reading: AnswerReading, judge: str) -> None:
        self.reading, self._judge = reading, judge
        self.given: dict[str, dict[_Place, Judgment]] = {}
        self.blank = 0

    def take(self, cells: Cells) -> None:
        """Read one row. Raises InputError and BadCellError for an unusable one."""
        if not cells.get("answer"):
            self.blank += 1
            return
        judge = cells.get("judge") or self._judge
        name = one_line(judge).removeprefix(ELSEWHERE).strip()[:_LONGEST_NAME]
        if not name:
            raise InputError("No judge is named.")
        who = ELSEWHERE + name
        text, question = self.reading.place(cells)
        answer = self.reading.answer(cells, question, CANNOT_TELL)
        assert answer is not None  # it isn't blank
        repeat, p_yes = _repeat(cells.get("repeat", "")), _share(cells.get("p_yes", ""))
        place = (text, question, repeat)
        theirs = self.given.setdefault(who, {})
        if place in theirs:
            raise InputError("The same question about the same text stands in an earlier row.")
        cannot = cells["answer"].replace("’", "'").lower() in CANNOT_TELL
        why, quote = cells.get("rationale", ""), cells.get("quote", "")
        theirs[place] = Judgment(question, answer, why, repeat, p_yes, cannot_tell=cannot, quote=quote)


def _repeat(cell: str) -> int:
    if not cell:
        return 0
    if not cell.isascii() or not cell.isdigit() or int(cell[:4]) >= _MOST_REPEATS:
        raise InputError(f"Its repeat “{cell[:20]}” is no whole number from 0 to {_MOST_REPEATS - 1}.")
    return int(cell)


def _share(cell: str) -> float | None:
    if not cell:
        return None
    found = number(cell)
    if not 0 <= found <= 1:
        raise InputError("Its p_yes lies outside 0 to 1.")
    return found


@dataclass(frozen=True, slots=True)
class AnswerAuthors:
    """The authors of a file's answers. expert, judge: the author, if no column names one. The columns hold the answers
    of one expert or judge each and are named like them; without any, each row is an answer."""

    expert: str = ""
    judge: str = ""
    expert_columns: tuple[str, ...] = ()
    judge_columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raise InputError for contradictory values."""
        if self.expert and self.judge:
            raise InputError("The answers can't be an expert's and a judge's.", "Name one of them.")
        if (self.expert or self.judge) and (self.expert_columns or self.judge_columns):
            raise InputError("Columns are called like those who answered.", "Name columns, or one person or judge.")
        if twice := set(self.expert_columns) & set(self.judge_columns):
            raise InputError(f"“{min(twice)}” can't be an expert and a judge.", "Name each column once.")


@dataclass(frozen=True, slots=True)
class ImportedAnswers:
    """The results of an import of answers; None for a kind that the file doesn't have."""

    experts: AnswerImport | None
    judges: JudgeImport | None

    def to_json(self) -> dict[str, Any]:
        experts = self.experts.to_json() if self.experts else {}
        judges = self.judges.to_json() if self.judges else {}
        return experts | {"of_judges": judges} if experts and judges else experts or judges


def answer_columns(upload: Upload) -> tuple[str, ...]:
    """Return the columns of a table. Raises FileFormatError for a file that isn't one."""
    return read_table(upload).columns


@use_case(Right.FACILITATE)
def import_answer_upload(
    workbench: Workbench, checklist_id: int, upload: Upload, givers: AnswerAuthors, replace: bool = False
) -> ImportedAnswers:
    """Import answers by `import_answers` and `import_judge_answers`. Without a name, a column `judge` marks them as
    judges'.

    Raises what these raise, and InputError for `replace` with judges only, whose answers become a new run.
    """
    wide = bool(givers.expert_columns or givers.judge_columns)
    named = bool(givers.judge) or (not givers.expert and not wide and "judge" in answer_columns(upload))
    of_judges = bool(givers.judge_columns) or named
    of_experts = bool(givers.expert_columns) or not of_judges
    if replace and not of_experts:
        raise InputError("A judge's answers replace nothing: they become a run.", "Leave “replace” out.")
    about = (workbench, checklist_id, upload.data, upload.name)
    return ImportedAnswers(
        import_answers(*about, givers.expert, replace, givers.expert_columns) if of_experts else None,
        import_judge_answers(*about, givers.judge, givers.judge_columns) if of_judges else None,
    )
