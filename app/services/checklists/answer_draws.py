"""Texts drawn in waves for experts to answer on: drawing, planning, and the probabilities of being drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.checklist import Checklist, ChecklistStatus
from app.domain.expert_answer import AnswerDraw, AnswerSet, WaveRequest
from app.domain.project import Text, TextPlace
from app.domain.roles_and_rights import Right
from app.errors import ConflictError, InputError, NotReadyError
from app.meta_evaluation.judges.estimate import overall, pivotal_draw
from app.meta_evaluation.score_matrix import Floats
from app.services.people.text_shares import copy_draw, share_new_texts
from app.services.runtime.workbench import Workbench, use_case
from app.services.think_aloud.samples import evaluation_texts
from db.unit_of_work import UnitOfWork

ALIKE = 1e-9
"""Probabilities that differ by less count as equal."""


@dataclass(frozen=True, slots=True)
class DrawnWave:
    """A drawn wave. `chances`: text -> probability of being drawn as if no text had been drawn before."""

    seed: int
    texts: tuple[int, ...]
    chances: Mapping[int, float]


def pool(work: UnitOfWork, checklist_id: int) -> tuple[list[TextPlace], list[float]]:
    """Return the texts that can be drawn, with their mean ratings. If any text is rated, only rated ones; else no
    ratings."""
    dimension_id = work.checklists.dimension_of(checklist_id)
    texts, _ = evaluation_texts(work, work.projects.project_of(dimension_id).id, dimension_id)
    means = work.texts.imported_means(dimension_id)
    rated = [text for text in texts if text.id in means]
    return (rated, [means[text.id] for text in rated]) if rated else (texts, [])


def draw_wave(work: UnitOfWork, checklist_id: int, before: AnswerDraw | None, texts: int, seed: int) -> DrawnWave:
    """Draw `texts` of those that `before` hasn't drawn, spread over the human scores; nothing is stored.

    Raises InputError if fewer texts are left.
    """
    can_be_drawn, scores = pool(work, checklist_id)
    ids = [text.id for text in can_be_drawn]
    taken = set(before.texts) if before else set()
    rest = np.array([place for place, text in enumerate(ids) if text not in taken], dtype=np.int64)
    if not 1 <= texts <= rest.size:
        left = f"Ask for 1 to {rest.size}." if rest.size else "All that can be drawn are drawn."
        raise InputError(f"{texts} texts can't be drawn.", left)
    chances = np.full(len(ids), texts / rest.size)
    rng = np.random.default_rng([seed, len(before.waves) + 1 if before else 1])
    ties = rng.random(rest.size)
    order = np.lexsort((ties, np.array(scores)[rest])) if scores else np.argsort(ties)
    chosen = pivotal_draw(chances[rest], order, rng)
    return DrawnWave(seed, tuple(ids[rest[place]] for place in chosen), dict(zip(ids, chances.tolist(), strict=True)))


def store_wave(work: UnitOfWork, draw_id: int, wave: DrawnWave) -> AnswerDraw:
    """Store a wave and share its texts out, if texts are shared; returns the draw."""
    draw = work.expert_answers.add_wave(draw_id, wave.texts, wave.chances, design="chance", seed=wave.seed, tau=0.0)
    share_new_texts(work, draw)
    return draw


def drawn_probability(
    work: UnitOfWork, draw: AnswerDraw, texts: Sequence[int], answered: Sequence[float] | None = None
) -> Floats:
    """Return (texts,) probabilities of being drawn; 0 for texts that could not be. `answered`: for each wave the share
    that is answered by now, for probabilities of being answered.

    Older waves gave all texts the same chance without recording which could be drawn; `texts` is then taken as the
    pool.
    """
    waves = []
    for wave, chances in zip(draw.waves, work.expert_answers.chances(draw.id), strict=True):
        alike = len(wave.texts) / max(len({*texts, *wave.texts}), 1)
        waves.append(np.array([chances.get(text, 0.0) if chances else alike for text in texts]))
    return overall(waves, answered)


def answered_probability(workbench: Workbench, found: AnswerSet, texts: Sequence[int]) -> Floats | None:
    """Return (texts,) probabilities of being drawn and answered by now, NaN for texts that can't be drawn; None if all
    drawn ones are equal."""
    answered = {one.text for one in found.answers if one.answer is not None}
    with workbench.database.read() as work:
        draw = work.expert_answers.draw_of(found.checklist.id)
        if draw is None:
            return None
        parts = [sum(text in answered for text in wave.texts) / max(len(wave.texts), 1) for wave in draw.waves]
        everything = list(dict.fromkeys([*(text.id for text in pool(work, found.checklist.id)[0]), *draw.texts]))
        each = dict(zip(everything, drawn_probability(work, draw, everything, parts).tolist(), strict=True))
    if np.ptp([each[text] for text in draw.texts]) < ALIKE:
        return None
    return np.array([each.get(text, np.nan) for text in texts])


@use_case(Right.FACILITATE, act="drew texts for experts")
def draw_texts(workbench: Workbench, checklist_id: int, texts: int, seed: int) -> AnswerDraw:
    """Draw texts for every expert to answer this version on, spread over the human scores, replacing an earlier draw.

    Documents of think-aloud samples and held-out texts can't be drawn. Raises NotReadyError for a draft, ConflictError
    once there are answers, InputError if there are fewer texts.
    """
    with workbench.database.write() as work:
        checklist = published(work, checklist_id)
        forget_draw(work, checklist)
        wave = draw_wave(work, checklist_id, None, texts, seed)
        draw_id = work.expert_answers.add_draw(checklist_id, seed, stratified=bool(pool(work, checklist_id)[1]))
        return store_wave(work, draw_id, wave)


def forget_draw(work: UnitOfWork, checklist: Checklist) -> None:
    """Undo the draw of texts for a version, if there is one. Raises ConflictError once there are answers."""
    before = work.expert_answers.draw_of(checklist.id)
    if before is None:
        return
    if work.expert_answers.given_to(before.id):
        raise ConflictError(
            f"Experts have answered version {checklist.version} already.",
            "Its texts stay, and more can be added to them; a new version gets texts of its own.",
        )
    work.expert_answers.remove_draw(before.id)


@use_case(Right.FACILITATE)
def answered_version(workbench: Workbench, checklist_id: int) -> int | None:
    """Return the earlier version whose texts, and answers to unchanged questions, can be taken over; None for none."""
    with workbench.database.read() as work:
        return work.expert_answers.answered_version(checklist_id)


@use_case(Right.FACILITATE, act="drew texts for experts")
def draw_same_texts(workbench: Workbench, checklist_id: int) -> AnswerDraw:
    """Draw the texts of the nearest earlier version that experts answered, as publishing does automatically.

    Raises NotReadyError for a draft and without such a version, ConflictError once texts are drawn.
    """
    with workbench.database.write() as work:
        checklist = published(work, checklist_id)
        if work.expert_answers.draw_of(checklist_id):
            raise ConflictError(f"Texts are drawn for version {checklist.version} already.", "Reload the page.")
        draw = copy_draw(work, checklist_id)
        if draw is None:
            raise NotReadyError("Experts answered no earlier version with the same questions.", "Draw texts instead.")
        return draw


@use_case(Right.FACILITATE)
def drawable(workbench: Workbench, checklist_id: int) -> int:
    """Return how many texts can be drawn for this version: the rated ones, or all if none is rated."""
    with workbench.database.read() as work:
        return len(pool(work, checklist_id)[0])


@use_case(Right.FACILITATE)
def answerable(workbench: Workbench, dimension_id: int) -> list[tuple[Checklist, AnswerDraw | None]]:
    """Return the published versions, newest first, each with its draw or None."""
    with workbench.database.read() as work:
        published = [c for c in work.checklists.versions(dimension_id) if c.status is ChecklistStatus.PUBLISHED]
        return [(checklist, work.expert_answers.draw_of(checklist.id)) for checklist in published]


@use_case(Right.FACILITATE)
def draw_of(workbench: Workbench, checklist_id: int) -> AnswerDraw | None:
    with workbench.database.read() as work:
        return work.expert_answers.draw_of(checklist_id)


def published(work: UnitOfWork, checklist_id: int) -> Checklist:
    checklist = work.checklists.get(checklist_id)
    if checklist.status is not ChecklistStatus.PUBLISHED:
        raise NotReadyError(
            f"Version {checklist.version} is a draft.", "Publish it first: experts answer what no longer changes."
        )
    return checklist


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """The plan of the next wave: `texts`, each with the same `chance`. `left` texts can still be drawn, `drawn` are
    already."""

    wave: int
    seed: int
    left: int
    drawn: int
    chance: float
    texts: tuple[Text, ...]


def plan_answers(workbench: Workbench, checklist_id: int, wished: WaveRequest) -> AnswerPlan:
    """Return the next wave without storing it. The same seed draws the same texts.

    Raises InputError if fewer texts are left, NotReadyError for a draft.
    """
    with workbench.database.read() as work:
        before, wave = _wave(work, checklist_id, wished)
        known = work.texts.many(wave.texts)
        taken = before.texts if before else ()
        return AnswerPlan(
            len(before.waves) + 1 if before else 1,
            wished.seed,
            len(wave.chances.keys() - set(taken)),
            len(taken),
            wave.chances[wave.texts[0]],
            tuple(known[text] for text in wave.texts),
        )


@use_case(Right.FACILITATE, act="drew texts for experts")
def draw_planned(workbench: Workbench, checklist_id: int, wished: WaveRequest) -> AnswerDraw:
    """Draw the wave of `plan_answers`: the first texts of a version, or more texts for every expert.

    Experts' answers and the order of their texts stay. Raises as `plan_answers`, and ConflictError for a new draw
    (`anew`) once there are answers.
    """
    with workbench.database.write() as work:
        if wished.anew:
            forget_draw(work, published(work, checklist_id))
        before, wave = _wave(work, checklist_id, wished)
        if before:
            return store_wave(work, before.id, wave)
        stratified = bool(pool(work, checklist_id)[1])
        return store_wave(work, work.expert_answers.add_draw(checklist_id, wished.seed, stratified), wave)


def _wave(work: UnitOfWork, checklist_id: int, wished: WaveRequest) -> tuple[AnswerDraw | None, DrawnWave]:
    published(work, checklist_id)
    before = None if wished.anew else work.expert_answers.draw_of(checklist_id)
    if not pool(work, checklist_id)[0]:
        raise NotReadyError("No text is left to draw: all are locked, or were read as samples.", "Import more texts.")
    return before, draw_wave(work, checklist_id, before, wished.texts, wished.seed)
