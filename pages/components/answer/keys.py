"""The questions of one text, answered in the browser: by key, mouse or a focused button, as fast as anybody types.

Each entry belongs to the question that was on the screen, whenever the server hears of it; it is sent again until the
server has confirmed it. See `keys.js`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from app.domain.expert_answer import AnswerSheet
from app.domain.judgment import Answer
from pages.components.shell.browser.outbox import OUTBOX

WORDS = {
    Answer.YES: "yes",
    Answer.NO: "no",
    Answer.NOT_APPLICABLE: "does not apply",
    Answer.UNANSWERED: "skipped",
}
_CHOICES = (
    (Answer.YES, "Yes", "Y"),
    (Answer.NO, "No", "N"),
    (Answer.NOT_APPLICABLE, "Does not apply", "A"),
    (Answer.UNANSWERED, "Skip", "S"),
)
APART = (Answer.NOT_APPLICABLE, Answer.UNANSWERED)
_HERE = Path(__file__).parent

_component = st.components.v2.component(
    "interacteval_answer_keys",
    js=f"{OUTBOX}\n{(_HERE / 'keys.js').read_text(encoding='utf-8')}",
    css=(_HERE / "keys.css").read_text(encoding="utf-8"),
    isolate_styles=False,  # Streamlit's own keys must see that somebody writes a note
)


def answer_keys(
    key: str, mine: AnswerSheet, place: int, confirmed: tuple[str, int], on_entries: Callable[[], None]
) -> object:
    """Draw the text at `place` of the sheet; returns the newest message of the browser, as it came.

    `confirmed` says up to which entry everything of an opened page is kept.
    """
    page, number = confirmed
    data = {
        "sheet": key,
        "page": page,
        "confirmed": number,
        "text": mine.texts[place],
        "first": place == 0,
        "last": place == len(mine.texts) - 1,
        "choices": _choices(mine),
        "questions": _questions(mine, mine.texts[place]),
    }
    return _component(key=key, data=data, on_entries_change=on_entries).get("entries")


def _choices(mine: AnswerSheet) -> list[dict[str, Any]]:
    """`open`: only for the questions that say so; left out where none does. `apart`: counted apart from answers."""
    may_not_apply = any(question.may_not_apply for question in mine.checklist.asked)
    return [
        {"answer": choice.value, "label": label, "key": letter, "said": WORDS[choice], "apart": choice in APART}
        | ({"open": True} if choice is Answer.NOT_APPLICABLE else {})
        for choice, label, letter in _CHOICES
        if may_not_apply or choice is not Answer.NOT_APPLICABLE
    ]


def _questions(mine: AnswerSheet, text: int) -> list[dict[str, Any]]:
    shown = []
    for question in mine.checklist.asked:
        one = mine.given.get((text, question.id))
        shown.append(
            {
                "id": question.id,
                "text": question.text,
                "component": question.component,
                "guidance": question.guidance,
                "open": question.may_not_apply,
                "answer": one.answer.value if one and one.answer else None,
                "note": one.note if one else "",
            }
        )
    return shown
