"""Intervals by resampling sources, systems or texts, and the design of an analysis that says which."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from app.cluster import map_parts
from app.errors import InputError
from app.meta_evaluation.correlation import (
    WIDEST,
    crosswise,
    group_coefficients,
    group_errors,
    is_slow,
    pooled,
    rounded_means,
    rowwise,
    settle,
    system_means,
)
from app.meta_evaluation.score_matrix import (
    MAE,
    Bools,
    Column,
    Constant,
    Duplicates,
    Floats,
    Ints,
    Level,
    Resampling,
    ScoreTable,
    SourceGrid,
    chosen,
    default_resampling,
    first_of_kind,
    score_table,
    source_grid,
)

RESAMPLES = 1000
"""Resamples of a bootstrap by default."""
MANY = 20_000
MOST_DRAWN = 20_000_000
"""Most counts in memory at once, 8 bytes each: resamples times sources, systems or texts."""
ON_THE_WAY = 6
"""Temporary arrays of the counts' size that computing a coefficient takes."""


@dataclass(frozen=True, slots=True, eq=False)
class Multiplicities:
    """How often each source (B, sources), system (B, systems) or text (B, N) is drawn; None for units not drawn."""

    source: Floats | None = None
    system: Floats | None = None
    text: Floats | None = None

    def part(self, rows: slice) -> "Multiplicities":
        """Return the counts of some resamples, in the smallest integer type that holds them."""
        return Multiplicities(*(None if of is None else _small(of[rows]) for of in self._of_each()))

    def of_texts(self, table: ScoreTable) -> tuple[Floats, Ints | None]:
        """Return how often each text counts: (B, units) counts and (N,) each text's unit, or (B, N) counts and None.

        If sources and systems are drawn, a text counts as often as its source times its system.
        """
        source, system, text = (of if of is None else of.astype(np.float64, copy=False) for of in self._of_each())
        if text is not None:
            return text, None
        if system is None:
            assert source is not None
            return source, table.source
        if source is None:
            return system, table.system
        return source[:, table.source] * system[:, table.system], None

    def _of_each(self) -> "tuple[Floats | None, Floats | None, Floats | None]":
        return self.source, self.system, self.text


def _small(counts: Floats) -> Floats:
    smallest: Floats = counts.astype(np.min_scalar_type(int(counts.max(initial=0.0))))
    return smallest


def check_resampling(table: ScoreTable, level: Level, resampling: Resampling) -> None:
    """Raise InputError where the table lacks the column to resample, or resampling it makes no sense at `level`."""
    if resampling in ("sources", "both") and table.source is None:
        raise InputError(
            f"Resampling {resampling} needs to know the source of each text.", "Name the source column (--group)."
        )
    if resampling in ("systems", "both") and table.system is None:
        raise InputError(
            f"Resampling {resampling} needs to know the system of each text.", "Name the system column (--system)."
        )
    if resampling == "texts" and level != "dataset":
        raise InputError(
            f"Single texts can't be resampled at the {level} level: the groups would fall apart.",
            "Resample sources, systems or both.",
        )


def draw(table: ScoreTable, resampling: Resampling, resamples: int, rng: np.random.Generator) -> Multiplicities:
    """Draw as many units as have a text, with replacement, among these, once for each resample."""
    if resampling == "texts":
        return Multiplicities(text=draw_counts(np.arange(table.n), table.n, resamples, rng))
    source = system = None
    if resampling != "systems":
        assert table.source is not None
        source = draw_counts(table.source, table.sources, resamples, rng)
    if resampling != "sources":
        assert table.system is not None
        system = draw_counts(table.system, table.systems, resamples, rng)
    return Multiplicities(source, system)


def draw_parts(
    table: ScoreTable, level: Level, resampling: Resampling, resamples: int, rng: np.random.Generator
) -> Iterator[tuple[Multiplicities, int]]:
    """Yield resamples as from `draw`, with their number: all at once if they fit into memory, else in parts."""
    at_once = max(1, MOST_DRAWN // _counts_each(table, level, resampling))
    for start in range(0, resamples, at_once):
        some = min(at_once, resamples - start)
        yield draw(table, resampling, some, rng), some


def _counts_each(table: ScoreTable, level: Level, resampling: Resampling) -> int:
    """Return the most counts that one resample needs in memory to compute the figures of this level."""
    by_text = resampling == "texts" or (level == "dataset" and resampling == "both")
    if by_text or (level == "system" and resampling != "systems"):
        return max(table.n, 1)
    return max(table.sources if resampling != "systems" else 0, table.systems if resampling != "sources" else 0, 1)


def unit_codes(table: ScoreTable, resampling: Resampling) -> list[Ints]:
    """Return each text's unit (N,): its source, its system, or itself; for "both" its source, then its system."""
    if resampling == "texts":
        return [np.arange(table.n)]
    codes = {"sources": (table.source,), "systems": (table.system,), "both": (table.source, table.system)}[resampling]
    return [code for code in codes if code is not None]


def units(table: ScoreTable, resampling: Resampling) -> int:
    """Return how many units there are to draw from; for "both" the fewer of sources and systems."""
    return min(np.unique(code).size for code in unit_codes(table, resampling))


def count_parts(code: Ints, classes: int, resamples: int, rng: np.random.Generator, each: int) -> Iterator[Floats]:
    """Yield resamples as from `draw_counts`, in parts that fit into memory with `each` further numbers a resample and
    with the temporary arrays made of them."""
    at_once = max(1, MOST_DRAWN // max(classes, each, 1))
    if at_once < resamples:
        at_once = max(1, at_once // ON_THE_WAY)
    for start in range(0, resamples, at_once):
        yield draw_counts(code, classes, min(at_once, resamples - start), rng)


def draw_counts(code: Ints, classes: int, resamples: int, rng: np.random.Generator) -> Floats:
    """Return (B, classes) how often each class is drawn; classes without a text are never drawn."""
    filled = np.flatnonzero(np.bincount(code, minlength=classes))
    counts = np.zeros((resamples, classes))
    if filled.size > MANY:  # one draw after the other, which is faster than a number for each of so many classes
        for row in counts:
            row[filled] = np.bincount(rng.integers(filled.size, size=filled.size), minlength=filled.size)
        return counts
    if filled.size:
        counts[:, filled] = rng.multinomial(filled.size, np.full(filled.size, 1 / filled.size), size=resamples)
    return counts


CONFIDENCE = 0.95
CHUNK = 2_000_000
"""Most resamples times groups whose coefficients are in memory at once."""
PART = 25
"""Resamples that a worker takes at a time; for tables large enough for workers, each takes some hundredths of a
second."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A percentile interval; `low` and `high` are None, for `reason`, where too few resamples have a figure."""

    low: float | None
    high: float | None
    n_undefined: int
    reason: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """The figures of B resamples. `values` is (C, 4, B): for each predictor the coefficients and the MAE, NaN where a
    resample has none. `units` is the number of sources, systems or texts to draw from (for "both" the fewer)."""

    values: Floats
    units: int
    resampling: Resampling
    method: str = "percentile bootstrap"


def resample(
    table: ScoreTable,
    level: Level,
    resampling: Resampling,
    *,
    constant: Constant = "skip",
    resamples: int = RESAMPLES,
    rng: np.random.Generator,
    drawn: Multiplicities | None = None,
) -> Draws:
    """Draw `resamples` times and compute every figure each time; the same draws serve all predictors.

    `drawn`: counts drawn earlier, to use the same draws for several tables. The table must have the columns that
    `level` and `resampling` need (see check_resampling).
    """
    predictors = table.scores.shape[0]
    if resamples == 0 or table.n == 0:
        values = np.full((predictors, MAE + 1, resamples), np.nan)
        return Draws(values, units(table, resampling), resampling)
    parts = [(drawn, resamples)] if drawn else draw_parts(table, level, resampling, resamples, rng)
    grid = _Grid(source_grid(table), constant) if level == "per-source" else None
    values = np.concatenate([_figures(table, level, part, grid, count) for part, count in parts], axis=-1)
    return Draws(values, units(table, resampling), resampling)


def _figures(table: ScoreTable, level: Level, drawn: Multiplicities, grid: "_Grid | None", resamples: int) -> Floats:
    """Return the (C, 4, B) figures of the resamples `drawn`."""
    if grid is not None:
        return _per_source(grid, drawn, resamples)
    if level == "dataset":
        return _over_texts(table, drawn, resamples)
    if drawn.source is None:
        assert drawn.system is not None
        return _over(*system_means(table), drawn.system[:, np.unique(_systems(table))])
    return _over_moving_means(table, drawn.source, drawn.system)


def interval(draws: Draws, values: Floats, confidence: float = CONFIDENCE) -> Interval:
    """Return the central `confidence` of the resamples that have a figure; `values` is (B,) of `draws`, NaN where
    undefined.

    There is no interval with fewer than two units, or where more resamples are undefined than defined: the rest would
    no longer represent the data.
    """
    undefined = int(np.isnan(values).sum())
    if values.size == 0:
        return Interval(None, None, 0, "No resamples were asked for.")
    if draws.units < 2:
        what = "sources and two systems" if draws.resampling == "both" else draws.resampling
        return Interval(None, None, undefined, f"An interval needs at least two {what} to draw from.")
    if undefined * 2 > values.size:
        return Interval(
            None,
            None,
            undefined,
            f"{undefined:,} of {values.size:,} resamples have no figure: too many for an interval.",
        )
    tail = (1 - confidence) / 2
    low, high = np.quantile(values[~np.isnan(values)], [tail, 1 - tail])
    return Interval(float(low), float(high), undefined)


def _over_texts(table: ScoreTable, drawn: Multiplicities, resamples: int) -> Floats:
    """Return the (C, 4, B) figures at the dataset level. Workers take parts of the resamples of large tables."""
    if any(is_slow(score, table.human) for score in table.scores):
        starts = range(0, resamples, PART)
        found = map_parts(_part_over_texts, lambda: [drawn.part(slice(at, at + PART)) for at in starts], table)
        if found is not None:
            return np.concatenate(found, axis=2)
    return _part_over_texts(drawn, table)


def _part_over_texts(drawn: Multiplicities, table: ScoreTable) -> Floats:
    return _over(table.scores, table.human, *drawn.of_texts(table))


def _over(scores: Floats, human: Floats, weights: Floats, unit: Ints | None = None) -> Floats:
    """Return (C, 4, B) figures of a pool of texts or systems (C, M) under weights (B, M), or (B, units) and each
    `unit`."""
    distances = np.vstack([np.abs(scores - human), np.ones_like(human)])
    if unit is not None:
        distances = np.stack([np.bincount(unit, weights=each, minlength=weights.shape[1]) for each in distances])
    *sums, total = distances @ weights.T
    with np.errstate(invalid="ignore", divide="ignore"):
        errors = [each / total for each in sums]
    return np.stack([np.vstack([pooled(s, human, weights, unit), e]) for s, e in zip(scores, errors, strict=True)])


def _over_moving_means(table: ScoreTable, source: Floats, system: Floats | None) -> Floats:
    """Return (C, 4, B) figures at the system level, where drawing sources changes the systems' means."""
    assert table.source is not None
    belongs = np.eye(table.systems)[_systems(table)]
    texts = source[:, table.source]
    counts = texts @ belongs
    weights: Floats = (counts > 0).astype(np.float64) if system is None else np.where(counts > 0, system, 0.0)
    sums = np.stack([texts @ (belongs * column[:, None]) for column in (*table.scores, table.human)])
    means = rounded_means(sums / np.maximum(counts, 1))
    human = means[-1]
    figures = []
    for score in means[:-1]:
        error = (weights * np.abs(score - human)).sum(axis=1)
        total = weights.sum(axis=1)
        mae = np.where(total > 0, error / np.maximum(total, 1), np.nan)
        figures.append(np.vstack([rowwise(score, human, weights), mae]))
    return np.stack(figures)


class _Grid:
    """A grid of groups and its figures, which are the same in every resample unless systems are drawn."""

    def __init__(self, grid: SourceGrid, constant: Constant) -> None:
        self.grid, self.constant = grid, constant

    @cached_property
    def figures(self) -> tuple[Floats, Floats]:
        return _group_figures(self.grid, self.constant, None)


def _per_source(of_groups: _Grid, drawn: Multiplicities, resamples: int) -> Floats:
    """Return (C, 4, B): the weighted mean over the groups that count in each resample."""
    grid, constant = of_groups.grid, of_groups.constant
    groups = grid.human.shape[0]
    step = max(1, CHUNK // resamples) if drawn.system is not None else groups
    sums = np.zeros((grid.scores.shape[0], MAE + 1, resamples))
    count = np.zeros(resamples)
    for start in range(0, groups, step):
        part = _rows(grid, slice(start, start + step))
        figures, used = of_groups.figures if drawn.system is None else _group_figures(part, constant, drawn.system)
        weights = used * (1.0 if drawn.source is None else drawn.source[:, start : start + step])
        sums += np.einsum("cfbg,bg->cfb", np.broadcast_to(figures, (*figures.shape[:2], *weights.shape)), weights)
        count += weights.sum(axis=1)
    return np.where(count > 0, sums / np.maximum(count, 1), np.nan)


def _group_figures(grid: SourceGrid, constant: Constant, system: Floats | None) -> tuple[Floats, Floats]:
    """Return (C, 4, B, G) figures of each group and (B, G) whether it counts; B is 1 unless systems are drawn."""
    if system is None:
        coefficients = group_coefficients(grid.scores, grid.human, grid.present)[:, :, None]
        sizes = grid.present.sum(axis=1)[None].astype(np.float64)
        errors = group_errors(grid)[:, None]
    else:
        coefficients, sizes, errors = _under_systems(grid, system)
    values, used = settle(coefficients, sizes, constant)
    return np.concatenate([values, errors[:, None]], axis=1), used.astype(np.float64)


def _under_systems(grid: SourceGrid, system: Floats) -> tuple[Floats, Floats, Floats]:
    """Return (C, 3, B, G) coefficients, (B, G) sizes and (C, B, G) mean absolute errors for drawn systems."""
    distance = np.abs(grid.scores - grid.human) * grid.present
    if grid.aligned and system.shape[1] <= WIDEST:
        coefficients = np.stack([crosswise(score, grid.human, grid.present, system) for score in grid.scores])
        sizes = system @ grid.present.T.astype(np.float64)
        errors = system @ distance.transpose(0, 2, 1)
    else:
        groups = [_group_under_systems(grid, g, system) for g in range(grid.human.shape[0])]
        coefficients = np.stack([c for c, _ in groups], axis=-1)
        weights = [w for _, w in groups]
        sizes = np.stack([w.sum(axis=1) for w in weights], axis=1)
        errors = np.stack([distance[:, g, grid.present[g]] @ w.T for g, w in enumerate(weights)], axis=-1)
    return coefficients, sizes, errors / np.maximum(sizes, 1)


def _group_under_systems(grid: SourceGrid, group: int, system: Floats) -> tuple[Floats, Floats]:
    """Return (C, 3, B) coefficients of one group and the weights (B, k) of its texts."""
    here = grid.present[group]
    weights = system[:, grid.system[group, here]]
    if not here.any():
        return np.full((grid.scores.shape[0], 3, system.shape[0]), np.nan), weights
    human = grid.human[group, here]
    return np.stack([pooled(score, human, weights) for score in grid.scores[:, group, here]]), weights


def _rows(grid: SourceGrid, rows: slice) -> SourceGrid:
    return SourceGrid(grid.scores[:, rows], grid.human[rows], grid.present[rows], grid.system[rows], grid.aligned)


def _systems(table: ScoreTable) -> Ints:
    assert table.system is not None
    return table.system


@dataclass(frozen=True, slots=True)
class Design:
    """Every choice that must be the same to reproduce a figure."""

    level: Level
    duplicates: Duplicates
    constant: Constant
    resampling: Resampling
    resamples: int
    seed: int


@dataclass(frozen=True, slots=True, eq=False)
class AgreementDesign:
    """Each text's source (`group`), system and item, and how agreement is computed. `resampling` None: the default."""

    group: Column | None = None
    system: Column | None = None
    item: Column | None = None
    level: Level = "per-source"
    duplicates: Duplicates = "once"
    constant: Constant = "skip"
    resampling: Resampling | None = None
    resamples: int = RESAMPLES
    seed: int = 0

    def table(self, preds: Sequence[Column], human: Column) -> ScoreTable:
        """Return the table of the predictors `preds` and the ratings. Raises InputError for columns of different
        lengths, or a cell that is neither a number nor empty."""
        keys = {"group": self.group, "system": self.system, "item": self.item}
        return score_table(preds, human, **keys, duplicates=self.duplicates)

    def of_table(self, table: ScoreTable) -> Design:
        """Return these choices, with the level's default resampling where none is given.

        Raises:
            InputError: a choice that doesn't exist, or a column that the level or the resampling needs.
        """
        chosen(self.level, Level, "level")
        chosen(self.duplicates, Duplicates, "way to treat duplicates")
        chosen(self.constant, Constant, "way to treat constant groups")
        if self.level == "per-source" and table.source is None:
            raise InputError(
                "The per-source level needs to know the source of each text.", "Name its column (--group)."
            )
        if self.level == "system" and table.system is None:
            raise InputError("The system level needs to know the system of each text.", "Name its column (--system).")
        if self.resamples < 0 or self.seed < 0:
            raise InputError("Resamples and seed can't be negative.", "Give 0 or more.")
        unit = self.resampling or default_resampling(self.level, grouped=table.source is not None)
        chosen(unit, Resampling, "unit to resample")
        check_resampling(table, self.level, unit)
        return Design(self.level, self.duplicates, self.constant, unit, self.resamples, self.seed)

    @property
    def each_text(self) -> "AgreementDesign":
        """Return this design with every text counted, for texts whose duplicates are removed already."""
        return replace(self, item=None, duplicates="keep")

    def of(self, kept: Bools) -> "AgreementDesign":
        """Return the design of the `kept` texts alone, every one of which counts."""
        group, system = (_only(column, kept) for column in (self.group, self.system))
        return replace(self.each_text, group=group, system=system)

    def without_duplicates(self, texts: int) -> tuple["AgreementDesign", Bools]:
        """Return the design of the texts that count, and a mask of the `texts` that do."""
        if self.duplicates == "keep":
            return self.each_text, np.ones(texts, dtype=bool)
        kept = first_of_kind(self.group, self.system, self.item, texts)
        return self.of(kept), kept


def _only(column: Column | None, kept: Bools) -> list[object] | None:
    return None if column is None else [cell for cell, keep in zip(column, kept, strict=True) if keep]


def draw_figures(table: ScoreTable, design: Design) -> Draws:
    """Return the figures of every resample, drawn with the design's seed."""
    return resample(
        table,
        design.level,
        design.resampling,
        constant=design.constant,
        resamples=design.resamples,
        rng=np.random.default_rng(design.seed),
    )
