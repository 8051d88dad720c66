"""Analysis of CoAScore's aspects: their scores' agreement with people, with the final score and with each other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

from app.domain.people import Right
from app.domain.run import ScoredText
from app.evaluators.coascore import METHOD
from app.meta_evaluation.choices import Coefficient, Level
from app.meta_evaluation.evaluation import Figure, Origin
from app.providers.credentials import Credentials
from app.services.results.results import (
    Choices,
    DimensionResult,
    agreement_with_people,
    evaluate_scores,
    kept_result,
    result_state,
)
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from db.unit_of_work import Database

__all__ = ["AspectPair", "AspectWorth", "Aspects", "aspects_of"]

Scores = list[float | None]


@dataclass(frozen=True, slots=True)
class AspectWorth:
    """One aspect. `figures`: its agreement with people, by coefficient. `with_score`: Spearman's with the score that
    the method gave in the end, None where it is undefined. `texts` have a score on it and ratings."""

    name: str
    texts: int
    figures: Mapping[Coefficient, Figure]
    with_score: float | None

    def to_json(self) -> dict[str, Any]:
        figures: dict[str, Any] = {name: figure.to_json() for name, figure in self.figures.items()}
        return {"name": self.name, "texts": self.texts, **figures, "with_score": self.with_score}


@dataclass(frozen=True, slots=True)
class AspectPair:
    """Spearman's coefficient of two aspects' scores; None where it is undefined."""

    a: str
    b: str
    spearman: float | None

    def to_json(self) -> dict[str, Any]:
        return {"a": self.a, "b": self.b, "spearman": self.spearman}


@dataclass(frozen=True, slots=True)
class Aspects:
    """All at the level, and with the choices, of the result they belong to."""

    level: Level
    aspects: tuple[AspectWorth, ...]
    pairs: tuple[AspectPair, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "aspects": [aspect.to_json() for aspect in self.aspects],
            "aspect_pairs": [pair.to_json() for pair in self.pairs],
        }


@use_case(Right.READ)
def aspects_of(workbench: Workbench, result: DimensionResult) -> Aspects | None:
    """Computed once for as long as neither scores nor ratings change; None where the judge scored no aspects.

    Random scores, an ablation, say nothing about aspects and count as none.
    """
    if result.run.evaluator != METHOD.name or result.run.params.get("variant") == "random" or result.locked:
        return None
    state = result_state(workbench, result.run.id, result.dimension.id)
    return _kept_aspects(workbench.database, result.run.id, result.dimension.id, result.choices, state)


@lru_cache(maxsize=32)
def _kept_aspects(
    database: Database, run_id: int, dimension_id: int, choices: Choices, _: tuple[object, ...] | None
) -> Aspects | None:
    result = kept_result(Workbench(database, Credentials()), run_id, dimension_id, choices)
    assert result is not None  # the caller has it
    with database.read() as work:
        details = work.results.details(run_id, dimension_id)
    rows = result.rows
    scores = _scores(rows, details)
    if not scores:
        return None
    final: Scores = [row.score for row in rows]
    return Aspects(
        choices.level,
        tuple(_worth(name, found, final, result) for name, found in scores.items()),
        tuple(
            AspectPair(a, b, agreement_with_people(rows, scores[a], scores[b], choices))
            for a, b in combinations(scores, 2)
        ),
    )


def _scores(rows: Sequence[ScoredText], details: Mapping[int, Mapping[str, Any]]) -> dict[str, Scores]:
    """Aspect -> its score of each row, None where it has none; in the order in which the judge named them."""
    given = [{a["name"]: a["score"] for a in details.get(row.text, {}).get("aspects", ())} for row in rows]
    names = dict.fromkeys(name for each in given for name, score in each.items() if score is not None)
    return {name: [each.get(name) for each in given] for name in names}


def _worth(name: str, scores: Scores, final: Scores, result: DimensionResult) -> AspectWorth:
    origin = Origin(judge=f"{result.run.judge} {name}")
    found = evaluate_scores(result.rows, scores, result.choices, origin, result.on_scale)
    texts = sum(s is not None and row.human is not None for s, row in zip(scores, result.rows, strict=True))
    return AspectWorth(name, texts, found.figures, agreement_with_people(result.rows, scores, final, result.choices))
