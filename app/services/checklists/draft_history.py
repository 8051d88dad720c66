"""History of a draft: what was done, by whom and when; and taking it back."""

from app.domain.checklist_change import Change, Kind
from app.domain.people.actor import Right
from app.errors import NotFoundError
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench


@use_case(Right.REVIEW)
def history_of(workbench: Workbench, checklist_id: int) -> list[Change]:
    """Every change of a draft, newest first; those taken back stay on record."""
    with workbench.database.read() as work:
        return work.drafts.history(checklist_id)


@use_case(Right.REVIEW)
def words_of(workbench: Workbench, checklist_id: int) -> dict[tuple[Kind, int], str]:
    """What each question of a draft says and each component is called now, those removed included."""
    with workbench.database.read() as work:
        return work.drafts.words(checklist_id)


def last_change(history: list[Change], who: str) -> Change | None:
    """What this person would take back next: the newest of their own changes that stands."""
    return next((c for c in history if c.who == who and not c.undone and c.undoes is None), None)


@use_case(Right.EDIT, act="took an edit of the draft back")
def undo(workbench: Workbench, checklist_id: int, change_id: int, who: str = "") -> Change | None:
    """Take one change back. Raises ConflictError where the same was changed again since, NotFoundError."""
    with workbench.database.write() as work:
        change = next((c for c in work.drafts.history(checklist_id) if c.id == change_id), None)
        if change is None or change.undone:
            raise NotFoundError("This change was taken back already.", "Reload the page.")
        return work.drafts.undo(checklist_id, change, who)
