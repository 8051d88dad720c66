"""Questions of a draft as its owners edit them: each edit is saved at once and stands in the draft's history.

Several people may edit one draft. Who saves says what they saw; what somebody else changed meanwhile is never written
over, but refused with a word on who changed it and when.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.domain.checklist import Checklist, Question, QuestionKind, QuestionOrigin
from app.domain.checklist_change import Change, Edit
from app.domain.people.actor import Right
from app.errors import ConflictError, InputError, NotFoundError
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from db.unit_of_work import UnitOfWork

BY_HAND = "added by hand"


@dataclass(frozen=True, slots=True)
class QuestionWording:
    """What a person says of a question. `component` is a component's name, "" for none; `may_not_apply`: "does not
    apply" is an answer to it."""

    text: str
    component: str = ""
    guidance: str = ""
    weight: float = 1.0
    may_not_apply: bool = False

    @classmethod
    def of(cls, question: Question) -> "QuestionWording":
        return cls(question.text, question.component, question.guidance, question.weight, question.may_not_apply)

    def tidy(self) -> "QuestionWording":
        """On one line. Raises InputError without text or with a weight that is none."""
        text = " ".join(self.text.split())
        if not text:
            raise InputError("A question can't be empty.", "Write one that is answered yes or no, or remove it.")
        if not math.isfinite(self.weight) or self.weight < 0:
            raise InputError(f"{self.weight:g} is not a weight.", "Give 0 or more; 1 counts like every other question.")
        return replace(self, text=text, guidance=" ".join(self.guidance.split()), weight=float(self.weight))


@use_case(Right.EDIT, act="added a question")
def add_question(workbench: Workbench, checklist_id: int, new: QuestionWording, who: str = "") -> int:
    """A question in a person's own words, at the end of its component; returns its id."""
    with workbench.database.write() as work:
        return add_question_in(work, checklist_id, new, who)


def add_question_in(work: UnitOfWork, checklist_id: int, new: QuestionWording, who: str) -> int:
    """As `add_question`, within a transaction."""
    checklist = work.checklists.get(checklist_id)
    last = max((q.position for q in checklist.questions), default=-1)
    question_id, edit = new_question(work, checklist, new, last + 1, BY_HAND)
    work.drafts.change(checklist_id, who, "added a question", [edit])
    return question_id


def new_question(
    work: UnitOfWork,
    checklist: Checklist,
    new: QuestionWording,
    position: int,
    reason: str,
    origin: QuestionOrigin = QuestionOrigin.ADDED,
    attributes: Sequence[int] = (),
) -> tuple[int, Edit]:
    """A question nobody sees yet, and the edit that shows it."""
    wording = new.tidy()
    placed = place_in(checklist, wording.component)
    question_id = work.drafts.add_question(checklist.id, wording.text, QuestionKind.SUB, position)
    shown = {"guidance": wording.guidance, "weight": wording.weight, "removed": False, **placed}
    if wording.may_not_apply:
        shown["may_not_apply"] = True
    told = {"reason": reason, "origin": origin.value, "attributes": list(attributes)}
    return question_id, Edit("question", question_id, shown | told)


@use_case(Right.EDIT, act="reworded a question", about="seen")
def edit_question(workbench: Workbench, seen: Question, new: QuestionWording, who: str = "") -> Change | None:
    """Save what a person made of the question they saw; None where that changes nothing.

    Raises ConflictError where somebody else changed the same part of it meanwhile, InputError for an empty wording.
    """
    with workbench.database.write() as work:
        return edit_question_in(work, seen, new, who)


def edit_question_in(work: UnitOfWork, seen: Question, new: QuestionWording, who: str) -> Change | None:
    """As `edit_question`, within a transaction."""
    wording, before = new.tidy(), QuestionWording.of(seen)
    checklist = work.checklists.get(work.drafts.draft_of("question", seen.id))
    now = question_in(checklist, seen.id)
    if now is None:
        raise ConflictError(f"{_who_changed(work, checklist.id, seen.id)} removed this question meanwhile.")
    current, values = QuestionWording.of(now), dict[str, object]()
    for field in ("text", "component", "guidance", "weight", "may_not_apply"):
        mine, theirs, was = (getattr(w, field) for w in (wording, current, before))
        if mine in (was, theirs):
            continue
        if theirs != was:
            raise ConflictError(f"{_who_changed(work, checklist.id, seen.id)} changed this question meanwhile.")
        values |= place_in(checklist, mine) if field == "component" else {field: mine}
    if "text" in values and now.origin is QuestionOrigin.GENERATED:
        values["origin"] = QuestionOrigin.EDITED.value
    return work.drafts.change(checklist.id, who, _said(values), [Edit("question", seen.id, values)])


@use_case(Right.EDIT, act="switched a question")
def switch_question(workbench: Workbench, question_id: int, on: bool, who: str = "") -> Change | None:
    """Whether the judge is asked it."""
    with workbench.database.write() as work:
        edit = Edit("question", question_id, {"enabled": on})
        checklist_id = work.drafts.draft_of("question", question_id)
        return work.drafts.change(checklist_id, who, f"switched a question {'on' if on else 'off'}", [edit])


@use_case(Right.EDIT, act="removed a question", about="seen")
def remove_question(workbench: Workbench, seen: Question, who: str = "") -> Change | None:
    """Out of the draft; it stays on record. Raises ConflictError where it isn't what the person saw any more."""
    with workbench.database.write() as work:
        checklist = work.checklists.get(work.drafts.draft_of("question", seen.id))
        now = question_in(checklist, seen.id)
        if now is not None and QuestionWording.of(now) != QuestionWording.of(seen):
            raise ConflictError(f"{_who_changed(work, checklist.id, seen.id)} changed this question meanwhile.")
        edit = Edit("question", seen.id, {"removed": True})
        return work.drafts.change(checklist.id, who, "removed a question", [edit])


@use_case(Right.EDIT, act="put a question back")
def put_back(workbench: Workbench, question_id: int, who: str = "") -> Change | None:
    """A removed question returns as it was."""
    with workbench.database.write() as work:
        edit = Edit("question", question_id, {"removed": False})
        return work.drafts.change(work.drafts.draft_of("question", question_id), who, "put a question back", [edit])


@use_case(Right.EDIT, act="moved a question")
def move_question(workbench: Workbench, question_id: int, by: int, who: str = "") -> Change | None:
    """So many places down among the questions of its component, up where negative; as far as there are places."""
    with workbench.database.write() as work:
        checklist = work.checklists.get(work.drafts.draft_of("question", question_id))
        moved = question_in(checklist, question_id)
        if moved is None:
            raise NotFoundError("This question is no longer there.", "Reload the page.")
        beside = [q for q in checklist.questions if (q.kind, q.component) == (moved.kind, moved.component)]
        order = [q.id for q in beside]
        place = order.index(question_id)
        order.insert(min(max(place + by, 0), len(order) - 1), order.pop(place))
        slots = slots_of([q.position for q in beside])
        edits = [Edit("question", id_, {"position": slot}) for id_, slot in zip(order, slots, strict=True)]
        return work.drafts.change(checklist.id, who, "moved a question", edits)


def slots_of(positions: Sequence[int]) -> list[int]:
    """The places these things take together, in order and all different."""
    ordered = sorted(positions)
    return ordered if len(set(ordered)) == len(ordered) else list(range(ordered[0], ordered[0] + len(ordered)))


def question_in(checklist: Checklist, question_id: int) -> Question | None:
    return next((q for q in checklist.questions if q.id == question_id), None)


def place_in(checklist: Checklist, component: str) -> dict[str, object]:
    """The fields that put a question under a component and its key question. Raises NotFoundError."""
    if not component:
        return {"component_id": None, "parent_id": None}
    found = next((c for c in checklist.components if c.name == component), None)
    if found is None:
        names = ", ".join(c.name for c in checklist.components)
        raise NotFoundError(f"There is no component “{component}”.", f"There are: {names}." if names else "")
    key = next((q for q in checklist.questions if q.kind is QuestionKind.KEY and q.component == component), None)
    return {"component_id": found.id, "parent_id": key.id if key else None}


def _who_changed(work: UnitOfWork, checklist_id: int, question_id: int) -> str:
    """Who touched the question last; when that was stands in the history, in the reader's own time."""
    for change in work.drafts.history(checklist_id):
        if any((step.kind, step.id) == ("question", question_id) for step in change.steps):
            return change.who or "Somebody without a name"
    return "Somebody"


_SAID = {
    "text": "reworded a question",
    "guidance": "changed how to decide a question",
    "weight": "changed the weight of a question",
    "component_id": "moved a question to another component",
    "may_not_apply": "changed whether a question may not apply",
}


def _said(values: dict[str, object]) -> str:
    """What was done, by the part of it that matters most."""
    return next((said for field, said in _SAID.items() if field in values), "edited a question")
