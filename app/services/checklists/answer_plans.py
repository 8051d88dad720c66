"""Plans of which texts experts should answer next: by chance, or where the judge is least sure."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.expert_answer import AnswerDesign, AnswerDraw, WishedWave
from app.domain.people.actor import Right
from app.domain.text import Text
from app.errors import NotReadyError
from app.services.checklists.answer_waves import DrawnWave, draw_wave, pool, probability_after, store_wave
from app.services.checklists.expert_answers import forget_draw, published
from app.services.checklists.text_doubts import TextDoubts, text_doubts
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from db.unit_of_work import UnitOfWork

__all__ = ["AnswerDesign", "AnswerPlan", "PlannedText", "WishedWave", "draw_planned", "plan_answers"]

NO_DOUBTS = (
    "Nothing tells yet where a judge is unsure, so chance alone draws. Score these texts with several judges, with "
    "repeats, or with a model that tells its probabilities."
)


@dataclass(frozen=True, slots=True)
class PlannedText:
    """`chance` of being drawn in this wave; `why` the judge is unsure of it, "" where it is sure or chance draws."""

    text: Text
    chance: float
    why: str


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """What the next wave would draw: `texts`, least sure first. `left` texts can be drawn, `drawn` are already.

    `design` is what it would be drawn by, `reason` why not by uncertainty although that was asked for. `judges` are
    those whose answers tell where the doubts are. `after` is each text's probability over all waves, this one too.
    """

    wave: int
    design: AnswerDesign
    reason: str
    seed: int
    tau: float
    left: int
    drawn: int
    judges: tuple[str, ...]
    texts: tuple[PlannedText, ...]
    after: Mapping[int, float]


def plan_answers(workbench: Workbench, checklist_id: int, wished: WishedWave) -> AnswerPlan:
    """Nothing is stored. The same seed draws the same texts as long as no judge answers anything more.

    Raises InputError for a number of texts that isn't left, NotReadyError for a draft.
    """
    with workbench.database.read() as work:
        before, wave, doubts = _wave(work, checklist_id, wished)
        known = work.texts.many(wave.texts)
        unsure = wave.design == "uncertain"
        order = sorted(wave.texts, key=lambda text: -doubts.value[text]) if unsure else list(wave.texts)
        taken = before.texts if before else ()
        return AnswerPlan(
            len(before.waves) + 1 if before else 1,
            wave.design,
            "" if wave.design == wished.design else NO_DOUBTS,
            wished.seed,
            wave.tau,
            len(wave.chances.keys() - set(taken)),
            len(taken),
            doubts.judges,
            tuple(
                PlannedText(known[text], wave.chances[text], doubts.why.get(text, "") if unsure else "")
                for text in order
            ),
            probability_after(work, before, wave),
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
        before, wave, _ = _wave(work, checklist_id, wished)
        if before:
            return store_wave(work, before.id, wave)
        stratified = bool(pool(work, checklist_id)[1])
        return store_wave(work, work.expert_answers.add_draw(checklist_id, wished.seed, stratified), wave)


def _wave(work: UnitOfWork, checklist_id: int, wished: WishedWave) -> tuple[AnswerDraw | None, DrawnWave, TextDoubts]:
    checklist = published(work, checklist_id)
    before = None if wished.anew else work.expert_answers.draw_of(checklist_id)
    ids = [text.id for text in pool(work, checklist_id)[0]]
    if not ids:
        raise NotReadyError("No text is left to draw: all are locked, or were read as samples.", "Import more texts.")
    doubts = text_doubts(work, checklist, ids)
    by = doubts.value if wished.design == "uncertain" and doubts.known else None
    return before, draw_wave(work, checklist_id, before, wished.texts, wished.seed, by), doubts
