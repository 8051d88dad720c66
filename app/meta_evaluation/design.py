"""The choices that an evaluation is made with, checked against the data before anything is computed."""

from dataclasses import dataclass

import numpy as np

from app.errors import InputError
from app.meta_evaluation.bootstrap import Draws, resample
from app.meta_evaluation.choices import Constant, Duplicates, Level, Resampling, chosen, default_resampling
from app.meta_evaluation.resampling import check_resampling
from app.meta_evaluation.score_matrix import ScoreTable


@dataclass(frozen=True, slots=True)
class Design:
    """Everything that has to be the same for a figure to come out the same."""

    level: Level
    duplicates: Duplicates
    constant: Constant
    resampling: Resampling
    resamples: int
    seed: int


def design_of(
    table: ScoreTable,
    level: Level,
    duplicates: Duplicates,
    constant: Constant,
    resampling: Resampling | None,
    resamples: int,
    seed: int,
) -> Design:
    """The choices, with the level's own resampling where none is given.

    Raises:
        InputError: a choice that doesn't exist, or a column that the level or the resampling needs.
    """
    chosen(level, Level, "level")
    chosen(duplicates, Duplicates, "way to treat duplicates")
    chosen(constant, Constant, "way to treat constant groups")
    if level == "per-source" and table.source is None:
        raise InputError("The per-source level needs to know the source of each text.", "Name its column (--group).")
    if level == "system" and table.system is None:
        raise InputError("The system level needs to know the system of each text.", "Name its column (--system).")
    if resamples < 0 or seed < 0:
        raise InputError("Resamples and seed can't be negative.", "Give 0 or more.")
    unit = resampling or default_resampling(level, grouped=table.source is not None)
    chosen(unit, Resampling, "unit to resample")
    check_resampling(table, level, unit)
    return Design(level, duplicates, constant, unit, resamples, seed)


def draw_figures(table: ScoreTable, design: Design) -> Draws:
    """The figures of every resample, from the design's own seed."""
    return resample(
        table,
        design.level,
        design.resampling,
        constant=design.constant,
        resamples=design.resamples,
        rng=np.random.default_rng(design.seed),
    )
