"""A judge's answers from a file as a run: whoever was asked elsewhere stands beside the judges that are asked here."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from app.corpora.rows import BadCellError, number, one_line
from app.corpora.table import Cells
from app.domain.checklist import Checklist
from app.domain.judgment import Answer, Judgment
from app.domain.people import Right
from app.domain.project import Dimension
from app.domain.run import Outcome, RunDimension, RunStatus
from app.errors import InputError
from app.evaluators.checklist import evaluation_of
from app.services.checklists.answer_files import CANNOT_TELL, AnswerReading, read_table, texts_by_key
from app.services.data.uploads import Upload
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.scoring.evaluators import CHECKLIST
from app.services.think_aloud.samples import evaluation_texts
from db.unit_of_work import UnitOfWork

ELSEWHERE = "file:"  # before the name of a judge that can't be asked
_LONGEST_NAME = 60
_MOST_REPEATS = 100
_Place = tuple[int, int, int]  # text, question, repeat


@dataclass(frozen=True, slots=True)
class JudgeAnswers:
    """What came in of one judge: its run, and how many texts and answers that holds."""

    judge: str
    run: int
    texts: int
    answers: int


@dataclass(frozen=True, slots=True)
class JudgeImport:
    """`judges` came in; `known` are those whose answers in this file a run holds already, with that run. `skipped` are
    rows that can't be used, with the reason."""

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


@use_case(Right.FACILITATE, act="brought a judge's answers in", about="name")
def import_judge_answers(
    workbench: Workbench, checklist_id: int, data: bytes, name: str, judge: str = "", columns: Sequence[str] = ()
) -> JudgeImport:
    """A run a judge from a table with a row for each answer: doc_id, system_id, item_id, number or question, answer,
    and where there are any judge, repeat (from 0), p_yes, rationale and quote.

    A judge is called file:NAME; `judge` names the one where no column does. columns: those that hold the answers of one
    judge each, and are called like it. Answers are read as experts' are, and may be "can't tell". What a judge left out
    of a text counts as unanswered. Rows that can't be used are listed and the others come in.
    Raises FileFormatError for a table that can't be read, InputError where no row can be used.
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
    """Judge -> the run that holds its answers in this file to this version."""
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
    """Reads row after row. `given`: judge -> its answers."""

    def __init__(self, reading: AnswerReading, judge: str) -> None:
        self.reading, self._judge = reading, judge
        self.given: dict[str, dict[_Place, Judgment]] = {}
        self.blank = 0

    def take(self, cells: Cells) -> None:
        """Raises InputError and BadCellError for a row that can't be used."""
        if not cells.get("answer"):
            self.blank += 1
            return
        who = _called(cells.get("judge") or self._judge)
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


def _called(judge: str) -> str:
    """Raises InputError where nobody is named."""
    name = one_line(judge).removeprefix(ELSEWHERE).strip()[:_LONGEST_NAME]
    if not name:
        raise InputError("No judge is named.")
    return ELSEWHERE + name


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
