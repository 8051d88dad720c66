"""Components of a draft with their key questions, as its owners edit them."""

from dataclasses import dataclass

from app.domain.checklist import Checklist, Component, Question, QuestionKind, QuestionOrigin
from app.domain.checklist_change import Change, Edit
from app.domain.people.actor import Right
from app.errors import ConflictError, InputError, NotFoundError
from app.services.checklists.draft_edits import slots_of
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from db.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands above the questions of a component: its name, what it means, and its key question ("" for none)."""

    name: str
    description: str = ""
    key_question: str = ""

    @classmethod
    def of(cls, checklist: Checklist, component: Component) -> "Heading":
        key = _key(checklist, component.name)
        return cls(component.name, component.description, key.text if key else "")

    def tidy(self) -> "Heading":
        """Each on one line. Raises InputError without a name."""
        name, description, key = (" ".join(part.split()) for part in (self.name, self.description, self.key_question))
        if not name:
            raise InputError("A component needs a name.", "Give it one of one to three words.")
        return Heading(name, description, key)


@use_case(Right.EDIT, act="edited a component of the draft")
def add_component(workbench: Workbench, checklist_id: int, new: Heading, who: str = "") -> int:
    """At the end of the draft; returns its id. Raises InputError where the name is taken."""
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
    """Save what a person made of the heading they saw. Raises ConflictError where it was changed meanwhile."""
    with workbench.database.write() as work:
        return edit_component_in(work, checklist_id, component_id, seen, new, who)


def edit_component_in(
    work: UnitOfWork, checklist_id: int, component_id: int, seen: Heading, new: Heading, who: str
) -> Change | None:
    """As `edit_component`, within a transaction."""
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
    """So many places down, up where negative, with all its questions."""
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
    """One without sub-questions goes, its key question with it. Raises InputError where it has some."""
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
    """What gives a component this key question, a new one where it has none, none where the text is empty."""
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
