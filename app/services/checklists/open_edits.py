"""Edits of a draft that somebody typed and hasn't saved: they are saved and published together, or not at all."""

from dataclasses import dataclass

from app.domain.checklist import Question
from app.services.checklists.component_edits import Heading, edit_component_in
from app.services.checklists.draft_edits import QuestionWording, add_question_in, edit_question_in
from db.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class OpenEdits:
    """Questions as (seen, typed), components as (id, seen, typed), and a new question. False where there are none."""

    questions: tuple[tuple[Question, QuestionWording], ...] = ()
    components: tuple[tuple[int, Heading, Heading], ...] = ()
    added: QuestionWording | None = None

    def __bool__(self) -> bool:
        return bool(self.questions or self.components or self.added)


def save_open_edits(work: UnitOfWork, checklist_id: int, edits: OpenEdits, who: str) -> None:
    """Raises ConflictError where somebody changed the same meanwhile, InputError for one without words."""
    for question, wording in edits.questions:
        edit_question_in(work, question, wording, who)
    if edits.added:
        add_question_in(work, checklist_id, edits.added, who)
    for component_id, before, heading in edits.components:  # last: questions name components as they were
        edit_component_in(work, checklist_id, component_id, before, heading, who)
