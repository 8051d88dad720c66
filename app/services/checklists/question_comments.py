"""Comments on the questions of a checklist: what people say to each other about them. No prompt holds them."""

from collections.abc import Mapping, Sequence

from app.domain.people.actor import Right
from app.domain.questions.question_comment import LONGEST_COMMENT, QuestionComment
from app.errors import InputError
from app.services.checklists.expert_answers import unfinished_sheet
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench


@use_case(Right.REVIEW)
def comments_on(workbench: Workbench, checklist_id: int) -> Mapping[int, Sequence[QuestionComment]]:
    """Question -> its comments, oldest first, those of earlier versions of it too; for an expert who has still to
    answer their own alone, since others say there how they answer."""
    with workbench.database.read() as work:
        found = work.question_comments.of_checklist(checklist_id)
    name = _still_answering(workbench, checklist_id)
    if not name:
        return found
    own = {question: [one for one in said if one.who == name] for question, said in found.items()}
    return {question: said for question, said in own.items() if said}


@use_case(Right.REVIEW)
def sees_all_comments(workbench: Workbench, checklist_id: int) -> bool:
    """False for an expert who has still to answer texts on the dimension."""
    return not _still_answering(workbench, checklist_id)


def _still_answering(workbench: Workbench, checklist_id: int) -> str:
    """The name of the expert who is there and has unanswered texts; "" for everybody else."""
    with workbench.database.read() as work:
        dimension_id = work.checklists.dimension_of(checklist_id)
        name = workbench.actor.expert_in(work.projects.project_of(dimension_id).id)
    return name if name and unfinished_sheet(workbench, dimension_id, name) else ""


@use_case(Right.EDIT, act="commented on a question", about="text")
def comment_on(workbench: Workbench, question_id: int, text: str, who: str = "") -> None:
    """Of a draft or a published version. Raises InputError for nothing or for too much, NotFoundError."""
    said = text.strip()
    if not said:
        raise InputError("There is nothing in the comment.", "Write what others should know about this question.")
    if len(said) > LONGEST_COMMENT:
        raise InputError(
            f"The comment has {len(said):,} characters; {LONGEST_COMMENT:,} are the most.", "Say it in fewer words."
        )
    with workbench.database.write() as work:
        work.question_comments.add(question_id, who, said)


@use_case(Right.EDIT, act="settled a comment")
def settle_comment(workbench: Workbench, comment_id: int, resolved: bool, who: str = "") -> None:
    """Resolve it, or open it again; both stay on record. Raises NotFoundError."""
    with workbench.database.write() as work:
        work.question_comments.settle(comment_id, "resolved" if resolved else "reopened", who)
