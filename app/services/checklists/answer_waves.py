"""Waves of texts drawn for experts: what can be drawn, with which chances, and what the draw gives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.expert_answer import AnswerDraw, AnswerSet
from app.domain.text import TextPlace
from app.errors import InputError
from app.meta_evaluation.judges.answer_design import overall, pivotal_draw
from app.meta_evaluation.score_matrix import Floats
from app.services.people.text_shares import share_new_texts
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.samples import evaluation_texts
from db.unit_of_work import UnitOfWork

ALIKE = 1e-9
"""Probabilities that differ by less are the same."""


@dataclass(frozen=True, slots=True)
class DrawnWave:
    """What a wave draws: `chances` of every text it could have drawn, given that none had been drawn before."""

    seed: int
    texts: tuple[int, ...]
    chances: Mapping[int, float]


def pool(work: UnitOfWork, checklist_id: int) -> tuple[list[TextPlace], list[float]]:
    """What can be drawn from, with its mean ratings; no ratings where no text has any."""
    dimension_id = work.checklists.dimension_of(checklist_id)
    texts, _ = evaluation_texts(work, work.projects.project_of(dimension_id).id, dimension_id)
    means = work.texts.mean_scores(dimension_id)
    rated = [text for text in texts if text.id in means]
    return (rated, [means[text.id] for text in rated]) if rated else (texts, [])


def draw_wave(work: UnitOfWork, checklist_id: int, before: AnswerDraw | None, texts: int, seed: int) -> DrawnWave:
    """Draw so many of the texts that `before` hasn't drawn, spread over the human scores; nothing is stored.

    Raises InputError for a number of texts that isn't there.
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
    """Its texts are shared at once where not everybody answers all."""
    draw = work.expert_answers.add_wave(draw_id, wave.texts, wave.chances, design="chance", seed=wave.seed, tau=0.0)
    share_new_texts(work, draw)
    return draw


def drawn_probability(
    work: UnitOfWork, draw: AnswerDraw, texts: Sequence[int], answered: Sequence[float] | None = None
) -> Floats:
    """(texts,) of being drawn; 0 for texts that could not be. `answered` is each wave's part that people answered by
    now, for the probability of being answered.

    Waves of an older program gave all texts the same chance; which could be drawn is not on record, so that of
    `texts` counts.
    """
    waves = []
    for wave, chances in zip(draw.waves, work.expert_answers.chances(draw.id), strict=True):
        alike = len(wave.texts) / max(len({*texts, *wave.texts}), 1)
        waves.append(np.array([chances.get(text, 0.0) if chances else alike for text in texts]))
    return overall(waves, answered)


def answered_probability(workbench: Workbench, found: AnswerSet, texts: Sequence[int]) -> Floats | None:
    """(texts,) of being drawn for experts and answered by now, NaN for texts that can't be drawn; None where the drawn
    ones were all alike."""
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
