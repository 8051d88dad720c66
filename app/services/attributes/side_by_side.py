"""People and LLMs side by side, blind: each expert compares set A with set B and answers six open questions."""

import random
from collections.abc import Sequence

from app.attribute_analysis.tokens import SharedKeyword, shared_keywords
from app.domain.attribute import Attribute, AttributeStatus, ContributorKind
from app.domain.expert_answer import SideBySide
from app.domain.project import Dimension
from app.domain.roles_and_rights import Right
from app.errors import ConflictError, InputError, NotReadyError
from app.services.runtime.workbench import Workbench, may, use_case
from db.unit_of_work import UnitOfWork

# The six of InteractEval's Appendix F, in our own words; {0} is the dimension.
QUESTIONS = {
    "measures": "Going by its definition, what does {0} measure? Say it in your own words.",
    "means": "How well would set A, and how well would set B, serve somebody who has to judge {0}?",
    "grain": "How fine-grained is each set: does one go into more detail than the other, and where?",
    "diversity": "How diverse is each set: which one looks at more different things?",
    "else": "What else do you notice about the two sets?",
    "differences": "Which are the three most important differences between them?",
}


@use_case(Right.TAKE_PART)
def can_compare_as_outside_expert(workbench: Workbench, dimension: Dimension, expert: str) -> bool:
    """Return whether this person has written nothing on the dimension and so could compare as an outside expert.
    Experts assigned to the dimension can't: they think aloud first, without seeing what others wrote."""
    with workbench.database.read() as work:
        return _is_outside(work, dimension, expert)


@use_case(Right.TAKE_PART, act="started a blind comparison")
def begin_side_by_side(
    workbench: Workbench, dimension: Dimension, expert: str, draw: random.Random | None = None, *, outside: bool = False
) -> SideBySide:
    """Return this expert's comparison on the dimension, a new one in random order if none was begun.

    The sets are stored as they are now, each shuffled, so that neither order nor later edits tell who said what.
    outside: a person who has written nothing on the dimension compares without thinking aloud first; attributes they
    write later count as written after others could be seen. Raises NotReadyError before the expert is done thinking
    aloud, or if people or LLMs have no attributes.
    """
    chance = draw or random.SystemRandom()
    with workbench.database.write() as work:
        begun = next((one for one in work.side_by_side.of(dimension.id) if one.expert == expert), None)
        if begun:
            return begun
        project = work.projects.project_of(dimension.id)
        who = work.think_aloud.contributor(project.id, expert, ContributorKind.HUMAN)
        outside = outside and _is_outside(work, dimension, expert)
        if not outside and not work.independence.is_done(dimension.id, who.id):
            raise NotReadyError(
                f"You are not done yet with {dimension.name}.", "Think aloud first, so that the sets don't lead you."
            )
        people, llms = _sets(work.think_aloud.attributes(project.id, dimension.id))
        if not people or not llms:
            raise NotReadyError(
                "There is no set of people and of LLMs to compare yet.", "Think aloud, and ask the LLMs, first."
            )
        chance.shuffle(people)
        chance.shuffle(llms)
        work.side_by_side.add(dimension.id, who.id, chance.random() < 0.5, people, llms)
        if outside:
            work.independence.note_seen(dimension.id, who.id)
        return next(one for one in work.side_by_side.of(dimension.id) if one.expert == expert)


def _is_outside(work: UnitOfWork, dimension: Dimension, expert: str) -> bool:
    return not work.assignments.was_given(dimension.id, expert) and not _has_written(work, dimension, expert)


def _has_written(work: UnitOfWork, dimension: Dimension, expert: str) -> bool:
    project = work.projects.project_of(dimension.id)
    theirs = work.think_aloud.attributes(project.id, contributor=expert)
    return any(dimension.name in (a.dimension, a.original_dimension) for a in theirs)


def _sets(attributes: Sequence[Attribute]) -> tuple[list[str], list[str]]:
    active = [a for a in attributes if a.status is AttributeStatus.ACTIVE]
    people = [a.text for a in active if a.kind is ContributorKind.HUMAN]
    return people, [a.text for a in active if a.kind is ContributorKind.LLM]


@use_case(Right.TAKE_PART)
def answer_side_by_side(workbench: Workbench, comparison_id: int, question: str, text: str) -> None:
    """Store one answer word for word. Raises ConflictError once the sets are revealed to the expert."""
    if question not in QUESTIONS:
        raise InputError("This is none of the six questions.", f"They are: {', '.join(QUESTIONS)}.")
    with workbench.database.write() as work:
        if work.side_by_side.get(comparison_id).revealed:
            raise ConflictError("You know already which set is whose.", "Answers stay as they were given blind.")
        work.side_by_side.answer(comparison_id, question, text.strip())


@use_case(Right.TAKE_PART, act="ended a blind comparison")
def reveal(workbench: Workbench, comparison_id: int) -> None:
    """Reveal which set is whose. Raises NotReadyError while a question is unanswered."""
    with workbench.database.write() as work:
        comparison = work.side_by_side.get(comparison_id)
        missing = sum(not comparison.answers.get(question) for question in QUESTIONS)
        if missing:
            raise NotReadyError(f"{missing} of the six questions are not answered yet.", "Answer them first.")
        work.side_by_side.reveal(comparison_id)


@use_case(Right.READ)
def side_by_sides_of(workbench: Workbench, dimension_id: int) -> list[SideBySide]:
    """Return every expert's comparison, in the order they began. For the facilitator only, since an unfinished expert
    must not see others'."""
    with workbench.database.read() as work:
        return work.side_by_side.of(dimension_id)


@use_case(Right.TAKE_PART)
def side_by_sides_seen_by(workbench: Workbench, dimension_id: int, expert: str) -> list[SideBySide]:
    """Return every expert's comparison once this expert's sets are revealed and they may see others' attributes; before
    that, []."""
    with workbench.database.read() as work:
        found = work.side_by_side.of(dimension_id)
    over = any(one.expert == expert and one.revealed for one in found)
    return found if over and may(workbench, Right.REVIEW, dimension_id=dimension_id) else []


def keywords(comparisons: Sequence[SideBySide]) -> list[SharedKeyword]:
    """Return words that at least three experts use, among those who have finished."""
    finished = [one for one in comparisons if one.revealed]
    return shared_keywords({one.expert: [text for text in one.answers.values() if text] for one in finished})
