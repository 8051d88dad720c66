"""Assignments of experts to dimensions and texts, and how far they are."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.corpora.draws import check_overlap
from app.domain.attribute import ContributorKind
from app.domain.checklist_score import Answer
from app.domain.expert_answer import AnswerDraw, AnswerSet
from app.domain.project import Dimension
from app.domain.roles_and_rights import Right, Role
from app.domain.storable_text import quoted
from app.errors import InputError, NotFoundError, NotReadyError
from app.services.people.text_shares import answered_texts, distribute_texts, experts_on, restore_shares
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import UnitOfWork

_NO_DRAW = "No texts are drawn yet for experts to answer on {}."


@dataclass(frozen=True, slots=True)
class SharedTexts:
    """The sharing of a dimension's drawn texts. `overlap`: number of experts for each text, 0 for all experts.

    unanswered: expert -> number of their texts without all answers, including former members. short: number of texts
    with fewer experts than `overlap`. without: experts of the dimension without texts.
    """

    dimension: Dimension
    texts: int
    overlap: int
    experts: tuple[str, ...]
    unanswered: Mapping[str, int]
    short: int
    without: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MovedTexts:
    """The result of moving texts. `moved` texts went to the other expert; `left` stayed, because the other one has them
    too."""

    moved: int
    left: int


@use_case(Right.FACILITATE, act="gave dimensions to an expert", about="name")
def give_dimensions(workbench: Workbench, project_id: int, name: str, dimension_ids: Sequence[int]) -> None:
    """Set the dimensions that an expert thinks aloud about and answers, replacing earlier ones; [] for all.

    Attributes on other dimensions stay. Raises NotFoundError if the name is no expert of the project, InputError for
    another project's dimension.
    """
    with workbench.database.write() as work:
        _check_expert(work, project_id, name)
        if not set(dimension_ids) <= {one.id for one in work.projects.dimensions(project_id)}:
            raise InputError("A dimension isn't this project's.", "Reload the page.")
        who = work.think_aloud.contributor(project_id, name, ContributorKind.HUMAN)
        work.assignments.assign_dimensions(who.id, set(dimension_ids))


@use_case(Right.FACILITATE)
def given_dimensions(workbench: Workbench, project_id: int) -> dict[str, list[Dimension]]:
    """Return expert -> assigned dimensions. An expert who isn't listed has all."""
    with workbench.database.read() as work:
        dimensions = work.projects.dimensions(project_id)
        given = work.assignments.given(project_id)
    return {name: [one for one in dimensions if one.id in theirs] for name, theirs in given.items()}


@use_case(Right.TAKE_PART)
def is_assigned(workbench: Workbench, dimension_id: int, expert: str) -> bool:
    """Return whether the dimension is assigned to this expert, or none is (which means all)."""
    with workbench.database.read() as work:
        return work.assignments.is_assigned(dimension_id, expert)


@use_case(Right.FACILITATE)
def overlap_of(workbench: Workbench, checklist_id: int) -> int:
    """Return how many experts answer each text of this version; 0 for all experts."""
    with workbench.database.read() as work:
        draw = work.expert_answers.draw_of(checklist_id)
        everybody = draw is not None and not work.assignments.shares(draw.id)
        return 0 if everybody else work.assignments.overlap(work.checklists.dimension_of(checklist_id))


@use_case(Right.FACILITATE, act="shared texts among experts", about="overlap")
def share_texts(workbench: Workbench, dimension_id: int, overlap: int) -> SharedTexts:
    """Assign each drawn text of the dimension, now and later, to `overlap` experts, spread evenly; 0 for all experts.

    Drawn texts that nobody has begun are spread again; the others keep their experts. Raises InputError for more
    experts than the dimension has.
    """
    with workbench.database.write() as work:
        draw = work.expert_answers.newest_draw(dimension_id)
        if overlap:
            check_overlap(overlap, len(experts_on(work, dimension_id)))
        work.assignments.set_overlap(dimension_id, overlap)
        if draw and overlap:
            distribute_texts(work, draw, dimension_id, draw.texts, overlap)
        elif draw:
            work.assignments.remove_shares(draw.id)
        return _shared(work, work.projects.dimension_by_id(dimension_id), draw)


@use_case(Right.FACILITATE, act="moved unanswered texts", about="giver taker")
def move_texts(workbench: Workbench, dimension_id: int, giver: str, taker: str) -> MovedTexts:
    """Assign one expert's texts without all answers to another expert. Answers keep their author, and a text that the
    first expert has begun also stays on their sheet.

    Raises NotReadyError if all experts answer every text, NotFoundError if a name is no expert of the project,
    InputError if nothing can be moved.
    """
    with workbench.database.write() as work:
        name = work.projects.dimension_by_id(dimension_id).name
        draw = work.expert_answers.newest_draw(dimension_id)
        if draw is None:
            raise NotReadyError(_NO_DRAW.format(name), "Draw them first.")
        shares = work.assignments.shares(draw.id)
        if not shares:
            raise NotReadyError(
                f"Everybody answers every text of {name}, so there is nothing to move.",
                "Say first how many experts answer each text.",
            )
        project, dimension = work.projects.project_of(dimension_id), work.projects.dimension_by_id(dimension_id)
        _check_expert(work, project.id, taker)
        if giver == taker:
            raise InputError(f"{quoted(giver)} has these texts already.", "Move them to somebody else.")
        if not work.assignments.is_assigned(dimension_id, taker):
            raise InputError(
                f"{dimension.name} isn't among what {quoted(taker)} does.", "Give them the dimension first."
            )
        answered = answered_texts(work, draw)
        unanswered = [t for t in draw.texts if giver in shares.get(t, ()) and giver not in answered.whole.get(t, ())]
        if not unanswered:
            raise InputError(f"{quoted(giver)} has no unanswered text of {name}.", "There is nothing to move.")
        free = [t for t in unanswered if taker not in shares[t] | answered.begun.get(t, frozenset())]
        if not free:
            raise InputError(
                f"{quoted(taker)} has all {len(unanswered)} unanswered texts of {quoted(giver)} already.",
                "Move them to somebody else.",
            )
        restore_shares(work, draw, dimension_id, {text: (shares[text] - {giver}) | {taker} for text in free})
        return MovedTexts(len(free), len(unanswered) - len(free))


@use_case(Right.FACILITATE)
def shared_texts(workbench: Workbench, project_id: int) -> list[SharedTexts]:
    """Return the sharing of each dimension that has a draw or a number of experts for texts."""
    with workbench.database.read() as work:
        found = [(one, work.expert_answers.newest_draw(one.id)) for one in work.projects.dimensions(project_id)]
        return [_shared(work, one, draw) for one, draw in found if draw or work.assignments.overlap(one.id)]


def _shared(work: UnitOfWork, dimension: Dimension, draw: AnswerDraw | None) -> SharedTexts:
    overlap, experts = work.assignments.overlap(dimension.id), experts_on(work, dimension.id)
    shares = work.assignments.shares(draw.id) if draw else {}
    unanswered: dict[str, int] = {}
    if draw is None or not shares:
        return SharedTexts(dimension, len(draw.texts) if draw else 0, overlap, tuple(experts), unanswered, 0, ())
    answered = answered_texts(work, draw)
    for text, names in shares.items():
        for name in names - answered.whole.get(text, frozenset()):
            unanswered[name] = unanswered.get(name, 0) + 1
    there = {text: shares.get(text, frozenset()) & set(experts) for text in draw.texts}
    short = sum(len(there[text] | answered.whole.get(text, frozenset())) < overlap for text in draw.texts)
    without = [name for name in experts if not any(name in names for names in there.values())]
    return SharedTexts(
        dimension, len(draw.texts), overlap, tuple(experts), dict(sorted(unanswered.items())), short, tuple(without)
    )


def _check_expert(work: UnitOfWork, project_id: int, name: str) -> None:
    member = work.people.member(project_id, name)
    if member is None or member.role is not Role.EXPERT:
        raise NotFoundError(f"Nobody called {quoted(name)} is an expert of this project.", "Invite them first.")


@dataclass(frozen=True, slots=True)
class SheetProgress:
    """The progress of one expert. `texts` of `all` assigned texts have all their answers; `skipped`, `notes` and
    `does_not_apply` count pairs of question and text; `carried` answers were given in earlier versions."""

    expert: str
    texts: int
    all: int
    answers: int
    skipped: int
    notes: int
    does_not_apply: int = 0
    carried: int = 0


def progress(found: AnswerSet) -> list[SheetProgress]:
    """Return each expert's progress in the order they began, without their answers."""
    asked = len(found.checklist.asked)
    sheets = []
    for expert in found.experts:
        own = [one for one in found.answers if one.expert == expert]
        given = [one for one in own if one.answer is not None]
        done = Counter(one.text for one in given)
        begun = {one.text for one in own if one.answer is not None or one.note}
        shared = {text for text in found.texts if not found.shares or expert in found.shares.get(text, ())}
        sheets.append(
            SheetProgress(
                expert,
                texts=sum(count == asked for count in done.values()),
                all=len(begun | shared),
                answers=len(given),
                skipped=sum(one.answer is Answer.UNANSWERED for one in given),
                notes=sum(bool(one.note) for one in own),
                does_not_apply=sum(one.answer is Answer.NOT_APPLICABLE for one in given),
                carried=sum(one.from_version is not None for one in given),
            )
        )
    return sheets
