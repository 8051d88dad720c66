"""The mean of each figure over a task's dimensions: the headline column of G-Eval, CheckEval and InteractEval.

The mean is taken inside each resample, and every dimension is drawn the same way (the same sources or systems, also
where one of them lacks some), so that its interval knows that the dimensions share their texts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.errors import InputError
from app.meta_evaluation.bootstrap import Draws, interval, resample
from app.meta_evaluation.choices import COEFFICIENTS, RESAMPLES, Constant, Duplicates, Level, Resampling
from app.meta_evaluation.correlation import estimate
from app.meta_evaluation.design import design_of
from app.meta_evaluation.evaluation import Figure, signature_of
from app.meta_evaluation.reasons import OTHER_SCALE, TOO_CLOSE
from app.meta_evaluation.resampling import Multiplicities, draw_counts
from app.meta_evaluation.score_matrix import Column, ScoreTable, score_table

BY_TEXT = "Single texts were drawn, which dimensions with other texts can't share."


@dataclass(frozen=True, slots=True)
class ScoredDimension:
    """Columns over the rows that all dimensions share, empty where this one has no score or rating.

    on_scale: whether scores are on the scale of the ratings, so that there is a MAE.
    """

    pred: Column
    human: Column
    on_scale: bool


def mean_over_dimensions(
    dimensions: Sequence[ScoredDimension],
    *,
    group: Column | None = None,
    system: Column | None = None,
    item: Column | None = None,
    level: Level = "per-source",
    duplicates: Duplicates = "once",
    constant: Constant = "skip",
    resampling: Resampling | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Mapping[str, Figure]:
    """The coefficients and "mae"; `n` is the fewest texts of any dimension. None where one lacks it, for its reason.

    Raises:
        InputError: no dimension, or what `evaluate` raises.
    """
    if not dimensions:
        raise InputError("There is no dimension to average over.", "Name at least one.")
    tables = [
        score_table([each.pred], each.human, group=group, system=system, item=item, duplicates=duplicates)
        for each in dimensions
    ]
    design = design_of(tables[0], level, duplicates, constant, resampling, resamples, seed)
    found = [estimate(table, level, constant) for table in tables]
    draws = _drawn_together(tables, level, constant, design.resampling, resamples, seed)
    n = min(each.basis.n_used or each.basis.n for each in found)
    fewest = min((each.basis for each in found), key=lambda basis: basis.groups_used)
    figures = {}
    for index, name in enumerate((*COEFFICIENTS, "mae")):
        signature = signature_of(f"{name} mean of {len(dimensions)} dimensions", design, fewest)
        values = [each.values[0, index] for each in found]
        reason = ""
        if np.isnan(values).any():
            reason = next((each.reason for each in found if each.reason), TOO_CLOSE)
        if name == "mae" and not all(each.on_scale for each in dimensions):
            reason = OTHER_SCALE
        if reason:
            figures[name] = Figure(None, None, None, n, 0, "none", seed, signature, reason)
        elif not draws:
            figures[name] = Figure(float(np.mean(values)), None, None, n, 0, "none", seed, signature, BY_TEXT)
        else:
            spread = interval(draws[0], np.mean([each.values[0, index] for each in draws], axis=0))
            figures[name] = Figure(
                float(np.mean(values)),
                spread.low,
                spread.high,
                n,
                spread.n_undefined,
                draws[0].method,
                seed,
                signature,
                spread.reason,
            )
    return figures


def _drawn_together(
    tables: Sequence[ScoreTable], level: Level, constant: Constant, unit: Resampling, resamples: int, seed: int
) -> list[Draws]:
    """Sources and systems have the same codes in all tables, since they were read from the same rows."""
    if unit == "texts":
        return []
    rng = np.random.default_rng(seed)
    source = system = None
    if unit != "systems":
        source = draw_counts(_named(tables, "source"), tables[0].sources, resamples, rng)
    if unit != "sources":
        system = draw_counts(_named(tables, "system"), tables[0].systems, resamples, rng)
    drawn = Multiplicities(source, system)
    return [
        resample(table, level, unit, constant=constant, resamples=resamples, rng=rng, drawn=drawn) for table in tables
    ]


def _named(tables: Sequence[ScoreTable], what: str) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """The codes of every text of any table, so that what has a text anywhere can be drawn."""
    return np.concatenate([getattr(table, what) for table in tables])
