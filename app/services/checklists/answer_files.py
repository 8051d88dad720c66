"""Experts' answers as a table: out for analysis or for filling in elsewhere, and in again from paper."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from app.corpora.delimited import parse_delimited
from app.domain.attribute import ContributorKind
from app.domain.checklist import Checklist
from app.domain.expert_answer import AnswerDraw, AnswerSheet, ExpertAnswer
from app.domain.judgment import Answer
from app.domain.people.actor import Right
from app.domain.storable_text import check_storable
from app.domain.text import Text
from app.errors import FileFormatError, InputError
from app.export.spreadsheet import csv_bytes, restored
from app.services.checklists.answer_waves import drawn_probability, pool
from app.services.checklists.expert_answers import answer_sheet, expert_answers, texts_of
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

_KEY = ("doc_id", "system_id", "item_id")
_HOW_DRAWN = ("wave", "probability")
DRAW_COLUMNS = (*_KEY, *_HOW_DRAWN, "design", "seed", "tau", "drawn")
COLUMNS = ("expert", *_KEY, "number", "question", "answer", "note")
_WORDS = {
    Answer.YES: "yes",
    Answer.NO: "no",
    Answer.NOT_APPLICABLE: Answer.NOT_APPLICABLE.value,
    Answer.UNANSWERED: "skip",
    None: "",
}
_READ = {
    "yes": Answer.YES,
    "y": Answer.YES,
    "1": Answer.YES,
    "no": Answer.NO,
    "n": Answer.NO,
    "0": Answer.NO,
    **dict.fromkeys(("does not apply", "doesn't apply", "not applicable", "n/a", "na", "a"), Answer.NOT_APPLICABLE),
    "skip": Answer.UNANSWERED,
    "s": Answer.UNANSWERED,
}


@dataclass(frozen=True, slots=True)
class AnswerImport:
    """How many answers came in, were there already, or were blank; and rows that can't be used, with the reason."""

    kept: int
    known: int
    blank: int
    skipped: tuple[tuple[int, str], ...]


@use_case(Right.ANSWER, act="took answers out", about="expert")
def answers_csv(workbench: Workbench, checklist_id: int, expert: str = "") -> bytes:
    """Everybody's answers; for one expert the whole sheet in that expert's order, with what is still to be answered.

    Everybody's say how each text was drawn. A sheet doesn't: it would tell an expert where the judge was unsure.
    Raises NotReadyError before texts are drawn.
    """
    if expert:
        sheet = answer_sheet(workbench, checklist_id, expert)
        return csv_bytes(COLUMNS, _answer_rows(workbench, sheet.draw, sheet.checklist, list(_whole_sheet(sheet))))
    found = expert_answers(workbench, checklist_id)
    drawn = {tuple(row[name] for name in _KEY): row for row in draw_rows(workbench, checklist_id)}
    draw = answer_sheet(workbench, checklist_id, "").draw
    rows = (
        row | {name: drawn[tuple(row[name] for name in _KEY)][name] for name in _HOW_DRAWN}
        for row in _answer_rows(workbench, draw, found.checklist, found.answers)
    )
    return csv_bytes((*COLUMNS, *_HOW_DRAWN), rows)


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
    said = {"number": number, "question": wording, "answer": _WORDS[one.answer], "note": one.note}
    return {"expert": one.expert, **dict(zip(_KEY, text.key, strict=True)), **said}


def draw_rows(workbench: Workbench, checklist_id: int) -> Iterator[dict[str, Any]]:
    """One a text drawn for this version: by which wave, and with what probability over all waves; none before a draw.

    For whoever runs the project: a probability says how unsure the judge was, which experts must not know.
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


@use_case(Right.FACILITATE, act="brought answers in", about="name")
def import_answers(
    workbench: Workbench, checklist_id: int, data: bytes, name: str, expert: str = "", replace: bool = False
) -> AnswerImport:
    """Answers from a table with the columns of `answers_csv`; `expert` names who it is from where no column does.

    A question is named by its number or its wording, an answer is yes, no, skip or, where the question allows it, "does
    not apply" (or n/a). Rows that can't be used are listed and the others come in. An answer that differs from one on
    record is such a row, unless `replace`.
    Raises FileFormatError for a table that can't be read, NotReadyError before texts are drawn.
    """
    try:
        rows, broken = parse_delimited(data.decode("utf-8-sig"), name)
    except UnicodeDecodeError:
        raise FileFormatError(f"{name} is no text in UTF-8.", "Save it as UTF-8.") from None
    missing = [column for column in ("doc_id", "answer") if not any(column in row for _, row in rows)]
    if missing:
        raise FileFormatError(f"{name} has no column “{missing[0]}”.", "Export a sheet to see the columns.")
    reader = _Reader(workbench, checklist_id, expert.strip(), replace)
    counts = {"kept": 0, "known": 0, "blank": 0}
    skipped = [(row.row, row.reason) for row in broken]
    for number, cells in rows:
        try:
            counts[reader.take({column: restored(str(cell)).strip() for column, cell in cells.items()})] += 1
        except InputError as error:
            skipped.append((number, error.message))
    reader.save()
    return AnswerImport(**counts, skipped=tuple(sorted(skipped)))


class _Reader:
    """Reads row after row, then writes everything at once."""

    def __init__(self, workbench: Workbench, checklist_id: int, expert: str, replace: bool) -> None:
        found = expert_answers(workbench, checklist_id)
        self._workbench, self._expert, self._replace = workbench, expert, replace
        self._draw = answer_sheet(workbench, checklist_id, "").draw
        self._texts = {text.key: text.id for text in texts_of(workbench, self._draw).values()}
        asked = found.checklist.asked
        self._questions: dict[str, int] = {" ".join(q.text.split()): q.id for q in asked}
        self._questions |= {str(number): q.id for number, q in enumerate(asked, start=1)}
        self._may_not_apply = {q.id for q in asked if q.may_not_apply}
        self._on_record = {(one.expert, one.text, one.question): one for one in found.answers}
        self._new: dict[tuple[str, int, int], tuple[Answer | None, str]] = {}

    def take(self, cells: Mapping[str, str]) -> str:
        """What becomes of a row: kept, known or blank. Raises InputError for one that can't be used."""
        for column, cell in cells.items():
            check_storable(cell, f"Its {column}")
        said, note = cells.get("answer", "").replace("’", "'").lower(), cells.get("note", "")
        if not said and not note:
            return "blank"
        place = self._place(cells)
        if said and said not in _READ:
            also = ", does not apply" if self._may_not_apply else ""
            raise InputError(f"“{said}” is no answer; it must be yes, no{also} or skip.")
        answer = _READ.get(said)
        if answer is Answer.NOT_APPLICABLE and place[2] not in self._may_not_apply:
            raise InputError("This question doesn't allow “does not apply”; answer yes, no or skip.")
        before = self._on_record.get(place)
        if before and (answer in (None, before.answer)) and note in ("", before.note):
            return "known"
        if before and before.answer and answer not in (None, before.answer) and not self._replace:
            raise InputError(f"{place[0]} has answered this already: {_WORDS[before.answer]}.")
        if place in self._new:
            raise InputError("The same question about the same text stands in an earlier row.")
        self._new[place] = (answer, note)
        return "kept"

    def _place(self, cells: Mapping[str, str]) -> tuple[str, int, int]:
        who = cells.get("expert") or self._expert
        key = (cells.get("doc_id", ""), cells.get("system_id", ""), cells.get("item_id", ""))
        named = cells.get("number") or " ".join(cells.get("question", "").split())
        if not who:
            raise InputError("Nobody is named as the expert.")
        if key not in self._texts:
            raise InputError(f"{' · '.join(part for part in key if part) or 'No text'} is not among the texts drawn.")
        if named not in self._questions:
            raise InputError(f"“{named}” is no question of this version.")
        return who, self._texts[key], self._questions[named]

    def save(self) -> None:
        with self._workbench.database.write() as work:
            project = work.projects.project_of(work.checklists.dimension_of(self._draw.checklist))
            for (expert, text, question), (answer, note) in self._new.items():
                who = work.think_aloud.contributor(project.id, expert, ContributorKind.HUMAN).id
                if answer is not None:
                    work.expert_answers.answer(self._draw.id, who, text, question, answer)
                if note:
                    work.expert_answers.note(self._draw.id, who, text, question, note)
