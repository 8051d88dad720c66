"""Shares of a draw: which expert answers which of the drawn texts, unless all answer all."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.corpora.draws import spread
from app.domain.attribute import ContributorKind
from app.domain.expert_answer import AnswerDraw
from app.domain.roles_and_rights import Role
from db.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class AnsweredTexts:
    """Text -> experts who have begun it with an answer or a note, and experts who have answered all its questions."""

    begun: Mapping[int, frozenset[str]]
    whole: Mapping[int, frozenset[str]]


def experts_on(work: UnitOfWork, dimension_id: int) -> list[str]:
    """Return the dimension's experts in the order they joined."""
    project = work.projects.project_of(dimension_id)
    given = work.assignments.given(project.id)
    members = [one.name for one in work.people.members(project.id) if one.role is Role.EXPERT]
    return [name for name in members if dimension_id in given.get(name, (dimension_id,))]


def texts_of_expert(
    work: UnitOfWork, draw: AnswerDraw, dimension_id: int, expert: str, begun: Collection[int]
) -> frozenset[int]:
    """Return the drawn texts that this expert answers: assigned ones, and those they have begun before they were
    reassigned."""
    if not work.assignments.is_assigned(dimension_id, expert):
        return frozenset(begun)
    shares = work.assignments.shares(draw.id)
    given = (text for text in draw.texts if expert in shares.get(text, ())) if shares else draw.texts
    return frozenset((*given, *begun))


def answered_texts(work: UnitOfWork, draw: AnswerDraw) -> AnsweredTexts:
    asked = len(work.checklists.get(draw.checklist).asked)
    said = work.expert_answers.of(draw.id)
    answers = Counter((one.text, one.expert) for one in said if one.answer is not None)
    begun = {(one.text, one.expert) for one in said if one.answer is not None or one.note}
    return AnsweredTexts(_by_text(begun), _by_text([pair for pair, count in answers.items() if count >= asked]))


def distribute_texts(work: UnitOfWork, draw: AnswerDraw, dimension_id: int, texts: Sequence[int], overlap: int) -> None:
    """Assign each of these texts to `overlap` experts. Begun texts stay with their expert, and others as far as an even
    spread allows; former members keep what they have answered completely."""
    experts = experts_on(work, dimension_id)
    answered = answered_texts(work, draw)
    stays = {
        text: (answered.begun.get(text, frozenset()) & set(experts)) | answered.whole.get(text, frozenset())
        for text in texts
    }
    given = work.assignments.shares(draw.id)
    rng = np.random.default_rng([draw.seed, len(draw.waves), len(texts)])
    found = spread(texts, experts, overlap, rng, given=given, begun=stays)
    restore_shares(work, draw, dimension_id, found)


def share_new_texts(work: UnitOfWork, draw: AnswerDraw) -> None:
    """Share out the newest wave by the dimension's overlap, or among fewer experts; does nothing if all answer all."""
    dimension_id = work.checklists.dimension_of(draw.checklist)
    overlap = min(work.assignments.overlap(dimension_id), len(experts_on(work, dimension_id)))
    if overlap:
        distribute_texts(work, draw, dimension_id, draw.waves[-1].texts, overlap)


def copy_draw(work: UnitOfWork, checklist_id: int) -> AnswerDraw | None:
    """Draw for this version the texts of the nearest earlier version with answers to unchanged questions, with the same
    shares; returns the draw.

    None without such a version, or if texts are drawn already.
    """
    taken = work.expert_answers.inherit_draw(checklist_id)
    if taken is None:
        return None
    before, made = taken
    draw = work.expert_answers.draw(made)
    if shares := work.assignments.shares(before):
        restore_shares(work, draw, work.checklists.dimension_of(checklist_id), shares)
    return draw


def restore_shares(
    work: UnitOfWork, draw: AnswerDraw, dimension_id: int, shares: Mapping[int, Collection[str]]
) -> None:
    project = work.projects.project_of(dimension_id)
    names = {name for those in shares.values() for name in those}
    ids = {name: work.think_aloud.contributor(project.id, name, ContributorKind.HUMAN).id for name in names}
    work.assignments.share(draw.id, shares, ids)


def _by_text(pairs: Collection[tuple[int, str]]) -> dict[int, frozenset[str]]:
    found: dict[int, set[str]] = {}
    for text, expert in pairs:
        found.setdefault(text, set()).add(expert)
    return {text: frozenset(experts) for text, experts in found.items()}
