"""Arrays from a table's columns: each text's source, system, scores and human rating."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from app.errors import InputError

Level = Literal["per-source", "dataset", "system"]
Coefficient = Literal["spearman", "kendall", "pearson"]
Duplicates = Literal["once", "keep"]
Constant = Literal["skip", "zero"]
Resampling = Literal["sources", "systems", "both", "texts"]
Correction = Literal["ppi", "rogan-gladen"]
AltMetric = Literal["accuracy", "rmse"]

EPSILON = 0.2
"""The advantage over experts that the alternative annotator test gives a judge."""

COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)
"""The order of the coefficient axis in every array of this package."""
MAE = len(COEFFICIENTS)
"""Index of the mean absolute error in arrays of figures, after the coefficients."""
Measure = Literal["spearman", "kendall", "pearson", "mae"]
MEASURES: tuple[Measure, ...] = get_args(Measure)


def chosen(value: str, literal: object, what: str) -> None:
    """Raise InputError unless `literal` allows `value`; the message names `what`, the value and the possible values."""
    allowed = cast("tuple[str, ...]", get_args(literal))
    if value not in allowed:
        raise InputError(f"{value!r} is not a {what}.", f"Choose {', '.join(allowed[:-1])} or {allowed[-1]}.")


def default_resampling(level: Level, *, grouped: bool) -> Resampling:
    """Return the unit that the bootstrap resamples by default: systems for system figures, else sources, else texts.

    Texts of one source are alike, so a known source is drawn as a whole, also at the dataset level.
    """
    if level == "system":
        return "systems"
    return "sources" if grouped else "texts"


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Column = Sequence[object] | NDArray[np.generic]

ABSURD = 1e100
"""Scores beyond this are treated as missing: they come from an overflow, and their square can't be computed."""
SPARSE = 4
"""Columns stand for systems unless that makes the grid this many times bigger than the number of texts."""


@dataclass(frozen=True, slots=True)
class RowCounts:
    """Counts of rows used and left out. `missing_*` count rows with an empty cell or no usable number, after
    duplicates.

    `duplicates` counts rows beyond the first of the same source and system (and item); `conflicting` those of them
    that carry other scores than the first. They are left out under "once" and stay under "keep".
    """

    rows: int
    duplicates: int
    conflicting: int
    missing_pred: tuple[int, ...]
    missing_human: int
    missing_key: int
    duplicates_knowable: bool


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """N texts that have every score and a rating.

    `scores` is (C, N): one row a predictor (one to evaluate, two to compare); `human` is (N,), `source` and `system`
    are (N,) codes from 0, or None where the column wasn't given. `sources` and `systems` count all that the rows
    named, also those that lost every text to missing values.
    """

    scores: Floats
    human: Floats
    source: Ints | None
    system: Ints | None
    sources: int
    systems: int
    intake: RowCounts

    @property
    def n(self) -> int:
        return int(self.human.size)


@dataclass(frozen=True, slots=True, eq=False)
class SourceGrid:
    """Texts in a grid of sources x slots, so that all groups are computed at once.

    `scores` is (C, G, K), `human` and `present` (G, K), 0 for an empty slot. `system` (G, K) is the system of the text
    in a slot, 0 if empty or unknown. `aligned`: slot k holds the same system in every group.
    """

    scores: Floats
    human: Floats
    present: Bools
    system: Ints
    aligned: bool


def numbers(column: Column) -> Floats:
    """Return a float array with NaN for a cell that is None, empty, not finite or beyond ABSURD.

    Raises:
        InputError: a cell that is neither a number nor empty.
    """
    if isinstance(column, np.ndarray) and column.dtype.kind in "fiub":
        values = column.astype(np.float64)
    else:
        try:
            values = np.array([np.nan if _is_missing(cell) else float(cell) for cell in column])  # type: ignore[arg-type]
        except (TypeError, ValueError) as error:
            raise InputError(f"A score is not a number: {error}.", "Scores and ratings must be numbers.") from error
        values = values.astype(np.float64)
    return np.where(np.abs(values) < ABSURD, values, np.nan)


def score_table(
    preds: Sequence[Column],
    human: Column,
    *,
    group: Column | None = None,
    system: Column | None = None,
    item: Column | None = None,
    duplicates: Duplicates = "once",
) -> ScoreTable:
    """Build the table; all columns have one cell a row.

    Raises:
        InputError: columns of different lengths, or a cell that is neither a number nor empty.
    """
    scores = np.stack([numbers(pred) for pred in preds]) if len({len(p) for p in preds}) == 1 else None
    ratings = numbers(human)
    keys = [column for column in (group, system, item) if column is not None]
    if scores is None or any(len(column) != scores.shape[1] for column in (ratings, *keys)):
        raise InputError("The columns have different lengths.", "Give one cell a row in every column.")
    source_code, sources = _codes(group)
    system_code, systems = _codes(system)
    item_code, _ = _codes(item)
    repeated, first = _repeats(source_code, system_code, item_code, ratings.size)
    values = np.vstack([scores, ratings])
    same: Bools = np.all((values == values[:, first]) | (np.isnan(values) & np.isnan(values[:, first])), axis=0)
    conflicting = repeated & ~same
    kept = ~repeated if duplicates == "once" else np.ones(ratings.size, dtype=bool)
    missing = np.isnan(values)
    missing_key = np.zeros(ratings.size, dtype=bool)
    for code in (source_code, system_code):
        if code is not None:
            missing_key |= code < 0
    intake = RowCounts(
        rows=int(ratings.size),
        duplicates=int(repeated.sum()),
        conflicting=int(conflicting.sum()),
        missing_pred=tuple(int(count) for count in (missing[:-1] & kept).sum(axis=1)),
        missing_human=int((missing[-1] & kept).sum()),
        missing_key=int((missing_key & kept).sum()),
        duplicates_knowable=item is not None or (group is not None and system is not None),
    )
    used = kept & ~missing.any(axis=0) & ~missing_key
    return ScoreTable(
        scores=scores[:, used],
        human=ratings[used],
        source=None if source_code is None else source_code[used],
        system=None if system_code is None else system_code[used],
        sources=sources,
        systems=systems,
        intake=intake,
    )


def first_of_kind(group: Column | None, system: Column | None, item: Column | None, rows: int) -> Bools:
    """Return (rows,) False where a row repeats the source and system (and item) of an earlier one."""
    repeated, _ = _repeats(_codes(group)[0], _codes(system)[0], _codes(item)[0], rows)
    return ~repeated


def source_grid(table: ScoreTable) -> SourceGrid:
    """Lay the texts out by source; without a source column all texts form one group."""
    source = np.zeros(table.n, dtype=np.int64) if table.source is None else table.source
    groups = max(table.sources, 1)
    slot, slots, aligned = _slots(table, source, groups)
    place = (source, slot)
    shape = (groups, max(slots, 1))
    present = np.zeros(shape, dtype=bool)
    present[place] = True
    human = np.zeros(shape)
    human[place] = table.human
    scores = np.zeros((table.scores.shape[0], *shape))
    scores[:, source, slot] = table.scores
    system = np.zeros(shape, dtype=np.int64)
    if aligned:
        system[:] = np.arange(shape[1])
    elif table.system is not None:
        system[place] = table.system
    return SourceGrid(scores, human, present, system, aligned)


def _slots(table: ScoreTable, source: Ints, groups: int) -> tuple[Ints, int, bool]:
    """Return each text's slot in its group, the number of slots, and whether slots are systems."""
    if table.system is not None and groups * table.systems <= SPARSE * max(table.n, 1):
        cells = source * table.systems + table.system
        if np.unique(cells).size == table.n:
            return table.system, table.systems, True
    order = np.argsort(source, kind="stable")
    sizes = np.bincount(source, minlength=groups)
    starts = np.cumsum(sizes) - sizes
    slot = np.empty(table.n, dtype=np.int64)
    slot[order] = np.arange(table.n) - np.repeat(starts, sizes)
    return slot, int(sizes.max(initial=0)), False


def _is_missing(cell: object) -> bool:
    """Return whether the cell is None, NaN, pandas' NA or NaT (which don't equal themselves), or a blank string."""
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        return True
    equal = cell == cell  # noqa: PLR0124 - the definition of NaN
    return not isinstance(equal, bool | np.bool_) or not equal


def _codes(column: Column | None) -> tuple[Ints | None, int]:
    """Return codes from 0 in order of appearance, -1 for an empty cell, and the number of distinct values."""
    if column is None:
        return None, 0
    seen: dict[Hashable, int] = {}
    words: dict[str, int] = {}  # names repeat: each is looked at once

    def code(cell: object) -> int:
        return (
            -1 if _is_missing(cell) else seen.setdefault(cell if isinstance(cell, Hashable) else str(cell), len(seen))
        )

    cells: Iterable[object] = column.tolist() if isinstance(column, np.ndarray) else column
    codes = []
    for cell in cells:
        if type(cell) is str:
            found = words.get(cell)
            codes.append(words.setdefault(cell, code(cell)) if found is None else found)
        else:
            codes.append(code(cell))
    return np.array(codes, dtype=np.int64), len(seen)


def _repeats(source: Ints | None, system: Ints | None, item: Ints | None, rows: int) -> tuple[Bools, Ints]:
    """Return which rows repeat an earlier one, and for each row the index of the first with its key.

    A source alone doesn't identify a text, nor does a system: without both, or an item, no row counts as repeated.
    """
    itself = np.arange(rows)
    if item is None and (source is None or system is None):
        return np.zeros(rows, dtype=bool), itself
    parts = [code for code in (source, system, item) if code is not None]
    _, first, inverse = np.unique(np.stack(parts), axis=1, return_index=True, return_inverse=True)
    firsts = first[inverse.reshape(-1)] if rows else itself
    known = np.all(np.stack(parts) >= 0, axis=0)
    return known & (firsts != itself), firsts


FEWEST = 3
"""Two points always lie on a line: a single coefficient over fewer than three says nothing."""
OTHER_SCALE = "The scores are not on the scale of the ratings, so how far the two are apart says nothing."
ONE_SOURCE = "Only one source has a coefficient, and an interval needs at least two to draw from."
TOO_CLOSE = "The scores differ by less than can be computed with."


def pool_reason(scores: Floats, human: Floats, unit: str) -> str:
    """Return why predictors (C, N) and ratings (N,) of `unit` ("texts", "systems") have no coefficient; "" if they
    have."""
    few = too_few(human.size, unit)
    if few:
        return few
    if np.ptp(human) == 0:
        return f"All {unit} have the same human rating, so there is no order to agree with."
    if np.any(np.ptp(scores, axis=1) == 0):
        return f"All {unit} have the same score, so there is no order to compare with people's."
    return ""


def group_reason(n: int, n_used: int, groups_constant: int, groups_small: int) -> str:
    """Return why sources have no coefficient, "" if they have; `n_used` of `n` texts are in sources that have one."""
    few = too_few(n, "texts")
    if few:
        return few
    if n_used >= FEWEST:
        return ""
    if n_used == 2:
        return "The only source with a coefficient has two texts, where it could only be +1 or -1."
    if groups_constant == 0:
        return "No source has two or more texts with a score and a rating, so nothing can be compared inside a source."
    if groups_small == 0:
        return "In every source the scores or the human ratings are all the same, so no source has a coefficient."
    return "Every source has constant scores, constant ratings or fewer than two texts, so none has a coefficient."


def too_few(count: int, unit: str) -> str:
    """Return why `count` is too small for a coefficient; "" from FEWEST."""
    if count == 0:
        return f"No {unit} have both a score and a human rating."
    if count == 1:
        return f"Only one of the {unit} has both a score and a human rating; a correlation needs at least three."
    if count == 2:
        return f"With only two {unit} a correlation could only be +1 or -1; it needs at least three."
    return ""
