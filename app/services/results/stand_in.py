"""May the judge stand in for one of those who rated the texts of a result?"""

import numpy as np

from app.domain.people import Right
from app.meta_evaluation.judges.alt_test import AltTest, alt_test
from app.meta_evaluation.judges.words import alt_test_verdict
from app.services.results.raters import ratings_of
from app.services.results.results import DimensionResult
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

__all__ = ["AltTest", "alt_test_verdict", "stand_in_for_rater"]


@use_case(Right.READ)
def stand_in_for_rater(workbench: Workbench, result: DimensionResult) -> AltTest | None:
    """By how far judge and rater lie from the other raters. None with one rater, or scores on a scale of their own."""
    names, ratings = ratings_of(workbench, result)
    if len(names) < 2 or not result.on_scale:
        return None
    scores = [row.score if row.counts(result.choices.include_partial) else None for row in result.rows]
    return alt_test(np.array(scores, dtype=np.float64), ratings, names, metric="rmse")
