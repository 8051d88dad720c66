"""People's ratings: the agreement of raters, whether the judge may stand in for one, and scores on their scale."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from app.domain.roles_and_rights import Right
from app.errors import NotReadyError
from app.meta_evaluation.bootstrap import RESAMPLES, AgreementDesign
from app.meta_evaluation.evaluation import Figure, evaluate
from app.meta_evaluation.judges.alternative_annotator_test import AltTest, alt_test, alt_test_verdict
from app.meta_evaluation.judges.estimate import estimate_cautions, estimate_forecast, estimate_verdict
from app.meta_evaluation.raters.human_ceiling import Ceiling, HumanSide, Stratum, ceiling_of_raters, human_side
from app.meta_evaluation.score_map import FEWEST_SOURCES_TO_MAP, FEWEST_TEXTS_TO_MAP, MappedScores, map_scores
from app.meta_evaluation.score_matrix import Coefficient, Floats, Level
from app.providers.credentials import Credentials
from app.services.results.results import Choices, DimensionResult, cached_result
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import Database

__all__ = [
    "AltTest",
    "HumanSide",
    "Stratum",
    "alt_test_verdict",
    "estimate_cautions",
    "estimate_forecast",
    "estimate_verdict",
]


@dataclass(frozen=True, slots=True)
class RatingCorrelation:
    """The correlation of people's mean ratings on two dimensions, over the texts rated on both."""

    first: str
    second: str
    figures: Mapping[Coefficient, Figure]

    def to_json(self) -> dict[str, Any]:
        figures: dict[str, object] = {name: figure.to_json() for name, figure in self.figures.items()}
        return {"first": self.first, "second": self.second, "n": self.figures["spearman"].n, **figures}


@use_case(Right.READ)
def rating_correlations(
    workbench: Workbench, project_id: int, level: Level = "dataset", resamples: int = RESAMPLES
) -> list[RatingCorrelation]:
    """Return the correlation of every two dimensions, highest Spearman first, undefined ones last (GPTScore, Fig.
    7a)."""
    with workbench.database.read() as work:
        rated = {d.name: work.texts.imported_means(d.id) for d in work.projects.dimensions(project_id)}
        places = {place.id: place for place in work.texts.places(project_id)}
    found = []
    for first, second in combinations((name for name, means in rated.items() if means), 2):
        both = [text for text in rated[first] if text in rated[second] and text in places]
        meta = evaluate(
            [rated[first][text] for text in both],
            [rated[second][text] for text in both],
            AgreementDesign(
                group=[places[text].doc_id for text in both],
                system=[places[text].system_id for text in both] if any(places[t].system_id for t in both) else None,
                item=[places[text].item_id for text in both],
                level=level,
                resamples=resamples,
            ),
            on_scale=False,
        )
        found.append(RatingCorrelation(first, second, meta.figures))
    return sorted(found, key=lambda each: -(-2 if (value := each.figures["spearman"].value) is None else value))


@use_case(Right.READ)
def human_side_of(workbench: Workbench, result: DimensionResult) -> HumanSide:
    """Return the human side of a result, over the texts that the run scored, cached until scores or ratings change."""
    return _kept(workbench.database, result.run.id, result.dimension.id, result.choices, result.reading)


def ceiling_beside(workbench: Workbench, result: DimensionResult) -> tuple[dict[Coefficient, Ceiling], int]:
    """Return the agreement of one rater and of the judge with the other raters, as in `human_side_of`; and the number
    of raters."""
    return _cached_ceiling(workbench.database, result.run.id, result.dimension.id, result.choices, result.reading)


@dataclass(frozen=True, slots=True, eq=False)
class _Rated:
    """The texts that a run scored: raters' names, (raters, texts) ratings, (texts,) scores, NaN where missing."""

    names: list[str]
    ratings: Floats
    judge: Floats
    frame: AgreementDesign


@lru_cache(maxsize=32)
def _kept(database: Database, run_id: int, dimension_id: int, choices: Choices, _: int) -> HumanSide:
    rated = _rated(database, run_id, dimension_id, choices)
    return human_side(rated.ratings, rated.names, rated.judge, rated.frame)


@lru_cache(maxsize=256)
def _cached_ceiling(
    database: Database, run_id: int, dimension_id: int, choices: Choices, _: int
) -> tuple[dict[Coefficient, Ceiling], int]:
    rated = _rated(database, run_id, dimension_id, choices)
    return ceiling_of_raters(rated.ratings, rated.judge, rated.frame), len(rated.names)


def _rated(database: Database, run_id: int, dimension_id: int, choices: Choices) -> _Rated:
    workbench = Workbench(database, Credentials())  # what is kept holds nobody's keys
    result = cached_result(workbench, run_id, dimension_id, choices)
    assert result is not None  # the caller has it
    names, ratings = ratings_of(workbench, result)
    judged = {row.text: row.score for row in result.compared}
    return _Rated(
        names,
        ratings,
        np.array([judged.get(row.text, np.nan) for row in result.rows], dtype=np.float64),
        replace(choices, resampling=None).design(result.rows),
    )


def ratings_of(workbench: Workbench, result: DimensionResult) -> tuple[list[str], Floats]:
    """Return the raters' names and their (raters, texts) ratings of the result's texts."""
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


@use_case(Right.READ)
def stand_in_for_rater(workbench: Workbench, result: DimensionResult) -> AltTest | None:
    """Return the test whether the judge is as close to the other raters as a rater is. None with one rater, or scores
    on another scale."""
    names, ratings = ratings_of(workbench, result)
    if len(names) < 2 or not result.on_scale:
        return None
    scores = [row.score if row.counts(result.choices.include_partial) else None for row in result.rows]
    return alt_test(np.array(scores, dtype=np.float64), ratings, names, metric="rmse")


TOO_LITTLE_RATED = f"Too little is rated: {FEWEST_TEXTS_TO_MAP} texts of {FEWEST_SOURCES_TO_MAP} sources are needed."


@dataclass(frozen=True, slots=True, eq=False)
class RatingScaleScores:
    """Scores mapped to people's scale. `scores`: text -> mapped score; for a rated text by a map fitted without its
    source."""

    found: MappedScores
    scores: Mapping[int, float]

    @property
    def sentence(self) -> str:
        """Return what the map changes, and whether it is offered."""
        mapped, better = self.found, self.found.improvement
        ends = (
            f"{better.low:.3f} to {better.high:.3f}" if better.low is not None and better.high is not None else "none"
        )
        how = "Isotonic regression" if mapped.map.kind == "isotonic" else "A line"
        said = (
            f"Mean absolute error {mapped.raw:.3f}, on people's scale {mapped.mapped:.3f}: improvement "
            f"{better.value:.3f}, 95 % interval {ends}. {how}, cross-fitted by source: {mapped.n:,} texts of "
            f"{mapped.sources:,} sources in {mapped.folds} parts."
        )
        return said if mapped.offered else f"{said} It isn't offered: the interval doesn't lie above 0."


@use_case(Right.READ)
def scores_on_rating_scale(workbench: Workbench, result: DimensionResult) -> RatingScaleScores | None:
    """Return the result's scores mapped to people's scale; None if they are on another scale, or too few texts are
    rated."""
    del workbench  # the result holds all that is needed
    rows, dimension, choices = result.compared, result.dimension, result.choices
    if not result.on_scale or result.locked:
        return None
    scores, human = (np.array([getattr(row, name) for row in rows], dtype=np.float64) for name in ("score", "human"))
    try:
        found = map_scores(
            scores,
            human,
            [row.doc_id or f"text {row.text}" for row in rows],
            dimension.low,
            dimension.high,
            resamples=choices.resamples,
            seed=choices.seed,
        )
    except NotReadyError:
        return None
    others = [row for row in result.rows if row.score is not None]
    unseen = found.map.of(np.array([row.score for row in others], dtype=np.float64)).tolist()
    mapped = dict(zip((row.text for row in others), unseen, strict=True))
    return RatingScaleScores(
        found, mapped | dict(zip((row.text for row in rows), found.held_out.tolist(), strict=True))
    )
