"""Plans of which texts experts should answer next."""

from dataclasses import dataclass

from app.domain.expert_answer import AnswerDraw, WishedWave
from app.domain.people.actor import Right
from app.domain.text import Text
from app.errors import NotReadyError
from app.services.checklists.answer_waves import DrawnWave, draw_wave, pool, store_wave
from app.services.checklists.expert_answers import forget_draw, published
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from db.unit_of_work import UnitOfWork

__all__ = ["AnswerPlan", "WishedWave", "draw_planned", "plan_answers"]


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """What the next wave would draw: `texts`, each with the same `chance`. `left` texts can be drawn, `drawn` are
    already."""

    wave: int
    seed: int
    left: int
    drawn: int
    chance: float
    texts: tuple[Text, ...]


def plan_answers(workbench: Workbench, checklist_id: int, wished: WishedWave) -> AnswerPlan:
    """Return the next wave without storing it. The same seed draws the same texts.

    Raises InputError for a number of texts that isn't left, NotReadyError for a draft.
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
def draw_planned(workbench: Workbench, checklist_id: int, wished: WishedWave) -> AnswerDraw:
    """Draw what `plan_answers` says: the first texts of a version, or more for every expert after those they have.

    What experts answered stays, and so does the order of the texts they have. Raises as `plan_answers`, and
    ConflictError for texts anew once there are answers.
    """
    with workbench.database.write() as work:
        if wished.anew:
            forget_draw(work, published(work, checklist_id))
        before, wave = _wave(work, checklist_id, wished)
        if before:
            return store_wave(work, before.id, wave)
        stratified = bool(pool(work, checklist_id)[1])
        return store_wave(work, work.expert_answers.add_draw(checklist_id, wished.seed, stratified), wave)


def _wave(work: UnitOfWork, checklist_id: int, wished: WishedWave) -> tuple[AnswerDraw | None, DrawnWave]:
    published(work, checklist_id)
    before = None if wished.anew else work.expert_answers.draw_of(checklist_id)
    if not pool(work, checklist_id)[0]:
        raise NotReadyError("No text is left to draw: all are locked, or were read as samples.", "Import more texts.")
    return before, draw_wave(work, checklist_id, before, wished.texts, wished.seed)
