"""Experts' answers to a published checklist: their sheets, and storing answers and notes."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.domain.attribute import ContributorKind
from app.domain.checklist_score import Answer
from app.domain.expert_answer import AnswerDraw, AnswerSet, AnswerSheet, AnswerWave, SheetEntry, reused_answers
from app.domain.project import Text
from app.domain.roles_and_rights import Right
from app.domain.storable_text import storable
from app.errors import InputError, NotReadyError
from app.services.people.text_shares import texts_of_expert
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import UnitOfWork

_AS_NUMBER: Mapping[Answer | None, float] = {Answer.YES: 1.0, Answer.NO: 0.0}
_INAPPLICABLE: Mapping[Answer | None, float] = {Answer.NOT_APPLICABLE: 1.0, Answer.YES: 0.0, Answer.NO: 0.0}


@use_case(Right.ANSWER)
def answer_sheet(workbench: Workbench, checklist_id: int, expert: str) -> AnswerSheet:
    """Return this expert's texts, in their own random order, with their answers.

    Raises NotReadyError before texts are drawn.
    """
    with workbench.database.read() as work:
        return _sheet(work, _drawn(work, checklist_id), expert)


@use_case(Right.ANSWER)
def own_sheet(workbench: Workbench, dimension_id: int, expert: str) -> AnswerSheet | None:
    """Return the sheet of the newest version with drawn texts; None before any are drawn."""
    with workbench.database.read() as work:
        draw = work.expert_answers.newest_draw(dimension_id)
        return _sheet(work, draw, expert) if draw else None


def _sheet(work: UnitOfWork, draw: AnswerDraw, expert: str) -> AnswerSheet:
    dimension_id = work.checklists.dimension_of(draw.checklist)
    project = work.projects.project_of(dimension_id)
    who = next((c for c in work.think_aloud.contributors(project.id) if c.name == expert), None)
    own = work.expert_answers.of(draw.id, who.id) if who else []
    begun = {one.text for one in own if one.answer is not None or one.note}
    theirs = texts_of_expert(work, draw, dimension_id, expert, begun)
    order = [text for wave in draw.waves for text in _in_order(wave, expert) if text in theirs]
    given = {(one.text, one.question): one for one in own}
    return AnswerSheet(draw, work.checklists.get(draw.checklist), expert, tuple(order), given)


def _in_order(wave: AnswerWave, expert: str) -> list[int]:
    """Return one wave's texts in this expert's random order. Later waves don't change it."""
    order = list(wave.texts)
    again = f" {wave.number}" if wave.number > 1 else ""
    random.Random(f"{wave.seed} {expert}{again}").shuffle(order)  # noqa: S311 - an order, no secret
    return order


@use_case(Right.ANSWER)
def unfinished_sheet(workbench: Workbench, dimension_id: int, expert: str) -> AnswerSheet | None:
    """Return the expert's sheet on the dimension if it isn't finished, so that screens keep them blind; else None."""
    sheet = own_sheet(workbench, dimension_id, expert)
    return sheet if sheet and sheet.done < len(sheet.texts) else None


@use_case(Right.TAKE_PART)
def texts_of(workbench: Workbench, draw: AnswerDraw) -> dict[int, Text]:
    """Return id -> text for all drawn texts."""
    with workbench.database.read() as work:
        return work.texts.many(draw.texts)


def answer(
    workbench: Workbench, draw: AnswerDraw, expert: str, text_id: int, question_id: int, given: Answer | None
) -> None:
    """Store one answer; UNANSWERED is a skipped question, None deletes the answer. Raises InputError."""
    with workbench.database.write() as work:
        who = _allowed(work, draw, expert, text_id, question_id)
        asked = work.checklists.get(draw.checklist).asked
        if given is Answer.NOT_APPLICABLE and not any(q.id == question_id and q.may_not_apply for q in asked):
            raise InputError("This question doesn't allow “does not apply”.", "Answer yes or no, or skip it.")
        work.expert_answers.answer(draw.id, who, text_id, question_id, given)


def note(workbench: Workbench, draw: AnswerDraw, expert: str, text_id: int, question_id: int, words: str) -> None:
    """Store an expert's note on one question about one text, word for word. Raises InputError."""
    with workbench.database.write() as work:
        who = _allowed(work, draw, expert, text_id, question_id)
        work.expert_answers.note(draw.id, who, text_id, question_id, words)


@use_case(Right.READ)
def expert_answers(workbench: Workbench, checklist_id: int) -> AnswerSet:
    """Return all experts' answers to this version. For the facilitator only, since an unfinished expert must not see
    others'.

    Raises NotReadyError before texts are drawn.
    """
    with workbench.database.read() as work:
        draw = _drawn(work, checklist_id)
        answers = tuple(work.expert_answers.of(draw.id))
        experts = tuple(dict.fromkeys(one.expert for one in answers))
        shares = work.assignments.shares(draw.id)
        return AnswerSet(work.checklists.get(checklist_id), draw.texts, experts, answers, shares)


@use_case(Right.REVIEW)
def answers_taken_over(workbench: Workbench, checklist_id: int) -> str:
    """Return a sentence on how many of the experts' answers are from earlier versions; "" for none."""
    with workbench.database.read() as work:
        draw = work.expert_answers.draw_of(checklist_id)
        return str(reused_answers(work.checklists.get(checklist_id), work.expert_answers.of(draw.id))) if draw else ""


def answer_cube(found: AnswerSet, values: Mapping[Answer | None, float] = _AS_NUMBER) -> NDArray[np.float64]:
    """Return (experts, texts, questions asked) in the orders of `found`: 1 yes, 0 no, NaN skipped, unanswered or not
    applicable. `values` maps answers to other numbers; missing ones are NaN."""
    experts = {name: place for place, name in enumerate(found.experts)}
    texts = {text: place for place, text in enumerate(found.texts)}
    questions = {question.id: place for place, question in enumerate(found.checklist.asked)}
    cube = np.full((len(experts), len(texts), len(questions)), np.nan)
    for one in found.answers:
        cube[experts[one.expert], texts[one.text], questions[one.question]] = values.get(one.answer, np.nan)
    return cube


def inapplicable_cube(found: AnswerSet) -> NDArray[np.float64]:
    """Return a cube as `answer_cube`: 1 if a question doesn't apply, 0 for yes and no, NaN skipped or unanswered."""
    return answer_cube(found, _INAPPLICABLE)


def _drawn(work: UnitOfWork, checklist_id: int) -> AnswerDraw:
    draw = work.expert_answers.draw_of(checklist_id)
    if draw is None:
        raise NotReadyError("No texts are drawn yet for experts to answer on.", "Draw them first.")
    return draw


def _allowed(work: UnitOfWork, draw: AnswerDraw, expert: str, text_id: int, question_id: int) -> int:
    """Return the expert's id. Raises InputError if the pair of text and question isn't drawn."""
    drawn, who = answerable_pairs(work, draw), writer(work, draw, expert)
    if (text_id, question_id) not in drawn:
        raise InputError("This question about this text isn't among those drawn.", "Reload the page.")
    return who


def answerable_pairs(work: UnitOfWork, draw: AnswerDraw) -> set[tuple[int, int]]:
    """Return the (text, question) pairs that can be answered. Raises NotFoundError if the texts are no longer drawn."""
    current = work.expert_answers.draw(draw.id)
    asked = work.checklists.get(current.checklist).asked
    return {(text, question.id) for text in current.texts for question in asked}


def writer(work: UnitOfWork, draw: AnswerDraw, expert: str) -> int:
    """Return the id of this expert's contributor, added if new."""
    project = work.projects.project_of(work.checklists.dimension_of(draw.checklist))
    return work.think_aloud.contributor(project.id, expert, ContributorKind.HUMAN).id


MOST = 10_000  # entries in one message: more than anybody types between two replies of the server
LONGEST_NOTE = 10_000  # characters
_LARGEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class SheetMessage:
    """Sheet entries that the server hasn't confirmed yet. `page` is the id of the browser page that numbers them."""

    page: str
    entries: tuple[SheetEntry, ...]


def read_message(raw: object) -> SheetMessage:
    """Return the message that the browser sent, which isn't trusted. Raises InputError for a value of another form."""
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
def save_entries(workbench: Workbench, draw: AnswerDraw, expert: str, entries: Sequence[SheetEntry]) -> int:
    """Store answers and notes in their order, in one transaction; steps between texts aren't stored.

    An answer about a text that was moved to another expert meanwhile is stored too. An expert who answers before
    thinking aloud has seen questions made from others' attributes, so their later attributes are marked.

    Returns how many entries were refused because their question isn't drawn for their text or doesn't allow "does not
    apply". Raises NotFoundError if the texts are no longer drawn.
    """
    with workbench.database.write() as work:
        drawn, who = answerable_pairs(work, draw), writer(work, draw, expert)
        written = [entry for entry in entries if not entry.step]
        open_ = {q.id for q in work.checklists.get(draw.checklist).asked if q.may_not_apply}
        known = [
            entry
            for entry in written
            if (entry.text, entry.question) in drawn
            and (entry.answer is not Answer.NOT_APPLICABLE or entry.question in open_)
        ]
        for entry in known:
            if entry.answer is not None:
                work.expert_answers.answer(draw.id, who, entry.text, entry.question, entry.answer)
            if entry.note is not None:
                work.expert_answers.note(draw.id, who, entry.text, entry.question, entry.note)
        if known:
            work.independence.note_seen(work.checklists.dimension_of(draw.checklist), who)
    return len(written) - len(known)
