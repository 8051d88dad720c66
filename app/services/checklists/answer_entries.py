"""Entries on an expert's answer sheet, as the browser sends them: read with care, kept in one go."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.expert_answer import AnswerDraw, SheetEntry
from app.domain.judgment import Answer
from app.domain.people.actor import Right
from app.domain.storable_text import storable
from app.errors import InputError
from app.services.checklists.expert_answers import answerable_pairs, writer
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

MOST = 10_000  # entries in one message: more than anybody types between two replies of the server
LONGEST_NOTE = 10_000  # characters
_LARGEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class SheetMessage:
    """The entries that the server hasn't confirmed yet. `page` names the opened sheet that counts them."""

    page: str
    entries: tuple[SheetEntry, ...]


def read_message(raw: object) -> SheetMessage:
    """What the browser sent, if it has the form of a message: nothing in it is trusted to be one.

    Raises InputError for anything else.
    """
    if not isinstance(raw, Mapping) or not isinstance(raw.get("entries"), list) or len(raw["entries"]) > MOST:
        raise _odd()
    page = raw.get("page")
    if not isinstance(page, str) or not 0 < len(page) <= 100:
        raise _odd()
    return SheetMessage(page, tuple(map(_entry, raw["entries"])))


def _entry(raw: object) -> SheetEntry:
    if not isinstance(raw, Mapping):
        raise _odd()
    number, text = _number(raw.get("number")), _number(raw.get("text"))
    if "step" in raw:
        if raw["step"] not in (1, -1):
            raise _odd()
        return SheetEntry(number, text, step=int(raw["step"]))
    question = _number(raw.get("question"))
    if "note" in raw:
        return SheetEntry(number, text, question, note=_note(raw["note"]))
    if raw.get("answer") not in [given.value for given in Answer]:
        raise _odd()
    return SheetEntry(number, text, question, Answer(raw["answer"]))


def _number(raw: Any) -> int:
    if not isinstance(raw, int) or isinstance(raw, bool) or not 0 < raw <= _LARGEST:
        raise _odd()
    return raw


def _note(raw: object) -> str:
    if not isinstance(raw, str) or len(raw) > LONGEST_NOTE:
        raise InputError("A note is too long to be kept.", f"Shorten it to {LONGEST_NOTE:,} characters.")
    return storable(raw)


def _odd() -> InputError:
    return InputError("The browser sent something that is no answer.", "Reload the page.")


@use_case(Right.TAKE_PART)
def keep_entries(workbench: Workbench, draw: AnswerDraw, expert: str, entries: Sequence[SheetEntry]) -> int:
    """Keep answers and notes in their order, in one transaction; steps from text to text leave nothing to keep.

    An answer about a text that was given to somebody else meanwhile is kept as well. Whoever answers before thinking
    aloud has read questions made of what others wrote: what they write later counts as written after that.

    Returns how many were refused because their question about their text isn't among those drawn, or because it doesn't
    allow "does not apply"; the others are kept.
    Raises NotFoundError where the texts are no longer drawn.
    """
    with workbench.database.write() as work:
        drawn, who = answerable_pairs(work, draw), writer(work, draw, expert)
        written = [entry for entry in entries if not entry.step]
        open_ = {q.id for q in work.checklists.get(draw.checklist).asked if q.may_not_apply}
        known = [entry for entry in written if (entry.text, entry.question) in drawn and _allowed(entry, open_)]
        for entry in known:
            if entry.answer is not None:
                work.expert_answers.answer(draw.id, who, entry.text, entry.question, entry.answer)
            if entry.note is not None:
                work.expert_answers.note(draw.id, who, entry.text, entry.question, entry.note)
        if known:
            work.independence.note_seen(work.checklists.dimension_of(draw.checklist), who)
    return len(written) - len(known)


def _allowed(entry: SheetEntry, may_not_apply: Collection[int]) -> bool:
    return entry.answer is not Answer.NOT_APPLICABLE or entry.question in may_not_apply
