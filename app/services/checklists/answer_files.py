"""Experts' answers as a table: for analysis, or for filling in elsewhere."""

from collections.abc import Iterable, Iterator
from typing import Any

from app.domain.checklist import Checklist
from app.domain.expert_answer import AnswerDraw, AnswerSheet, ExpertAnswer
from app.domain.judgment import Answer
from app.domain.people.actor import Right
from app.domain.text import Text
from app.export.spreadsheet import csv_bytes
from app.services.checklists.answer_waves import drawn_probability, pool
from app.services.checklists.expert_answers import answer_sheet, expert_answers, texts_of
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

_KEY = ("doc_id", "system_id", "item_id")
_HOW_DRAWN = ("wave", "probability")
DRAW_COLUMNS = (*_KEY, *_HOW_DRAWN, "design", "seed", "tau", "drawn")
COLUMNS = ("expert", *_KEY, "number", "question", "answer", "note")
FROM_VERSION = ("from_version",)
"""Only where an answer counts again: the earlier version in which it was given."""
ANSWER_WORDS: dict[Answer | None, str] = {
    Answer.YES: "yes",
    Answer.NO: "no",
    Answer.NOT_APPLICABLE: Answer.NOT_APPLICABLE.value,
    Answer.UNANSWERED: "skip",
    None: "",
}


@use_case(Right.ANSWER, act="took answers out", about="expert")
def answers_csv(workbench: Workbench, checklist_id: int, expert: str = "") -> bytes:
    """Everybody's answers; for one expert the whole sheet in that expert's order, with what is still to be answered.

    Everybody's say how each text was drawn. A sheet doesn't: it would tell an expert where the judge was unsure.
    Raises NotReadyError before texts are drawn.
    """
    if expert:
        sheet = answer_sheet(workbench, checklist_id, expert)
        columns = COLUMNS + (FROM_VERSION if sheet.carried.answers else ())
        return csv_bytes(columns, _answer_rows(workbench, sheet.draw, sheet.checklist, list(_whole_sheet(sheet))))
    found = expert_answers(workbench, checklist_id)
    drawn = {tuple(row[name] for name in _KEY): row for row in draw_rows(workbench, checklist_id)}
    draw = answer_sheet(workbench, checklist_id, "").draw
    rows = (
        row | {name: drawn[tuple(row[name] for name in _KEY)][name] for name in _HOW_DRAWN}
        for row in _answer_rows(workbench, draw, found.checklist, found.answers)
    )
    return csv_bytes((*COLUMNS, *(FROM_VERSION if found.carried.answers else ()), *_HOW_DRAWN), rows)


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
