"""What more answers of experts would bring to a checklist's estimates, and whether it matters on which texts."""

from dataclasses import dataclass, replace

import numpy as np

from app.domain.expert_answer import WishedWave
from app.domain.people.actor import Right
from app.meta_evaluation.judges.answer_design import variance_ratio
from app.meta_evaluation.judges.estimate import FEW, CorrectedEstimate
from app.meta_evaluation.judges.intervals import Ends
from app.meta_evaluation.judges.words import answers_before_any, estimate_forecast, half_width, plan_saving
from app.meta_evaluation.score_matrix import Floats
from app.services.checklists.answer_plans import AnswerPlan, plan_answers
from app.services.results.corrected_shares import CorrectedShares, corrected_shares
from app.services.results.expert_side import ExpertSide, expert_side
from app.services.results.results import Choices, DimensionResult, default_runs, kept_result
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

__all__ = ["AnswerForecasts", "AnswerPlan", "PlannedAnswers", "planned_answers"]


@dataclass(frozen=True, slots=True)
class AnswerForecasts:
    """`score` is the mean score, `widest` the question with the widest interval and `question` its number from 1; None
    where too few texts have both answers. `saving` are the ends of the part of answers that drawing by doubts spares,
    as those at hand tell; None where nothing tells. `said` holds it in plain sentences.
    """

    answers: int
    score: CorrectedEstimate | None
    widest: CorrectedEstimate | None
    question: int
    saving: Ends | None
    said: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlannedAnswers:
    plan: AnswerPlan
    forecast: AnswerForecasts


@use_case(Right.FACILITATE)
def planned_answers(workbench: Workbench, checklist_id: int, wished: WishedWave) -> PlannedAnswers:
    """What the next wave would bring, by the run with most texts that asked this version. Raises as `plan_answers`."""
    plan = plan_answers(workbench, checklist_id, wished)
    result = _default_result(workbench, checklist_id)
    shares = corrected_shares(workbench, result, (wished.texts,)) if result else None
    if result is None or shares is None:
        before = (answers_before_any(wished.texts), *_unscored(result, plan))
        return PlannedAnswers(plan, AnswerForecasts(0, None, None, 0, None, before))
    by_width = [
        (one.estimate.corrected.width or 0.0, number, one.estimate)
        for number, one in enumerate(shares.questions, start=1)
        if one.estimate
    ]
    _, question, widest = max(by_width, key=lambda one: one[0], default=(0.0, 0, None))
    answers = max((found.n_human for *_, found in by_width), default=0)
    saving = None
    if plan.design == "uncertain" and answers >= FEW:
        chance = plan_answers(workbench, checklist_id, replace(wished, design="chance"))
        saving = _saving(workbench, result, shares, plan, chance)
    said = []
    for name, found in (("the mean score", shares.score), (f"question {question}, the widest,", widest)):
        if found and (now := half_width(found)):
            said.append(f"Now {name} is known to plus or minus {now}. {estimate_forecast(found)}".strip())
    if not said:
        said.append(answers_before_any(wished.texts))
    elif len(plan.texts) >= plan.left:
        said.append("With these experts have every text that can be drawn: then only new texts need the judge.")
    if plan.design == "uncertain":
        said.append(plan_saving(saving, answers))
    said.extend(_unscored(result, plan))
    return PlannedAnswers(plan, AnswerForecasts(answers, shares.score, widest, question, saving, tuple(said)))


def _unscored(result: DimensionResult | None, plan: AnswerPlan) -> list[str]:
    """That the judge lacks some of these texts, if so: people's answers about them correct nothing."""
    scored = {row.text for row in result.rows if row.counts()} if result else set()
    has = sum(one.text.id in scored for one in plan.texts)
    if result is None or has == len(plan.texts):
        return []
    return [f"The judge has scored {has} of these {len(plan.texts)} texts; only those correct it. Score the rest too."]


def _default_result(workbench: Workbench, checklist_id: int) -> DimensionResult | None:
    with workbench.database.read() as work:
        dimension_id = work.checklists.dimension_of(checklist_id)
        runs = [work.runs.get(run) for run in sorted(work.runs.with_checklist(checklist_id), reverse=True)]
        name = work.projects.dimension_by_id(dimension_id).name
    found = max(default_runs(runs, name), key=lambda run: run.rank(name), default=None)
    return kept_result(workbench, found.id, dimension_id, Choices("dataset")) if found is not None else None


def _saving(
    workbench: Workbench, result: DimensionResult, shares: CorrectedShares, plan: AnswerPlan, chance: AnswerPlan
) -> Ends | None:
    """Over all questions, from the texts that both plans could draw and most experts answered."""
    side = expert_side(workbench, result)
    if side is None:
        return None
    rows = [place for place, text in enumerate(side.texts) if side.drawn[place] and text in plan.after]
    texts = [side.texts[place] for place in rows]
    weight = np.ones(len(rows)) if side.probability is None else 1 / side.probability[rows]
    ratio = variance_ratio(
        _residuals(side, shares)[rows],
        weight,
        np.array([plan.after[text] for text in texts]),
        np.array([chance.after[text] for text in texts]),
    )
    return None if ratio is None else (1 - ratio[1], 1 - ratio[0])


def _residuals(side: ExpertSide, shares: CorrectedShares) -> Floats:
    """(texts, questions): people's answers less the judge's as far as the correction leans on them, around their mean;
    NaN where either is missing.

    PPI's weight is for the judge's mean on the texts that nobody answered. What the choice of texts moves is, with the
    mean on all texts, the same figure with the weight times all over those not answered.
    """
    lean = np.array([_lean(one.estimate) if one.estimate else np.nan for one in shares.questions])
    left = side.reference - lean * side.judge
    known = ~np.isnan(left)
    mean = np.divide(np.nansum(left, axis=0), known.sum(axis=0), out=np.zeros(len(lean)), where=known.any(axis=0))
    around: Floats = left - mean
    return around


def _lean(found: CorrectedEstimate) -> float:
    return found.weight * found.n / (found.n - found.n_human) if found.n > found.n_human else 0.0
