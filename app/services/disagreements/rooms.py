"""Rooms to decide together: experts vote blind on a question about some texts, see the votes, write one line each, and
vote again; the agreed answers become decisions and guidance."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.attribute import ContributorKind
from app.domain.checklist import Question
from app.domain.checklist_score import Answer
from app.domain.expert_answer import FEWEST_MEMBERS, MOST_MEMBERS
from app.domain.improvement import reference
from app.domain.people import PENDING
from app.domain.project import Text
from app.domain.roles_and_rights import Right
from app.domain.room import LONGEST_LINE, MOST_ROOM_TEXTS, Room, RoomStage
from app.domain.storable_text import check_storable
from app.errors import ConflictError, InputError, NotAllowedError, NotFoundError, NotReadyError
from app.meta_evaluation.raters.rater_agreement import Agreement, krippendorff_alpha
from app.services.checklists.answer_draws import published
from app.services.checklists.expert_answers import own_sheet
from app.services.disagreements.decisions import asked_question, check_answer, check_line, make_guidance
from app.services.results.result_texts import draft_to_edit
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import UnitOfWork

__all__ = ["Agreement"]


@dataclass(frozen=True, slots=True)
class RoomView:
    """A room as one person may see it. `texts` are those that still exist; `version` is the checklist's.

    before, after: Krippendorff's alpha of the first and the second vote, nominal; None until the votes are revealed.
    alike_before, alike_after: the share of equal pairs among pairs of votes on one text, None without a pair.
    """

    room: Room
    question: Question
    version: int
    texts: tuple[Text, ...]
    before: Agreement | None = None
    after: Agreement | None = None
    alike_before: float | None = None
    alike_after: float | None = None

    def to_json(self) -> dict[str, object]:
        room = self.room
        return {
            "room": room.id,
            "question": self.question.text,
            "version": self.version,
            "stage": room.stage.value,
            "texts": len(room.texts),
            "members": list(room.members),
            "alpha_before": self.before.value if self.before else None,
            "alpha_after": self.after.value if self.after else None,
            "alike_before": self.alike_before,
            "alike_after": self.alike_after,
            "lines": [{"member": name, "line": room.lines[name]} for name in room.members if room.lines[name]],
            "agreed": room.agreed,
            "draft": room.draft,
            "opened_by": room.opened_by,
            "opened_at": room.opened_at.isoformat(),
            "closed_at": room.closed_at.isoformat() if room.closed_at else None,
        }


@dataclass(frozen=True, slots=True)
class ClosedRoom:
    """The result of closing a room. `decided` texts got a decision; `split` ones have no majority. `draft` is the
    version of the draft with the line as guidance, None if that wasn't asked."""

    decided: int = 0
    split: int = 0
    draft: int | None = None


@use_case(Right.FACILITATE, act="opened a room")
def open_room(
    workbench: Workbench, checklist_id: int, question_id: int, text_ids: Sequence[int], who: str = ""
) -> Room:
    """Open a room on a question of a published version, about one or more texts.

    Raises ConflictError if a room on the dimension is open, InputError for no text or too many, NotFoundError for a
    missing question or a missing or held-out text.
    """
    texts = list(dict.fromkeys(text_ids))
    if not 1 <= len(texts) <= MOST_ROOM_TEXTS:
        raise InputError(f"A room is about 1 to {MOST_ROOM_TEXTS} texts.", "Choose fewer.")
    with workbench.database.write() as work:
        checklist = published(work, checklist_id)
        question = asked_question(checklist, question_id)
        project = work.projects.project_of(work.checklists.dimension_of(checklist_id))
        for text in texts:
            work.texts.in_project(project.id, text)
        return work.rooms.add(question.id, texts, who)


@use_case(Right.ANSWER)
def rooms_of(workbench: Workbench, dimension_id: int, expert: str = "") -> list[Room]:
    """Return the rooms of a dimension, newest first, with the votes that this person may read: for an expert the rooms
    they have joined or may join, for "" all."""
    with workbench.database.read() as work:
        found = [
            room.seen_by(_self(workbench, work, dimension_id, expert)) for room in work.rooms.of_dimension(dimension_id)
        ]
    return [room for room in found if not expert or room.can_join(expert)]


@use_case(Right.ANSWER)
def room_view(workbench: Workbench, room_id: int, expert: str = "") -> RoomView:
    """Return a room as this person may see it.

    Raises NotFoundError for a missing room, NotAllowedError for an expert who didn't join before the first reveal.
    """
    with workbench.database.read() as work:
        dimension_id = _dimension_of(work, room_id)
        room = work.rooms.get(room_id).seen_by(_self(workbench, work, dimension_id, expert))
        if expert and expert not in room.lines and room.stage is not RoomStage.VOTE:
            raise NotAllowedError("The votes of this room were revealed without you.", "Join the next room in time.")
        checklist = work.checklists.get(work.rooms.checklist_of(room_id))
        texts = work.texts.many(room.texts)
    question = asked_question(checklist, room.question)
    shown = tuple(texts[text] for text in room.texts if text in texts)
    first, second = (_agreement(room, round_) if room.revealed >= round_ else (None, None) for round_ in (1, 2))
    return RoomView(room, question, checklist.version, shown, first[0], second[0], first[1], second[1])


@use_case(Right.TAKE_PART)
def room_states(workbench: Workbench, project_id: int) -> int:
    """Return a number that changes whenever a room of the project changes. It doesn't tell what changed."""
    with workbench.database.read() as work:
        return hash(work.rooms.states(project_id))


@use_case(Right.ANSWER, act="joined a room", about="room_id")
def join_room(workbench: Workbench, room_id: int, expert: str) -> None:
    """Add an expert to the room; joining twice has no effect.

    Raises ConflictError if the room is full or its first votes were revealed, NotReadyError if the expert hasn't
    answered this question about the room's texts yet.
    """
    with workbench.database.read() as work:
        dimension_id = _dimension_of(work, room_id)
        question = work.checklists.get(work.rooms.checklist_of(room_id))
    sheet = own_sheet(workbench, dimension_id, expert)
    with workbench.database.write() as work:
        room = work.rooms.get(room_id, alone=True)
        if expert in room.lines:
            return
        if room.stage is not RoomStage.VOTE:
            raise ConflictError("The first votes of this room are revealed already.", "Join the next room in time.")
        if len(room.lines) >= MOST_MEMBERS:
            raise ConflictError(f"{MOST_MEMBERS} experts are in this room, which are the most.", "Join the next one.")
        wording = asked_question(question, room.question).text
        same = [one.id for one in sheet.checklist.asked if one.text == wording] if sheet else []
        waiting = [text for text in room.texts if sheet and same and text in sheet.texts]
        if any(sheet and not _answered(sheet.given.get((text, same[0]))) for text in waiting):
            raise NotReadyError(
                "Your own answer to this question about a text of the room is still missing.",
                "Give it on Answer first, so that the others' votes don't lead you.",
            )
        project = work.projects.project_of(dimension_id)
        work.rooms.join(room_id, work.think_aloud.contributor(project.id, expert, ContributorKind.HUMAN).id)


def _answered(given: object) -> bool:
    return getattr(given, "answer", None) is not None


@use_case(Right.ANSWER, act="voted in a room", about="room_id")
def vote(workbench: Workbench, room_id: int, expert: str, text_id: int, given: Answer) -> None:
    """Store a vote of the current round, replacing an earlier one. The audit log says that the expert voted, not how.

    Raises ConflictError if no round is open, InputError for a text or an answer that the room doesn't have.
    """
    with workbench.database.write() as work:
        room = _with_member(work, room_id, expert)
        if room.stage.round is None:
            raise ConflictError("The votes were revealed meanwhile.", "They stay as they were given.")
        if text_id not in room.texts:
            raise InputError("This text isn't among those of the room.", "Reload the page.")
        check_answer(asked_question(work.checklists.get(work.rooms.checklist_of(room_id)), room.question), given)
        work.rooms.vote(room_id, expert, text_id, room.stage.round, given)


@use_case(Right.ANSWER, act="wrote a line in a room", about="line")
def say_line(workbench: Workbench, room_id: int, expert: str, line: str) -> None:
    """Store an expert's one line of the discussion, replacing an earlier one; the audit log holds both.

    Raises ConflictError outside the discussion, InputError for an empty or too long line.
    """
    said = " ".join(line.split())
    check_storable(said, "The line")
    if not 0 < len(said) <= LONGEST_LINE:
        raise InputError(
            f"A line has 1 to {LONGEST_LINE} characters; this has {len(said):,}.", "Say it in fewer words."
        )
    with workbench.database.write() as work:
        if _with_member(work, room_id, expert).stage is not RoomStage.DISCUSS:
            raise ConflictError("The room doesn't discuss now.", "Reload the page.")
        work.rooms.say(room_id, expert, said)


@use_case(Right.FACILITATE, act="moved a room to its next step")
def set_room_stage(workbench: Workbench, room_id: int, to: RoomStage) -> None:
    """Move the room to its next stage. DISCUSS and DECIDE reveal the votes; the audit log then records the counts.

    Raises ConflictError if `to` isn't the next stage, NotReadyError if fewer than two have voted on every text.
    """
    with workbench.database.write() as work:
        room = work.rooms.get(room_id, alone=True).seen_by("")
        if to is not room.stage.next or to is RoomStage.CLOSED:
            raise ConflictError("The room has moved on meanwhile.", "Look where it is now.")
        if room.stage.round and len(room.whole()) < FEWEST_MEMBERS:
            raise NotReadyError(
                f"Fewer than {FEWEST_MEMBERS} experts have voted on every text.", "Wait for them, or close the room."
            )
        work.rooms.move(room_id, to)
        acting, now = PENDING.get(), work.rooms.get(room_id)
        if acting is not None and room.stage.round:
            said = [answer.value for answer in now.said(room.stage.round).values()]
            counted = ", ".join(f"{value} {said.count(value)}" for value in dict.fromkeys(sorted(said)))
            acting.about = f"{acting.about}, room {room_id}, revealed {counted}"
        elif acting is not None:
            acting.about = f"{acting.about}, room {room_id}, {to.value}"


@use_case(Right.FACILITATE, act="closed a room", about="line")
def close_room(
    workbench: Workbench,
    room_id: int,
    line: str = "",
    who: str = "",
    *,
    decide: bool = False,
    as_guidance: bool = False,
) -> ClosedRoom:
    """Close the room for good, with the agreed line.

    decide: the answer of more than half of the second votes becomes the decision about a text; a text without such a
    majority stays open. as_guidance: the line becomes guidance of the question, in the newest draft with the question
    or a new one.

    Raises ConflictError if it is closed, NotReadyError for a decision before the second votes are revealed, InputError
    for an invalid line.
    """
    agreed = " ".join(line.split())
    check_line(agreed, as_guidance)
    with workbench.database.read() as work:
        room, dimension_id = work.rooms.get(room_id), _dimension_of(work, room_id)
        checklist_id = work.rooms.checklist_of(room_id)
        question = asked_question(work.checklists.get(checklist_id), room.question)
    if (decide or as_guidance) and room.stage is not RoomStage.DECIDE:
        raise NotReadyError("The second votes aren't revealed yet.", "Reveal them first, or close without deciding.")
    draft, there = draft_to_edit(workbench, dimension_id, question) if as_guidance else (None, None)
    with workbench.database.write() as work:
        room = work.rooms.get(room_id, alone=True)
        if not room.open:
            raise ConflictError("This room is closed.", "Open another one, if you want to vote again.")
        found = room.majorities() if decide else {}
        standing = reference(work.decisions.of_checklist(checklist_id).get(room.question, ()))
        guided = agreed if as_guidance else ""
        for text, answer in found.items():
            if answer is not Answer.UNANSWERED and work.texts.many([text]):
                seen = standing[text].id if text in standing else None
                work.decisions.add(room.question, text, answer, who, why=agreed, seen=seen, guided=guided)
        if draft and there:
            make_guidance(work, draft, there, agreed, who, "made a room's line guidance")
        work.rooms.close(room_id, who, agreed, draft.version if draft else None)
    split = sum(answer is Answer.UNANSWERED for answer in found.values())
    return ClosedRoom(len(found) - split, split, draft.version if draft else None)


def _agreement(room: Room, round_: int) -> tuple[Agreement, float | None]:
    """Return Krippendorff's alpha over the texts and the share of pairs of votes on one text that are equal. A single
    text has no alpha, because agreement by chance can't be estimated from it."""
    said, kinds = room.said(round_), list(Answer)
    votes = np.full((len(room.members), len(room.texts)), np.nan)
    for (member, text), answer in said.items():
        votes[room.members.index(member), room.texts.index(text)] = kinds.index(answer)
    counts = np.array([(votes == number).sum(axis=0) for number in range(len(kinds))])
    given = counts.sum(axis=0)
    pairs, same = (given * (given - 1)).sum(), (counts * (counts - 1)).sum()
    found = krippendorff_alpha(votes, "nominal")
    if len(room.texts) == 1:
        found = Agreement(found.method, None, found.n, found.n_undefined, found.raters, "Alpha needs several texts.")
    return found, float(same / pairs) if pairs else None


def _dimension_of(work: UnitOfWork, room_id: int) -> int:
    return work.checklists.dimension_of(work.rooms.checklist_of(room_id))


def _self(workbench: Workbench, work: UnitOfWork, dimension_id: int, expert: str) -> str:
    """Return the expert's name if it is the caller's own, or the caller is the owner; else "", which sees only revealed
    votes."""
    if workbench.actor.person is None:
        return expert
    return expert if workbench.actor.name_in(work.projects.project_of(dimension_id).id) == expert else ""


def _with_member(work: UnitOfWork, room_id: int, expert: str) -> Room:
    """Return the room, locked for writing. Raises NotFoundError where the expert hasn't joined it."""
    room = work.rooms.get(room_id, alone=True)
    if expert not in room.lines:
        raise NotFoundError("You haven't joined this room.", "Join it first.")
    return room
