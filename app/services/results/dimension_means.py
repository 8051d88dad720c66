"""One figure over all dimensions of a run, as papers put it last in their tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from app.meta_evaluation.dimension_mean import ScoredDimension, mean_over_dimensions
from app.meta_evaluation.evaluation import Figure
from app.services.results.results import Choices, DimensionResult

__all__ = ["DimensionMean", "dimension_means"]


@dataclass(frozen=True, slots=True)
class DimensionMean:
    """The figures of a run ("mae" among them), averaged over so many dimensions. `result` is one of those averaged."""

    result: DimensionResult
    dimensions: int
    figures: Mapping[str, Figure]

    def to_json(self) -> dict[str, object]:
        figures = {name: figure.to_json() for name, figure in self.figures.items()}
        return {"run": self.result.run.id, "dimensions": self.dimensions, **figures}


def dimension_means(results: Sequence[DimensionResult]) -> list[DimensionMean]:
    """Of each run with several dimensions among the results, in their order."""
    by_run: dict[int, list[DimensionResult]] = {}
    for result in results:
        by_run.setdefault(result.run.id, []).append(result)
    return [
        DimensionMean(several[0], len(several), _kept(tuple(map(_KeyedResult, several)), several[0].choices))
        for several in by_run.values()
        if len(several) > 1
    ]


class _KeyedResult:
    """A result that equals another of the same reading: comparing texts would take longer than averaging."""

    def __init__(self, result: DimensionResult) -> None:
        self.result = result
        self._key = (result.run.id, result.dimension.id, result.reading, result.locked, result.soft)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _KeyedResult) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@lru_cache(maxsize=64)
def _kept(several: tuple[_KeyedResult, ...], choices: Choices) -> Mapping[str, Figure]:
    results = [each.result for each in several]
    rows = {row.text: row for result in results for row in result.rows}
    systems = [row.system_id for row in rows.values()]
    scored = []
    for result in results:
        counted = {row.text: row for row in result.rows if row.counts(choices.include_partial)}
        human = {row.text: row.human for row in result.rows}
        pred = [counted[text].score if text in counted else None for text in rows]
        scored.append(ScoredDimension(pred, [human.get(text) for text in rows], result.on_scale))
    return mean_over_dimensions(
        scored,
        group=[row.doc_id for row in rows.values()],
        system=systems if any(systems) else None,
        item=None if any(systems) else [row.item_id for row in rows.values()],
        level=choices.level,
        duplicates=choices.duplicates,
        constant=choices.constant,
        resampling=choices.resampling,
        resamples=choices.resamples,
        seed=choices.seed,
    )
