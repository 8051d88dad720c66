"""What the browser sends from an answer sheet is checked before anything is kept."""

from dataclasses import replace
from typing import Any

import pytest

from app.domain.checklist_score import Answer
from app.domain.expert_answer import AnswerDraw, SheetEntry
from app.domain.storable_text import storable
from app.errors import InputError, NotFoundError
from app.services.checklists.answer_draws import draw_texts
from app.services.checklists.expert_answers import LONGEST_NOTE, SheetMessage, answer_sheet, read_message, save_entries
from app.services.runtime.workbench import Workbench
from tests.support.projects import ready_to_score

CHECKLIST = 1


@pytest.fixture
def bench(workbench: Workbench) -> Workbench:
    ready_to_score(workbench, texts=40)
    return workbench


@pytest.fixture
def draw(bench: Workbench) -> AnswerDraw:
    return draw_texts(bench, CHECKLIST, 5, seed=3)


def test_a_message_is_read() -> None:
    sent = [
        {"number": 1, "text": 4, "question": 2, "answer": "yes"},
        {"number": 2, "text": 4, "question": 2, "note": "hard\x00 \ud83d"},
        {"number": 3, "text": 4, "step": 1},
    ]
    assert read_message({"page": "p", "attempt": 1, "entries": sent}) == SheetMessage(
        "p",
        (
            SheetEntry(1, 4, 2, Answer.YES),
            SheetEntry(2, 4, 2, note=storable("hard\x00 \ud83d")),
            SheetEntry(3, 4, step=1),
        ),
    )


ONE = {"number": 1, "text": 4, "question": 2, "answer": "yes"}


@pytest.mark.parametrize(
    "raw",
    [
        None,
        [],
        "yes",
        {},
        {"page": "p"},
        {"page": "", "entries": []},
        {"page": 3, "entries": []},
        {"page": "p" * 101, "entries": []},
        {"page": "p", "entries": {"0": ONE}},
        {"page": "p", "entries": [ONE] * 10_001},
        {"page": "p", "entries": ["yes"]},
        *(
            {"page": "p", "entries": [{**ONE, **odd}]}
            for odd in (
                {"number": 0},
                {"number": True},
                {"number": "1"},
                {"text": 2**31},
                {"text": 1.5},
                {"question": None},
                {"answer": "maybe"},
                {"answer": ["yes"]},
                {"answer": None},
                {"note": 4},
                {"note": "x" * (LONGEST_NOTE + 1)},
                {"step": 2},
                {"step": "1"},
            )
        ),
    ],
)
def test_what_has_no_form_of_a_message_is_refused(raw: Any) -> None:
    with pytest.raises(InputError):
        read_message(raw)


def test_entries_are_kept_in_their_order_and_unknown_ones_refused(bench: Workbench, draw: AnswerDraw) -> None:
    sheet = answer_sheet(bench, CHECKLIST, "Ana")
    text, (first, second, _) = sheet.texts[0], sheet.checklist.asked
    entries = [
        SheetEntry(1, text, first.id, Answer.NO),
        SheetEntry(2, text, 99, Answer.YES),
        SheetEntry(3, 9999, first.id, Answer.YES),
        SheetEntry(4, text, first.id, Answer.YES),
        SheetEntry(5, text, second.id, note="unsure"),
        SheetEntry(6, text, step=1),
    ]
    assert save_entries(bench, draw, "Ana", entries) == 2
    given = answer_sheet(bench, CHECKLIST, "Ana").given
    assert {pair: (one.answer, one.note) for pair, one in given.items()} == {
        (text, first.id): (Answer.YES, ""),
        (text, second.id): (None, "unsure"),
    }
    assert save_entries(bench, draw, "Ana", entries) == 2, "what arrives twice changes nothing"
    assert answer_sheet(bench, CHECKLIST, "Ana").given == given


def test_texts_drawn_anew_take_no_entries_meant_for_the_earlier_ones(bench: Workbench, draw: AnswerDraw) -> None:
    gone = set(draw.texts) - set(draw_texts(bench, CHECKLIST, 5, seed=4).texts)
    with pytest.raises(NotFoundError):
        save_entries(bench, replace(draw, id=99), "Ana", [])
    assert save_entries(bench, draw, "Ana", [SheetEntry(1, gone.pop(), 1, Answer.YES)]) == 1
