"""Meta-evaluation of one set of scores: its agreement with people; the front door for it."""

from dataclasses import asdict, dataclass, field, replace

import numpy as np

from app.meta_evaluation.bootstrap import Draws, interval
from app.meta_evaluation.captions import apart, caption, figure_cautions, resampling_caption
from app.meta_evaluation.choices import (
    COEFFICIENTS,
    MAE,
    RESAMPLES,
    Coefficient,
    Constant,
    Duplicates,
    Level,
    Resampling,
)
from app.meta_evaluation.correlation import Basis, Estimates, estimate
from app.meta_evaluation.design import Design, design_of, draw_figures
from app.meta_evaluation.reasons import ONE_SOURCE, OTHER_SCALE, TOO_CLOSE
from app.meta_evaluation.score_matrix import Column, Floats, Intake, score_table
from app.meta_evaluation.signature import ABSENT, Signature


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the scores came from, for the signature; absent for scores of other programs.

    locked: the figure is over a locked test split. partial: texts with unanswered questions count too.
    """

    checklist: str = ABSENT
    judge: str = ABSENT
    prompt: str = ABSENT
    locked: bool = False
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """One number with its 95 % interval over `n` texts. Undefined is None, with a `reason` that says why.

    `n_undefined` resamples had no figure. `method` names the interval's method.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    n_undefined: int
    method: str
    seed: int
    signature: Signature
    reason: str = ""

    def to_json(self) -> dict[str, object]:
        return {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "n": self.n,
            "n_undefined": self.n_undefined,
            "method": self.method,
            "seed": self.seed,
            "signature": str(self.signature),
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class MetaEvaluation:
    """All figures of one set of scores at one level, what they rest on, and a caption that says so."""

    design: Design
    basis: Basis
    intake: Intake
    figures: dict[Coefficient, Figure]
    mae: Figure
    signature: Signature
    caption: str
    cautions: tuple[str, ...] = field(default=())

    def to_json(self) -> dict[str, object]:
        return {
            "level": self.design.level,
            **basis_json(self.basis, self.intake),
            "signature": str(self.signature),
            **{name: figure.to_json() for name, figure in self.figures.items()},
            "mae": self.mae.to_json(),
            "design": asdict(self.design),
            "caption": self.caption,
            "cautions": list(self.cautions),
        }


def evaluate(
    pred: Column,
    human: Column,
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
    origin: Origin | None = None,
    on_scale: bool | None = None,
) -> MetaEvaluation:
    """Agreement of `pred` with `human`, one cell a text; empty cells are counted as missing.

    on_scale: whether scores are on the scale of the ratings. There is no MAE where they are not or, where that isn't
    known (None), the two have no value in common.

    Degenerate data give figures without a value and a reason.

    Raises:
        InputError: a choice that doesn't exist, or a column that the level or the resampling needs.
    """
    table = score_table([pred], human, group=group, system=system, item=item, duplicates=duplicates)
    design = design_of(table, level, duplicates, constant, resampling, resamples, seed)
    found = estimate(table, level, constant)
    draws = draw_figures(table, design)
    names = (*COEFFICIENTS, "mae")
    figures = {
        name: _figure(found, draws, index, signature_of(name, design, found.basis, origin), seed)
        for index, name in enumerate(names)
    }
    mae = figures.pop("mae")
    if mae.value is not None and (apart(table) if on_scale is None else not on_scale):
        mae = replace(mae, value=None, low=None, high=None, n_undefined=0, reason=OTHER_SCALE)
    spearman = figures["spearman"]
    intervals = any(figure.low is not None for figure in (*figures.values(), mae))
    undefined = int(np.isnan(draws.values[0, :MAE]).any(axis=0).sum())
    return MetaEvaluation(
        design=design,
        basis=found.basis,
        intake=table.intake,
        figures={name: figures[name] for name in COEFFICIENTS},
        mae=mae,
        signature=signature_of("+".join(names), design, found.basis, origin),
        caption=full_caption(found.basis, table.intake, design, undefined, intervals=intervals),
        cautions=figure_cautions(
            table,
            level,
            found.basis,
            design.resampling,
            draws.units,
            (spearman.value, spearman.low, spearman.high),
            intervals=intervals,
            on_scale=on_scale,
        ),
    )


def full_caption(basis: Basis, intake: Intake, design: Design, undefined: int, *, intervals: bool) -> str:
    said = caption(design.level, basis, intake, design.constant, design.duplicates)
    if design.resamples == 0:
        return said
    return f"{said}; {resampling_caption(design.resampling, design.resamples, undefined, intervals=intervals)}"


def basis_json(basis: Basis, intake: Intake) -> dict[str, object]:
    """What the figures rest on, as the command line's contract names it."""
    return {
        "n": basis.n,
        "n_used": basis.n_used,
        "groups_used": basis.groups_used,
        "groups_all": basis.groups_all,
        "groups_constant": basis.groups_constant,
        "groups_small": basis.groups_small,
        "systems_used": basis.systems_used,
        "systems_all": basis.systems_all,
        "duplicates": intake.duplicates,
        "duplicates_conflicting": intake.conflicting,
        "ties": basis.ties.either,
        "ties_pred": list(basis.ties.pred),
        "ties_human": basis.ties.human,
        "pairs": basis.ties.pairs,
        "rows": intake.rows,
        "missing": {
            "pred": list(intake.missing_pred),
            "human": intake.missing_human,
            "group_or_system": intake.missing_key,
        },
    }


def number(value: float | Floats) -> float | None:
    """None in place of NaN: no NaN reaches a person."""
    return None if np.isnan(value) else float(value)


def _figure(found: Estimates, draws: Draws, index: int, signature: Signature, seed: int) -> Figure:
    value = number(found.values[0, index])
    n = found.basis.n_used or found.basis.n
    if value is None:
        return Figure(None, None, None, n, 0, draws.method, seed, signature, found.reason or TOO_CLOSE)
    alone = signature.level == "per-source" and found.basis.groups_used == 1
    if alone and draws.units > 1 and draws.resampling in ("sources", "both"):  # it would be drawn or missing, no more
        return Figure(value, None, None, n, 0, draws.method, seed, signature, ONE_SOURCE)
    spread = interval(draws, draws.values[0, index])
    undefined = spread.n_undefined
    return Figure(value, spread.low, spread.high, n, undefined, draws.method, seed, signature, spread.reason)


def signature_of(coefficient: str, design: Design, basis: Basis, origin: Origin | None = None) -> Signature:
    """The line that reproduces a figure made with `design`; `coefficient` may name several, joined by +."""
    known = origin or Origin()
    marks = f"{' partial' if known.partial else ''}{' locked' if known.locked else ''}"
    return Signature(
        level=design.level,
        coefficient=coefficient,
        groups=f"{basis.groups_used}/{basis.groups_all} {design.constant}{marks}",
        duplicates=design.duplicates,
        resamples=f"{design.resamples} {design.resampling}",
        seed=str(design.seed),
        checklist=known.checklist,
        judge=known.judge,
        prompt=known.prompt,
    )
