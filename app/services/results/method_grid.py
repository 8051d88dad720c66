"""The grid of agreement with people: a row for each method, a column for each dimension, and their average."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from app.domain.model_call import model_label
from app.domain.roles_and_rights import Right
from app.domain.run import RunSummary
from app.export.latex import interval_shown
from app.meta_evaluation.evaluation import Figure, ScoredDimension, mean_over_dimensions
from app.meta_evaluation.raters.human_ceiling import Ceiling
from app.meta_evaluation.score_matrix import Level, Measure
from app.services.results.raters import ceiling_beside
from app.services.results.results import Choices, DimensionResult
from app.services.results.run_comparison import RunComparison, compare_runs, sets_named
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.evaluators import NO_JUDGE
from app.services.scoring.run_labels import method_label

__all__ = ["Ceiling"]

FigureName = Literal["spearman", "kendall", "pearson", "mae"]
FIGURES: dict[FigureName, str] = {
    "spearman": "Spearman",
    "kendall": "Kendall tau-b",
    "pearson": "Pearson",
    "mae": "MAE",
}
METHOD, AVERAGE = "Method", "Average"  # headings beside those of dimensions
UNDEFINED = "–"
LIKELY, SURE = 0.05, 0.01
MARKS = f"† p < {LIKELY:g}, ‡ p < {SURE:g}: permutation test, corrected (Holm) for the methods of a dimension"
_LEVELS: dict[Level, str] = {
    "per-source": "inside each source, averaged",
    "dataset": "over all texts",
    "system": "over the means of systems",
}


def method_and_judge(run: RunSummary) -> str:
    """Return the method with its variant, and its judge if it asks one."""
    return method_label(run) if run.judge == NO_JUDGE else f"{method_label(run)} · {model_label(run.judge)}"


def method_labels(results: Sequence[DimensionResult]) -> dict[int, str]:
    """Return run -> label of its row. Runs of one method share a row, unless two of them scored the same dimension:
    then each has its own row, named by the version of its checklist, or by its id if the versions are equal."""
    groups: dict[str, dict[int, RunSummary]] = {}
    twice: set[str] = set()
    seen: set[tuple[str, int]] = set()
    for result in results:
        label = method_and_judge(result.run)
        groups.setdefault(label, {})[result.run.id] = result.run
        if (label, result.dimension.id) in seen:
            twice.add(label)
        seen.add((label, result.dimension.id))
    found = {}
    for label, runs in groups.items():
        versions = {run.version() for run in runs.values()}
        by_version = len(versions) == len(runs) and 0 not in versions
        for run in runs.values():
            own = f" · version {run.version()}" if by_version else f" · run {run.id}"
            found[run.id] = label + (own if label in twice else "")
    return found


def result_words(result: DimensionResult, results: Sequence[DimensionResult]) -> str:
    """Return the dimension's name, with the method if `results` are of several methods."""
    labels = method_labels(results)
    several = len(set(labels.values())) > 1
    return f"{result.dimension.name} · {labels[result.run.id]}" if several else result.dimension.name


@dataclass(frozen=True, slots=True)
class GridRow:
    """A method's results by dimension. `average` is empty if a dimension is missing or there is only one."""

    label: str
    results: Mapping[str, DimensionResult]
    average: Mapping[Measure, Figure]

    def figure(self, column: str, name: FigureName) -> Figure | None:
        """Return the figure of a dimension, or of the average; None if the method didn't score it."""
        if column == AVERAGE:
            return self.average.get(name)
        result = self.results.get(column)
        if result is None:
            return None
        return result.meta.mae if name == "mae" else result.meta.figures[name]

    @property
    def runs(self) -> tuple[int, ...]:
        return tuple(sorted({result.run.id for result in self.results.values()}))


@dataclass(frozen=True, slots=True)
class MethodGrid:
    """The grid; `dimensions` are in the project's order."""

    dimensions: tuple[str, ...]
    rows: tuple[GridRow, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the dimensions, and their average if there are several and a method scored all of them."""
        return (*self.dimensions, AVERAGE) if any(row.average for row in self.rows) else self.dimensions

    def row(self, label: str) -> GridRow | None:
        return next((row for row in self.rows if row.label == label), None)


def method_grid(results: Sequence[DimensionResult]) -> MethodGrid:
    """Return the grid of these results, methods in the order of the results."""
    labels = method_labels(results)
    by_row: dict[str, dict[str, DimensionResult]] = {}
    for result in results:
        by_row.setdefault(labels[result.run.id], {})[_heading(result)] = result
    ordered = sorted(results, key=lambda each: each.dimension.position)
    dimensions = tuple(dict.fromkeys(map(_heading, ordered)))
    rows = []
    for label, found in by_row.items():
        whole = len(dimensions) > 1 and len(found) == len(dimensions)
        average = mean_figures([found[name] for name in dimensions]) if whole else {}
        rows.append(GridRow(label, found, average))
    return MethodGrid(dimensions, tuple(rows))


def _heading(result: DimensionResult) -> str:
    """Return the dimension's name, changed if it equals another heading."""
    name = result.dimension.name
    return f"{name} (dimension)" if name in (METHOD, AVERAGE) else name


@dataclass(frozen=True, slots=True)
class Difference:
    """A cell minus the same cell of the reference row, on the texts both scored, with its paired 95 % interval.

    p: None for the MAE, which has no test.
    """

    value: float
    low: float | None
    high: float | None
    p: float | None

    @property
    def mark(self) -> str:
        """Return † for p below .05, ‡ below .01, else ""."""
        if self.p is None or self.p >= LIKELY:
            return ""
        return "‡" if self.p < SURE else "†"

    def __str__(self) -> str:
        return f"{self.value:+.3f}{self.mark}"


Comparisons = Mapping[tuple[str, str], RunComparison]  # (row, dimension) -> the row against the reference


@use_case(Right.READ)
def comparisons_with(
    workbench: Workbench, project_id: int, grid: MethodGrid, reference: str, choices: Choices
) -> Comparisons:
    """Return (row, dimension) -> comparison with the reference. Each takes about a second, and is then cached."""
    base = grid.row(reference)
    found: dict[tuple[str, str], RunComparison] = {}
    for name, result in base.results.items() if base else ():
        others = [row for row in grid.rows if row is not base and name in row.results]
        runs = [result.run.id, *(row.results[name].run.id for row in others)]
        first, *rest = sets_named(workbench, project_id, result.dimension.id, runs)
        compared = compare_runs(workbench, result.dimension.id, first, rest, choices)
        found |= {(row.label, name): one for row, one in zip(others, compared, strict=True)}
    return found


def difference(compared: Comparisons, row: str, column: str, name: FigureName) -> Difference | None:
    """Return the difference of a cell; None for the average, the reference itself, and undefined figures."""
    found = compared.get((row, column))
    if found is None or found.comparison is None:
        return None
    if name == "mae":
        figure, p = found.comparison.mae, None
    else:
        tested = found.comparison.differences[name]
        figure, p = tested.figure, tested.permutation.p if tested.p_holm is None else tested.p_holm
    return None if figure.difference is None else Difference(figure.difference, figure.low, figure.high, p)


def cell(figure: Figure | None) -> str:
    """Return a figure with its interval in brackets; a dash if there is none."""
    return UNDEFINED if figure is None else interval_shown(figure.value, figure.low, figure.high) or UNDEFINED


def grid_notes(grid: MethodGrid, names: Sequence[FigureName], reference: str = "") -> list[str]:
    """Return notes below the grid: level, intervals, texts, average, marks, and why cells are empty."""
    results = [result for row in grid.rows for result in row.results.values()]
    if not results:
        return []
    choices = results[0].choices
    in_brackets = "; in brackets 95 % bootstrap intervals" if choices.resamples else ""
    about = f"{', '.join(FIGURES[name] for name in names)} with the mean human rating, {_LEVELS[choices.level]}"
    notes = [f"{about}{in_brackets}; n = {_texts(results)} texts."]
    if choices.systems.without:
        notes.append(f"Without the texts of {', '.join(choices.systems.without)}.")
    if AVERAGE in grid.columns:
        notes.append(f"Average over the {len(grid.dimensions)} dimensions, of methods that scored all of them.")
    if reference:
        tests = [name for name in names if name != "mae"]
        untested = "neither the average nor the MAE has a test" if "mae" in names else "the average has no test"
        what = f"{MARKS}; {untested}" if tests else "The MAE has no test"
        notes.append(f"Signed: difference to {reference} on the texts both scored. {what}.")
    for name in names:
        figures = [figure for row in grid.rows for column in grid.columns if (figure := row.figure(column, name))]
        reasons = dict.fromkeys(figure.reason.rstrip(".") for figure in figures if figure.value is None)
        notes += [f"{FIGURES[name]} {UNDEFINED}: {reason}." for reason in reasons if reason]
    return notes


def defined_figures(grid: MethodGrid) -> list[FigureName]:
    """Return the figures that at least one cell has."""
    found = {
        name
        for name in FIGURES
        for row in grid.rows
        for column in grid.dimensions
        if (figure := row.figure(column, name)) is not None and figure.value is not None
    }
    return [name for name in FIGURES if name in found]


def _texts(results: Sequence[DimensionResult]) -> str:
    counts = sorted({result.meta.basis.n_used or result.meta.basis.n for result in results})
    return f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"


@use_case(Right.READ)
def ceilings_of(
    workbench: Workbench, project_id: int, grid: MethodGrid, name: FigureName
) -> dict[tuple[str, str], Ceiling]:
    """Return (row, dimension) -> agreement of one rater with the others on the row's texts, where known; {} for the
    MAE."""
    if name == "mae":
        return {}
    found = {
        (row.label, column): ceiling_beside(workbench, result)[0][name]
        for row in grid.rows
        for column, result in row.results.items()
        if not result.locked
    }
    return {place: ceiling for place, ceiling in found.items() if ceiling.value is not None}


@dataclass(frozen=True, slots=True)
class DimensionMean:
    """A run's figures ("mae" among them), averaged over a number of dimensions. `result` is one of those averaged."""

    result: DimensionResult
    dimensions: int
    figures: Mapping[Measure, Figure]

    def to_json(self) -> dict[str, object]:
        figures: dict[str, object] = {name: figure.to_json() for name, figure in self.figures.items()}
        return {"run": self.result.run.id, "dimensions": self.dimensions, **figures}


def dimension_means(results: Sequence[DimensionResult]) -> list[DimensionMean]:
    """Return means over dimensions, for each run with several among the results, in their order."""
    by_run: dict[int, list[DimensionResult]] = {}
    for result in results:
        by_run.setdefault(result.run.id, []).append(result)
    return [
        DimensionMean(several[0], len(several), mean_figures(several))
        for several in by_run.values()
        if len(several) > 1
    ]


def mean_figures(results: Sequence[DimensionResult]) -> Mapping[Measure, Figure]:
    """Return the coefficients and "mae", averaged over these results of different dimensions."""
    return _kept(tuple(map(_KeyedResult, results)), results[0].choices)


class _KeyedResult:
    """A result that is compared by its reading and choices for caching, because comparing texts would take longer than
    averaging."""

    def __init__(self, result: DimensionResult) -> None:
        self.result = result
        self._key = (result.run.id, result.dimension.id, result.reading, result.locked, result.soft)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _KeyedResult) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@lru_cache(maxsize=64)
def _kept(several: tuple[_KeyedResult, ...], choices: Choices) -> Mapping[Measure, Figure]:
    results = [each.result for each in several]
    rows = {row.text: row for result in results for row in result.rows}
    scored = []
    for result in results:
        counted = {row.text: row for row in result.rows if row.counts(choices.include_partial)}
        human = {row.text: row.human for row in result.rows}
        pred = [counted[text].score if text in counted else None for text in rows]
        scored.append(ScoredDimension(pred, [human.get(text) for text in rows], result.on_scale))
    return mean_over_dimensions(scored, choices.design(rows.values()))
