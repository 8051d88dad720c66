"""What more answers of experts would bring to a checklist's estimates."""

from dataclasses import dataclass

from app.domain.expert_answer import WishedWave
from app.domain.people import Right
from app.meta_evaluation.judges.estimate import CorrectedEstimate
from app.meta_evaluation.judges.words import answers_before_any, estimate_forecast, half_width
from app.services.checklists.expert_answers import AnswerPlan, plan_answers
from app.services.results.raters import corrected_shares
from app.services.results.results import Choices, DimensionResult, default_runs, kept_result
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

__all__ = [
    "AnswerForecasts",
    "AnswerPlan",
    "PlannedAnswers",
    "planned_answers",
]


@dataclass(frozen=True, slots=True)
class AnswerForecasts:
    """`score` is the mean score, `widest` the question with the widest interval and `question` its number from 1; None
    where too few texts have both answers. `said` holds it in plain sentences.
    """

    answers: int
    score: CorrectedEstimate | None
    widest: CorrectedEstimate | None
    question: int
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
        return PlannedAnswers(plan, AnswerForecasts(0, None, None, 0, before))
    by_width = [
        (one.estimate.corrected.width or 0.0, number, one.estimate)
        for number, one in enumerate(shares.questions, start=1)
        if one.estimate
    ]
    _, question, widest = max(by_width, key=lambda one: one[0], default=(0.0, 0, None))
    answers = max((found.n_human for *_, found in by_width), default=0)
    said = []
    for name, found in (("the mean score", shares.score), (f"question {question}, the widest,", widest)):
        if found and (now := half_width(found)):
            said.append(f"Now {name} is known to plus or minus {now}. {estimate_forecast(found)}".strip())
    if not said:
        said.append(answers_before_any(wished.texts))
    elif len(plan.texts) >= plan.left:
        said.append("With these experts have every text that can be drawn: then only new texts need the judge.")
    said.extend(_unscored(result, plan))
    return PlannedAnswers(plan, AnswerForecasts(answers, shares.score, widest, question, tuple(said)))


def _unscored(result: DimensionResult | None, plan: AnswerPlan) -> list[str]:
    """That the judge lacks some of these texts, if so: people's answers about them correct nothing."""
    scored = {row.text for row in result.rows if row.counts()} if result else set()
    has = sum(one.id in scored for one in plan.texts)
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
