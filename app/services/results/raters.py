"""The raters behind a result: how well they agree, what one of them reaches, and the judge beside them."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from app.domain.people import Right
from app.meta_evaluation.choices import Coefficient
from app.meta_evaluation.frame import Frame
from app.meta_evaluation.raters.human_ceiling import Ceiling
from app.meta_evaluation.raters.human_side import HumanSide, Stratum, ceiling_of_raters, human_side
from app.meta_evaluation.score_matrix import Floats
from app.providers.credentials import Credentials
from app.services.results.results import Choices, DimensionResult, kept_result, result_state
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from db.unit_of_work import Database

__all__ = ["Ceiling", "HumanSide", "Stratum", "ceiling_beside", "human_side_of", "ratings_of"]


@use_case(Right.READ)
def human_side_of(workbench: Workbench, result: DimensionResult) -> HumanSide:
    """Computed once for as long as neither scores nor ratings change. Over the texts that the run scored."""
    state = result_state(workbench, result.run.id, result.dimension.id)
    return _kept(workbench.database, result.run.id, result.dimension.id, result.choices, state)


def ceiling_beside(workbench: Workbench, result: DimensionResult) -> tuple[dict[Coefficient, Ceiling], int]:
    """What one rater reaches and the judge beside, as in human_side_of, but without the rest; and how many rated."""
    state = result_state(workbench, result.run.id, result.dimension.id)
    return _kept_ceiling(workbench.database, result.run.id, result.dimension.id, result.choices, state)


@dataclass(frozen=True, slots=True, eq=False)
class _Rated:
    """The texts that a run scored: raters' names, (raters, texts) ratings, (texts,) scores, NaN where missing."""

    names: list[str]
    ratings: Floats
    judge: Floats
    frame: Frame


@lru_cache(maxsize=32)
def _kept(
    database: Database, run_id: int, dimension_id: int, choices: Choices, _: tuple[object, ...] | None
) -> HumanSide:
    rated = _rated(database, run_id, dimension_id, choices)
    return human_side(rated.ratings, rated.names, rated.judge, rated.frame)


@lru_cache(maxsize=256)
def _kept_ceiling(
    database: Database, run_id: int, dimension_id: int, choices: Choices, _: tuple[object, ...] | None
) -> tuple[dict[Coefficient, Ceiling], int]:
    rated = _rated(database, run_id, dimension_id, choices)
    return ceiling_of_raters(rated.ratings, rated.judge, rated.frame), len(rated.names)


def _rated(database: Database, run_id: int, dimension_id: int, choices: Choices) -> _Rated:
    workbench = Workbench(database, Credentials())  # what is kept holds nobody's keys
    result = kept_result(workbench, run_id, dimension_id, choices)
    assert result is not None  # the caller has it
    names, ratings = ratings_of(workbench, result)
    judged = {row.text: row.score for row in result.compared}
    systems = [row.system_id for row in result.rows]
    return _Rated(
        names,
        ratings,
        np.array([judged.get(row.text, np.nan) for row in result.rows], dtype=np.float64),
        Frame(
            group=[row.doc_id for row in result.rows],
            system=systems if any(systems) else None,
            item=None if any(systems) else [row.item_id for row in result.rows],
            level=choices.level,
            duplicates=choices.duplicates,
            constant=choices.constant,
            resamples=choices.resamples,
            seed=choices.seed,
        ),
    )


def ratings_of(workbench: Workbench, result: DimensionResult) -> tuple[list[str], Floats]:
    """The raters' names and their ratings (raters, texts) of the result's texts."""
    place = {row.text: number for number, row in enumerate(result.rows)}
    given: dict[str, Floats] = {}
    with workbench.database.read() as work:
        for text, rater, value in work.texts.each_rating(result.dimension.id):
            if text in place:
                if rater not in given:
                    given[rater] = np.full(len(place), np.nan)
                given[rater][place[text]] = value
    names = sorted(given)
    return names, np.stack([given[name] for name in names]) if names else np.zeros((0, len(place)))
