"""Weighted scores of a checklist, in their agreement with people beside scores in which all questions count alike.

The equal score stays the headline: weights that experts choose are an opinion, and this shows what it does.
"""

from functools import lru_cache

from app.domain.people import Right
from app.domain.run import ScoredText
from app.evaluators.checklist import WEIGHTED
from app.meta_evaluation.evaluation import MetaEvaluation, Origin
from app.services.results.results import Choices, DimensionResult, evaluate_scores
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench


@use_case(Right.READ)
def weighted_agreement(workbench: Workbench, result: DimensionResult) -> MetaEvaluation | None:
    """The same figures over the same texts from the weighted scores.

    None where all questions weigh the same, for scores from probabilities, and for a look at a locked split.
    """
    if result.soft or result.locked or not result.weighted:
        return None
    with workbench.database.read() as work:
        details = work.results.details(result.run.id, result.dimension.id)
    scores = tuple(
        details.get(row.text, {}).get(WEIGHTED) if row.counts(result.choices.include_partial) else None
        for row in result.rows
    )
    if not any(score is not None for score in scores):
        return None
    signature = result.meta.signature
    origin = Origin(f"{signature.checklist} weighted", signature.judge, signature.prompt)
    return _evaluated(result.rows, scores, result.choices, origin)


@lru_cache(maxsize=16)
def _evaluated(
    rows: tuple[ScoredText, ...], scores: tuple[float | None, ...], choices: Choices, origin: Origin
) -> MetaEvaluation:
    """Computed once for the same scores and ratings: screens ask again and again."""
    return evaluate_scores(rows, scores, choices, origin)
