"""Resamples of sources, systems or texts, as vectors of multiplicities."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from app.errors import InputError
from app.meta_evaluation.choices import Level, Resampling
from app.meta_evaluation.score_matrix import Floats, Ints, ScoreTable

MANY = 20_000
MOST_DRAWN = 20_000_000
"""Counts that are in memory at once, 8 bytes each: resamples times sources, systems or texts."""
ON_THE_WAY = 6
"""Arrays of their size that a coefficient makes of such counts before it has a figure."""


@dataclass(frozen=True, slots=True, eq=False)
class Multiplicities:
    """(B, sources), (B, systems) and (B, N) counts; None where that unit isn't drawn."""

    source: Floats | None = None
    system: Floats | None = None
    text: Floats | None = None

    def part(self, rows: slice) -> "Multiplicities":
        """Some of the resamples, as small as whole numbers are kept; they count the same."""
        return Multiplicities(*(None if of is None else _small(of[rows]) for of in self._of_each()))

    def of_texts(self, table: ScoreTable) -> tuple[Floats, Ints | None]:
        """How often each text counts: (B, units) counts and (N,) the unit of each text, or (B, N) counts and None.

        Under drawn sources and systems a text counts as often as its source times its system.
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
    """Raises InputError where the table lacks the column to draw from, or drawing it makes no sense at `level`."""
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
    """Draw as many as there are, with replacement, from those that have a text."""
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
    """As `draw`, and how many they are: all at once where these fit into memory, else some after the other."""
    at_once = max(1, MOST_DRAWN // _counts_each(table, level, resampling))
    for start in range(0, resamples, at_once):
        some = min(at_once, resamples - start)
        yield draw(table, resampling, some, rng), some


def _counts_each(table: ScoreTable, level: Level, resampling: Resampling) -> int:
    """The most counts that a resample takes on its way to the figures of this level."""
    by_text = resampling == "texts" or (level == "dataset" and resampling == "both")
    if by_text or (level == "system" and resampling != "systems"):
        return max(table.n, 1)
    return max(table.sources if resampling != "systems" else 0, table.systems if resampling != "sources" else 0, 1)


def units(table: ScoreTable, resampling: Resampling) -> int:
    """How many there are to draw from; the fewer of sources and systems for "both"."""
    if resampling == "texts":
        return table.n
    drawn = {"sources": (table.source,), "systems": (table.system,), "both": (table.source, table.system)}[resampling]
    return min(np.unique(code).size for code in drawn if code is not None)


def count_parts(code: Ints, classes: int, resamples: int, rng: np.random.Generator, each: int) -> Iterator[Floats]:
    """As `draw_counts`, so many at a time that `each` further numbers a resample fit into memory too, and where they
    must be drawn in parts, what is made of these numbers on the way."""
    at_once = max(1, MOST_DRAWN // max(classes, each, 1))
    if at_once < resamples:
        at_once = max(1, at_once // ON_THE_WAY)
    for start in range(0, resamples, at_once):
        yield draw_counts(code, classes, min(at_once, resamples - start), rng)


def draw_counts(code: Ints, classes: int, resamples: int, rng: np.random.Generator) -> Floats:
    """(B, classes) draws; classes without a text are never drawn."""
    filled = np.flatnonzero(np.bincount(code, minlength=classes))
    counts = np.zeros((resamples, classes))
    if filled.size > MANY:  # one draw after the other, which is faster than a number for each of so many classes
        for row in counts:
            row[filled] = np.bincount(rng.integers(filled.size, size=filled.size), minlength=filled.size)
        return counts
    if filled.size:
        counts[:, filled] = rng.multinomial(filled.size, np.full(filled.size, 1 / filled.size), size=resamples)
    return counts
