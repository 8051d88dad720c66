"""Import and export of experts' answers as files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.corpora.own_score_tables import Cells, TableData, answer_rows, load_table
from app.domain.attribute import ContributorKind
from app.domain.checklist import Checklist, Question
from app.domain.checklist_score import Answer
from app.domain.expert_answer import AnswerDraw, AnswerSheet, ExpertAnswer
from app.domain.project import Text, TextPlace
from app.domain.roles_and_rights import Right
from app.domain.storable_text import check_storable
from app.errors import InputError
from app.export.spreadsheet import csv_bytes
from app.services.checklists.answer_draws import drawn_probability, pool
from app.services.checklists.expert_answers import answer_sheet, expert_answers, texts_of
from app.services.data.uploads import Upload, stored
from app.services.runtime.workbench import Workbench, use_case

_KEY = ("doc_id", "system_id", "item_id")
_HOW_DRAWN = ("wave", "probability")
DRAW_COLUMNS = (*_KEY, *_HOW_DRAWN, "design", "seed", "tau", "drawn")
COLUMNS = ("expert", *_KEY, "number", "question", "answer", "note")
GUIDANCE = ("guidance",)
"""A column of an expert's sheet if any question has guidance."""
FROM_VERSION = ("from_version",)
"""A column if answers are reused: the earlier version in which an answer was given."""
ANSWER_WORDS: dict[Answer | None, str] = {
    Answer.YES: "yes",
    Answer.NO: "no",
    Answer.NOT_APPLICABLE: Answer.NOT_APPLICABLE.value,
    Answer.UNANSWERED: "skip",
    None: "",
}


@use_case(Right.ANSWER, act="exported experts' answers", about="expert")
def answers_csv(workbench: Workbench, checklist_id: int, expert: str = "") -> bytes:
    """Return all experts' answers as CSV; for one expert their whole sheet in its order, with open questions.

    The file of all experts says how each text was drawn. A sheet doesn't, because in older draws this tells where the
    judge was unsure. Raises NotReadyError before texts are drawn.
    """
    if expert:
        sheet = answer_sheet(workbench, checklist_id, expert)
        guidance = {number: _guidance(question) for number, question in enumerate(sheet.checklist.asked, start=1)}
        told = GUIDANCE if any(guidance.values()) else ()
        rows = _answer_rows(workbench, sheet.draw, sheet.checklist, list(_whole_sheet(sheet)))
        columns = (*COLUMNS, *told, *(FROM_VERSION if sheet.carried.answers else ()))
        return csv_bytes(columns, (row | {"guidance": guidance[row["number"]]} for row in rows))
    found = expert_answers(workbench, checklist_id)
    drawn = {tuple(row[name] for name in _KEY): row for row in draw_rows(workbench, checklist_id)}
    draw = answer_sheet(workbench, checklist_id, "").draw
    rows = (
        row | {name: drawn[tuple(row[name] for name in _KEY)][name] for name in _HOW_DRAWN}
        for row in _answer_rows(workbench, draw, found.checklist, found.answers)
    )
    return csv_bytes((*COLUMNS, *(FROM_VERSION if found.carried.answers else ()), *_HOW_DRAWN), rows)


def _guidance(question: Question) -> str:
    open_ = "Where it does not apply, write n/a." if question.may_not_apply else ""
    return " ".join(filter(None, (question.expert_guidance, open_)))


def _answer_rows(
    workbench: Workbench, draw: AnswerDraw, checklist: Checklist, given: Iterable[ExpertAnswer]
) -> Iterator[dict[str, Any]]:
    texts = texts_of(workbench, draw)
    numbers = {question.id: place for place, question in enumerate(checklist.asked, start=1)}
    wordings = {question.id: question.text for question in checklist.asked}
    for one in given:
        yield _row(one, texts[one.text], numbers[one.question], wordings[one.question])


def _whole_sheet(sheet: AnswerSheet) -> Iterator[ExpertAnswer]:
    for text in sheet.texts:
        for question in sheet.checklist.asked:
            blank = ExpertAnswer(sheet.expert, text, question.id, None)
            yield sheet.given.get((text, question.id), blank)


def _row(one: ExpertAnswer, text: Text, number: int, wording: str) -> dict[str, Any]:
    said: dict[str, Any] = {"number": number, "question": wording, "answer": ANSWER_WORDS[one.answer], "note": one.note}
    if one.from_version is not None:
        said["from_version"] = one.from_version
    return {"expert": one.expert, **dict(zip(_KEY, text.key, strict=True)), **said}


def draw_rows(workbench: Workbench, checklist_id: int) -> Iterator[dict[str, Any]]:
    """Yield a row for each drawn text: its wave, and its probability over all waves; none before a draw.

    For the facilitator only: in older draws a probability tells how unsure the judge was, which experts must not know.
    """
    with workbench.database.read() as work:
        draw = work.expert_answers.draw_of(checklist_id)
        if draw is None:
            return
        texts = work.texts.many(draw.texts)
        everything = list(dict.fromkeys([*(text.id for text in pool(work, checklist_id)[0]), *draw.texts]))
        found = dict(zip(everything, drawn_probability(work, draw, everything).tolist(), strict=True))
    for wave in draw.waves:
        about = {"wave": wave.number, "design": wave.design, "seed": wave.seed, "tau": wave.tau}
        for text in wave.texts:
            place = dict(zip(_KEY, texts[text].key, strict=True))
            yield {**place, **about, "probability": found[text], "drawn": wave.drawn_at.isoformat(timespec="seconds")}


_READ = {
    **dict.fromkeys(("yes", "y", "1", "true"), Answer.YES),
    **dict.fromkeys(("no", "n", "0", "false"), Answer.NO),
    **dict.fromkeys(("does not apply", "doesn't apply", "not applicable", "n/a", "na", "a"), Answer.NOT_APPLICABLE),
    **dict.fromkeys(("skip", "s", "unanswered"), Answer.UNANSWERED),
}
CANNOT_TELL = ("can't tell", "cannot tell")


def read_table(upload: Upload) -> TableData:
    """Read an uploaded table in any supported container. Raises FileFormatError."""
    with stored(upload) as path:
        return load_table(path)


class AnswerReading:
    """Reads rows about one version of a checklist and some texts. `where` describes these texts in errors."""

    def __init__(self, checklist: Checklist, texts: Mapping[tuple[str, str, str], int], where: str) -> None:
        asked = checklist.asked
        self._texts, self._where = texts, where
        self._questions = {" ".join(q.text.split()): q.id for q in asked}
        self._questions |= {str(number): q.id for number, q in enumerate(asked, start=1)}
        self._may_not_apply = {q.id for q in asked if q.may_not_apply}

    def rows(self, table: TableData, name: str, who: str, columns: Sequence[str] = ()) -> Iterator[tuple[int, Cells]]:
        """Yield rows as `answer_rows` does, without white space around cells. Raises the same errors."""
        for number, cells in answer_rows(table, name, who, columns):
            yield number, {column: cell.strip() for column, cell in cells.items()}

    def place(self, cells: Cells) -> tuple[int, int]:
        """Return the ids of the row's text and question. Raises InputError if it names neither here, or can't be
        stored."""
        for column, cell in cells.items():
            check_storable(cell, f"Its {column}")
        key = (cells.get("doc_id", ""), cells.get("system_id", ""), cells.get("item_id", ""))
        named = cells.get("number") or " ".join(cells.get("question", "").split())
        if key not in self._texts:
            called = " · ".join(part for part in key if part)
            raise InputError(f"{called} is not among the texts {self._where}." if called else "It names no text.")
        if named not in self._questions:
            raise InputError(f"“{named}” is no question of this version.")
        return self._texts[key], self._questions[named]

    def answer(self, cells: Cells, question: int, also: Sequence[str] = ()) -> Answer | None:
        """Return the row's answer, None for a blank. `also`: words for an answer that was withheld, read as UNANSWERED.
        Raises InputError for other words."""
        said = cells.get("answer", "").replace("’", "'").lower()
        if said in also:
            return Answer.UNANSWERED
        if said and said not in _READ:
            applies = ", does not apply" if self._may_not_apply else ""
            raise InputError(f"“{said}” is no answer; it must be yes, no{applies} or skip.")
        answer = _READ.get(said)
        if answer is Answer.NOT_APPLICABLE and question not in self._may_not_apply:
            raise InputError("This question doesn't allow “does not apply”; answer yes, no or skip.")
        return answer


def texts_by_key(texts: Sequence[Text | TextPlace]) -> dict[tuple[str, str, str], int]:
    return {text.key: text.id for text in texts}


@dataclass(frozen=True, slots=True)
class AnswerImport:
    """The result of an import: numbers of new, known and blank answers, and unusable rows with the reason."""

    kept: int
    known: int
    blank: int
    skipped: tuple[tuple[int, str], ...]

    def to_json(self) -> dict[str, Any]:
        skipped = [{"row": row, "reason": reason} for row, reason in self.skipped]
        return {"kept": self.kept, "known": self.known, "blank": self.blank, "skipped": skipped}


@use_case(Right.FACILITATE, act="imported experts' answers", about="name")
def import_answers(
    workbench: Workbench,
    checklist_id: int,
    data: bytes,
    name: str,
    expert: str = "",
    replace: bool = False,
    columns: Sequence[str] = (),
) -> AnswerImport:
    """Import answers from a table with the columns of `answers_csv`; `expert` is the author of rows that name none.

    A question is named by its number or its wording; an answer is yes, no, skip or, if the question allows it, "does
    not apply" (or n/a). Unusable rows are listed and the others imported. A row that contradicts a stored answer is
    unusable unless `replace`. columns: columns that hold one expert's answers each, named like the expert. Raises
    FileFormatError for an unreadable table, NotReadyError before texts are drawn.
    """
    table = read_table(Upload(name, data))
    reader = _Reader(workbench, checklist_id, expert.strip(), replace)
    counts = {"kept": 0, "known": 0, "blank": 0}
    skipped = [(row.row, row.reason) for row in table.skipped]
    for number, cells in reader.reading.rows(table, name, "expert", columns):
        try:
            counts[reader.take(cells)] += 1
        except InputError as error:
            skipped.append((number, error.message))
    reader.save()
    return AnswerImport(**counts, skipped=tuple(sorted(skipped)))


class _Reader:
    """Reads all rows, then writes them at once."""

    def __init__(self, workbench: Workbench, checklist_id: int, expert: str, replace: bool) -> None:
        found = expert_answers(workbench, checklist_id)
        self._workbench, self._expert, self._replace = workbench, expert, replace
        self._draw = answer_sheet(workbench, checklist_id, "").draw
        texts = texts_by_key(list(texts_of(workbench, self._draw).values()))
        self.reading = AnswerReading(found.checklist, texts, "drawn")
        self._on_record = {(one.expert, one.text, one.question): one for one in found.answers}
        self._new: dict[tuple[str, int, int], tuple[Answer | None, str]] = {}

    def take(self, cells: Cells) -> str:
        """Read one row and return its result: kept, known or blank. Raises InputError for an unusable row."""
        note = cells.get("note", "")
        if not cells.get("answer") and not note:
            return "blank"
        who = cells.get("expert") or self._expert
        if not who:
            raise InputError("Nobody is named as the expert.")
        text, question = self.reading.place(cells)
        answer = self.reading.answer(cells, question)
        place = (who, text, question)
        before = self._on_record.get(place)
        if before and (answer in (None, before.answer)) and note in ("", before.note):
            return "known"
        if before and before.answer and answer not in (None, before.answer) and not self._replace:
            raise InputError(f"{who} has answered this already: {ANSWER_WORDS[before.answer]}.")
        if place in self._new:
            raise InputError("The same question about the same text stands in an earlier row.")
        self._new[place] = (answer, note)
        return "kept"

    def save(self) -> None:
        with self._workbench.database.write() as work:
            project = work.projects.project_of(work.checklists.dimension_of(self._draw.checklist))
            for (expert, text, question), (answer, note) in self._new.items():
                who = work.think_aloud.contributor(project.id, expert, ContributorKind.HUMAN).id
                if answer is not None:
                    work.expert_answers.answer(self._draw.id, who, text, question, answer)
                if note:
                    work.expert_answers.note(self._draw.id, who, text, question, note)
