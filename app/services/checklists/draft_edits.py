"""Edits of a checklist's draft, including unsaved ones, with undo."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace

from app.domain.checklist import (
    Change,
    Checklist,
    Component,
    Edit,
    Example,
    Kind,
    Question,
    QuestionKind,
    QuestionOrigin,
)
from app.domain.checklist_score import Answer, inconsistent_grades
from app.domain.roles_and_rights import Right
from app.errors import ConflictError, InputError, NotFoundError, RepeatedError
from app.export.checklist_reading import read_examples
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import UnitOfWork

BY_HAND = "added by hand"


@dataclass(frozen=True, slots=True)
class QuestionWording:
    """The fields of a question that a person can edit. `component` is a component's name, "" for none; other fields as
    in `Question`."""

    text: str
    component: str = ""
    guidance: str = ""
    weight: float = 1.0
    may_not_apply: bool = False
    must_not: bool = False
    cap: float | None = None
    grade: str = ""

    @classmethod
    def of(cls, question: Question) -> "QuestionWording":
        return cls(**{field.name: getattr(question, field.name) for field in fields(cls)})

    def with_example(self, quote: str) -> "QuestionWording":
        """Return the wording with the quote as an example in the guidance, unless it is there already."""
        said = f"“{' '.join(quote.split())}”"
        return self if said in self.guidance else replace(self, guidance=f"{self.guidance} For example: {said}".strip())

    def tidy(self) -> "QuestionWording":
        """Return the question on one line. Raises InputError without text or with an invalid weight."""
        text = " ".join(self.text.split())
        if not text:
            raise InputError("A question can't be empty.", "Write one that is answered yes or no, or remove it.")
        if not math.isfinite(self.weight) or self.weight < 0:
            raise InputError(f"{self.weight:g} is not a weight.", "Give 0 or more; 1 counts like every other question.")
        if self.cap is not None and not math.isfinite(self.cap):
            raise InputError(f"{self.cap:g} is no score.", "Give the most that a text gets which fails this question.")
        return replace(
            self,
            text=text,
            guidance=" ".join(self.guidance.split()),
            weight=float(self.weight),
            cap=None if self.cap is None else float(self.cap),
            grade=" ".join(self.grade.split()),
        )


@use_case(Right.EDIT, act="added a question")
def add_question(workbench: Workbench, checklist_id: int, new: QuestionWording, who: str = "") -> int:
    """Add a person's question at the end of its component; returns its id.

    Raises RepeatedError if the checklist asks it already, in the same words.
    """
    with workbench.database.write() as work:
        return add_question_in(work, checklist_id, new, who)


def add_question_in(work: UnitOfWork, checklist_id: int, new: QuestionWording, who: str) -> int:
    """Add a question within a transaction, as `add_question` does."""
    checklist = work.checklists.get(checklist_id)
    text = new.tidy().text.casefold()
    there = next((q for q in checklist.questions if q.kind is QuestionKind.SUB and q.text.casefold() == text), None)
    if there is not None:
        raise RepeatedError(f"“{there.text}” is in the checklist already.", "Edit it there, or switch it on.")
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
    """Add a hidden question; returns its id and the edit that shows it."""
    wording = new.tidy()
    _check_cap(work, checklist, wording.cap)
    placed = place_in(checklist, wording.component)
    question_id = work.drafts.add_question(checklist.id, wording.text, QuestionKind.SUB, position)
    shown = {"guidance": wording.guidance, "weight": wording.weight, "removed": False, **placed}
    plain = QuestionWording("")
    marks = ("may_not_apply", "must_not", "cap", "grade")
    shown |= {mark: getattr(wording, mark) for mark in marks if getattr(wording, mark) != getattr(plain, mark)}
    told = {"reason": reason, "origin": origin.value, "attributes": list(attributes)}
    return question_id, Edit("question", question_id, shown | told)


@use_case(Right.EDIT, act="reworded a question", about="seen")
def edit_question(workbench: Workbench, seen: Question, new: QuestionWording, who: str = "") -> Change | None:
    """Save a person's edit of the question they saw; None if nothing changes.

    Raises ConflictError if somebody else changed the same field meanwhile, InputError for an empty wording.
    """
    with workbench.database.write() as work:
        return edit_question_in(work, seen, new, who)


def edit_question_in(work: UnitOfWork, seen: Question, new: QuestionWording, who: str) -> Change | None:
    """Edit a question within a transaction, as `edit_question` does."""
    wording, before = new.tidy(), QuestionWording.of(seen)
    checklist = work.checklists.get(work.drafts.draft_of("question", seen.id))
    now = question_in(checklist, seen.id)
    if now is None:
        raise ConflictError(f"{_who_changed(work, checklist.id, seen.id)} removed this question meanwhile.")
    current, values = QuestionWording.of(now), dict[str, object]()
    _check_cap(work, checklist, wording.cap)
    for field in (each.name for each in fields(QuestionWording)):
        mine, theirs, was = (getattr(w, field) for w in (wording, current, before))
        if mine in (was, theirs):
            continue
        if theirs != was:
            raise ConflictError(f"{_who_changed(work, checklist.id, seen.id)} changed this question meanwhile.")
        values |= place_in(checklist, mine) if field == "component" else {field: mine}
    if "text" in values and now.origin is QuestionOrigin.GENERATED:
        values["origin"] = QuestionOrigin.EDITED.value
    return work.drafts.change(checklist.id, who, _said(values), [Edit("question", seen.id, values)])


@use_case(Right.EDIT, act="wrote a question's examples", about="seen")
def write_examples(workbench: Workbench, seen: Question, examples: Sequence[Example], who: str = "") -> Change | None:
    """Replace the examples of the question that a person saw; an empty list removes them.

    Raises ConflictError if they were changed meanwhile, InputError if they are too many, too long, not balanced (at
    least two different answers, whose counts differ by at most one), or contradict those of another threshold.
    """
    written = read_examples("the question", [asdict(example) for example in examples])
    with workbench.database.write() as work:
        checklist = work.checklists.get(work.drafts.draft_of("question", seen.id))
        now = question_in(checklist, seen.id)
        if now is None or now.examples != seen.examples:
            raise ConflictError(f"{_who_changed(work, checklist.id, seen.id)} changed this question meanwhile.")
        _check_balance(now, written)
        _check_grade(checklist, replace(now, examples=written))
        what = "wrote examples" if written else "removed examples"
        edit = Edit("question", seen.id, {"examples": [asdict(example) for example in written]})
        return work.drafts.change(checklist.id, who, what, [edit])


def _check_balance(question: Question, examples: Sequence[Example]) -> None:
    counts = Counter(example.answer for example in examples)
    if Answer.NOT_APPLICABLE.value in counts and not question.may_not_apply:
        raise InputError("“Does not apply” is no answer to this question.", "Answer its examples with yes or no.")
    if examples and (len(counts) < 2 or max(counts.values()) - min(counts.values()) > 1):
        raise InputError("The examples are not balanced.", "Give as many that are answered yes as are answered no.")
    if len({example.text for example in examples}) < len(examples):
        raise InputError("Two examples have the same text.", "Give each example another text.")


def _check_grade(checklist: Checklist, changed: Question) -> None:
    """Raise InputError if an example fails a threshold and meets a higher one."""
    thresholds = [changed if one.id == changed.id else one for one in checklist.grades.get(changed.grade, ())]
    by_text: dict[str, list[tuple[Question, Answer]]] = {}
    for threshold in thresholds:
        for example in threshold.examples:
            by_text.setdefault(example.text, []).append((threshold, Answer(example.answer)))
    if any(inconsistent_grades(*zip(*answered, strict=True)) for answered in by_text.values()):
        raise InputError(
            f"An example fails one threshold of “{changed.grade}” and meets a higher one.",
            "Give the text the same answer at both, or another text.",
        )


def _check_cap(work: UnitOfWork, checklist: Checklist, cap: float | None) -> None:
    dimension = work.projects.dimension_by_id(work.checklists.dimension_of(checklist.id))
    if cap is not None and not dimension.low <= cap < dimension.high:
        raise InputError(
            f"{cap:g} caps no score from {dimension.low:g} to {dimension.high:g}.",
            f"Give {dimension.low:g} or more, and less than {dimension.high:g}.",
        )


@use_case(Right.EDIT, act="switched a question on or off")
def switch_question(workbench: Workbench, question_id: int, on: bool, who: str = "") -> Change | None:
    """Set whether the judge is asked the question."""
    with workbench.database.write() as work:
        edit = Edit("question", question_id, {"enabled": on})
        checklist_id = work.drafts.draft_of("question", question_id)
        return work.drafts.change(checklist_id, who, f"switched a question {'on' if on else 'off'}", [edit])


@use_case(Right.EDIT, act="removed a question", about="seen")
def remove_question(workbench: Workbench, seen: Question, who: str = "") -> Change | None:
    """Remove a question from the draft; it stays on record. Raises ConflictError if it has changed since the person saw
    it."""
    with workbench.database.write() as work:
        checklist = work.checklists.get(work.drafts.draft_of("question", seen.id))
        now = question_in(checklist, seen.id)
        if now is not None and QuestionWording.of(now) != QuestionWording.of(seen):
            raise ConflictError(f"{_who_changed(work, checklist.id, seen.id)} changed this question meanwhile.")
        edit = Edit("question", seen.id, {"removed": True})
        return work.drafts.change(checklist.id, who, "removed a question", [edit])


@use_case(Right.EDIT, act="restored a question")
def restore_question(workbench: Workbench, question_id: int, who: str = "") -> Change | None:
    """Restore a removed question unchanged."""
    with workbench.database.write() as work:
        edit = Edit("question", question_id, {"removed": False})
        return work.drafts.change(work.drafts.draft_of("question", question_id), who, "restored a question", [edit])


@use_case(Right.EDIT, act="moved a question")
def move_question(workbench: Workbench, question_id: int, by: int, who: str = "") -> Change | None:
    """Move a question `by` places down within its component (up if negative), at most to the end."""
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
    """Return sorted positions that are all different, for reordering the items at these positions."""
    ordered = sorted(positions)
    return ordered if len(set(ordered)) == len(ordered) else list(range(ordered[0], ordered[0] + len(ordered)))


def question_in(checklist: Checklist, question_id: int) -> Question | None:
    return next((q for q in checklist.questions if q.id == question_id), None)


def place_in(checklist: Checklist, component: str) -> dict[str, object]:
    """Return the fields that put a question under a component and its key question. Raises NotFoundError."""
    if not component:
        return {"component_id": None, "parent_id": None}
    found = next((c for c in checklist.components if c.name == component), None)
    if found is None:
        names = ", ".join(c.name for c in checklist.components)
        raise NotFoundError(f"There is no component “{component}”.", f"There are: {names}." if names else "")
    key = next((q for q in checklist.questions if q.kind is QuestionKind.KEY and q.component == component), None)
    return {"component_id": found.id, "parent_id": key.id if key else None}


def _who_changed(work: UnitOfWork, checklist_id: int, question_id: int) -> str:
    """Return who changed the question last."""
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
    """Return a phrase for a change, by its most important field."""
    return next((said for field, said in _SAID.items() if field in values), "edited a question")


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a component: its name, its description, and its key question ("" for none)."""

    name: str
    description: str = ""
    key_question: str = ""

    @classmethod
    def of(cls, checklist: Checklist, component: Component) -> "Heading":
        key = _key(checklist, component.name)
        return cls(component.name, component.description, key.text if key else "")

    def tidy(self) -> "Heading":
        """Return the heading with each part on one line. Raises InputError without a name."""
        name, description, key = (" ".join(part.split()) for part in (self.name, self.description, self.key_question))
        if not name:
            raise InputError("A component needs a name.", "Give it one of one to three words.")
        return Heading(name, description, key)


@use_case(Right.EDIT, act="edited a component of the draft")
def add_component(workbench: Workbench, checklist_id: int, new: Heading, who: str = "") -> int:
    """Add a component at the end of the draft; returns its id. Raises InputError if the name is taken."""
    heading = new.tidy()
    with workbench.database.write() as work:
        checklist = work.checklists.get(checklist_id)
        _refuse_taken(checklist, heading.name)
        position = max((c.position for c in checklist.components), default=-1) + 1
        component_id = work.drafts.add_component(checklist_id, heading.name, position)
        edits = [Edit("component", component_id, {"description": heading.description, "removed": False})]
        edits += _key_edits(work, checklist, component_id, "", heading.key_question)
        work.drafts.change(checklist_id, who, "added a component", edits)
        return component_id


@use_case(Right.EDIT, act="edited a component of the draft")
def edit_component(
    workbench: Workbench, checklist_id: int, component_id: int, seen: Heading, new: Heading, who: str = ""
) -> Change | None:
    """Save a person's edit of the heading they saw. Raises ConflictError if it was changed meanwhile."""
    with workbench.database.write() as work:
        return edit_component_in(work, checklist_id, component_id, seen, new, who)


def edit_component_in(
    work: UnitOfWork, checklist_id: int, component_id: int, seen: Heading, new: Heading, who: str
) -> Change | None:
    """Edit a component within a transaction, as `edit_component` does."""
    heading = new.tidy()
    checklist = work.checklists.get(checklist_id)
    component = _component(checklist, component_id)
    if Heading.of(checklist, component) != seen:
        raise ConflictError("Somebody else changed this component meanwhile.", "Look at what it says now.")
    if heading.name != component.name:
        _refuse_taken(checklist, heading.name)
    edits = [Edit("component", component_id, {"name": heading.name, "description": heading.description})]
    if heading.key_question != seen.key_question:
        edits += _key_edits(work, checklist, component_id, component.name, heading.key_question)
    return work.drafts.change(checklist_id, who, "edited a component", edits)


@use_case(Right.EDIT, act="edited a component of the draft")
def move_component(workbench: Workbench, checklist_id: int, component_id: int, by: int, who: str = "") -> Change | None:
    """Move a component with its questions `by` places down (up if negative)."""
    with workbench.database.write() as work:
        checklist = work.checklists.get(checklist_id)
        _component(checklist, component_id)
        order = [c.id for c in checklist.components]
        place = order.index(component_id)
        order.insert(min(max(place + by, 0), len(order) - 1), order.pop(place))
        slots = slots_of([c.position for c in checklist.components])
        edits = [Edit("component", id_, {"position": slot}) for id_, slot in zip(order, slots, strict=True)]
        return work.drafts.change(checklist_id, who, "moved a component", edits)


@use_case(Right.EDIT, act="edited a component of the draft")
def remove_component(workbench: Workbench, checklist_id: int, component_id: int, who: str = "") -> Change | None:
    """Remove a component without sub-questions, with its key question. Raises InputError if it has sub-questions."""
    with workbench.database.write() as work:
        checklist = work.checklists.get(checklist_id)
        component = _component(checklist, component_id)
        own = [q for q in checklist.questions if q.component == component.name]
        if any(q.kind is QuestionKind.SUB for q in own):
            raise InputError(f"“{component.name}” still has questions.", "Move or remove them first.")
        edits = [Edit("component", component_id, {"removed": True})]
        edits += [Edit("question", key.id, {"removed": True}) for key in own]
        return work.drafts.change(checklist_id, who, "removed a component", edits)


def _component(checklist: Checklist, component_id: int) -> Component:
    found = next((c for c in checklist.components if c.id == component_id), None)
    if found is None:
        raise NotFoundError("This component is no longer there.", "Reload the page.")
    return found


def _refuse_taken(checklist: Checklist, name: str) -> None:
    if name.casefold() in {c.name.casefold() for c in checklist.components}:
        raise InputError(f"There is a component “{name}” already.", "Choose another name.")


def _key(checklist: Checklist, component: str) -> Question | None:
    return next((q for q in checklist.questions if q.kind is QuestionKind.KEY and q.component == component), None)


def _key_edits(work: UnitOfWork, checklist: Checklist, component_id: int, component: str, text: str) -> list[Edit]:
    """Return the edits that give a component this key question, added if missing; an empty text removes it."""
    key = _key(checklist, component) if component else None
    if key is not None:
        values = {"text": text, "origin": QuestionOrigin.EDITED.value} if text else {"removed": True}
        return [Edit("question", key.id, values)]
    if not text:
        return []
    position = max((q.position for q in checklist.questions), default=-1) + 1
    key_id = work.drafts.add_question(checklist.id, text, QuestionKind.KEY, position)
    own = [q for q in checklist.questions if component and q.component == component and q.kind is QuestionKind.SUB]
    shown = {"component_id": component_id, "removed": False}
    return [Edit("question", key_id, shown), *(Edit("question", q.id, {"parent_id": key_id}) for q in own)]


@dataclass(frozen=True, slots=True)
class OpenEdits:
    """Unsaved edits: questions as (seen, typed), components as (id, seen, typed), and a new question. False if
    empty."""

    questions: tuple[tuple[Question, QuestionWording], ...] = ()
    components: tuple[tuple[int, Heading, Heading], ...] = ()
    added: QuestionWording | None = None

    def __bool__(self) -> bool:
        return bool(self.questions or self.components or self.added)


def save_open_edits(work: UnitOfWork, checklist_id: int, edits: OpenEdits, who: str) -> None:
    """Save unsaved edits. Raises ConflictError if somebody changed the same meanwhile, InputError for an empty
    wording."""
    for question, wording in edits.questions:
        edit_question_in(work, question, wording, who)
    if edits.added:
        add_question_in(work, checklist_id, edits.added, who)
    for component_id, before, heading in edits.components:  # last: questions name components as they were
        edit_component_in(work, checklist_id, component_id, before, heading, who)


@use_case(Right.REVIEW)
def history_of(workbench: Workbench, checklist_id: int) -> list[Change]:
    """Return every change of a draft, newest first, with undone ones."""
    with workbench.database.read() as work:
        return work.drafts.history(checklist_id)


@use_case(Right.REVIEW)
def words_of(workbench: Workbench, checklist_id: int) -> dict[tuple[Kind, int], str]:
    """Return (kind, id) -> current wording or name of each question and component of a draft, with removed ones."""
    with workbench.database.read() as work:
        return work.drafts.words(checklist_id)


def last_change(history: list[Change], who: str) -> Change | None:
    """Return the change that this person would undo next: the newest of their own that isn't undone."""
    return next((c for c in history if c.who == who and not c.undone and c.undoes is None), None)


@use_case(Right.EDIT, act="undid an edit of the draft")
def undo(workbench: Workbench, checklist_id: int, change_id: int, who: str = "") -> Change | None:
    """Undo one change. Raises ConflictError if the same field was changed since, NotFoundError if it was undone
    already."""
    with workbench.database.write() as work:
        change = next((c for c in work.drafts.history(checklist_id) if c.id == change_id), None)
        if change is None or change.undone:
            raise NotFoundError("This change is undone already.", "Reload the page.")
        return work.drafts.undo(checklist_id, change, who)
