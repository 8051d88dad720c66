"""A method's agreement with people on a dimension: coefficients, intervals and what they rest on."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace

import numpy as np

from app.errors import InputError
from app.meta_evaluation.bootstrap import (
    AgreementDesign,
    Design,
    Draws,
    Multiplicities,
    draw_counts,
    draw_figures,
    interval,
    resample,
)
from app.meta_evaluation.captions import apart, caption, figure_cautions, resampling_caption
from app.meta_evaluation.correlation import Basis, Estimates, estimate, group_coefficients
from app.meta_evaluation.score_matrix import (
    COEFFICIENTS,
    MAE,
    MEASURES,
    ONE_SOURCE,
    OTHER_SCALE,
    TOO_CLOSE,
    Coefficient,
    Column,
    Floats,
    Measure,
    RowCounts,
    ScoreTable,
    score_table,
    source_grid,
)


@dataclass(frozen=True, slots=True)
class SourceCoefficient:
    """Spearman over the `n` texts of one source; None where it has fewer than two, or a side is constant."""

    source: str
    spearman: float | None
    n: int


def spearman_by_source(pred: Column, human: Column, group: Column) -> list[SourceCoefficient]:
    """Return Spearman by source, in the order of sources. Texts without score, rating or source are left out."""
    table = score_table([pred], human, group=group, duplicates="keep")
    if not table.sources:
        return []
    grid = source_grid(table)
    found = group_coefficients(grid.scores, grid.human, grid.present)[0, 0]
    names = list(dict.fromkeys(str(cell) for cell in group if cell is not None and str(cell).strip()))
    return [
        SourceCoefficient(name, None if np.isnan(value) else float(value), int(n))
        for name, value, n in zip(names, found, grid.present.sum(axis=1), strict=True)
    ]


SEPARATOR = "|"
ABSENT = "-"


@dataclass(frozen=True, slots=True)
class Signature:
    """`level|coefficient|groups used/all|duplicates|resamples|seed|checklist version|judge|prompt hash`.

    After the groups follow the choice on constant groups ("61/96 skip"), "partial" if texts with unanswered questions
    count, and "locked" for a held-out split; after the resamples the drawn unit ("1000 sources"). The last three are
    "-" for scores of other programs.
    """

    level: str
    coefficient: str
    groups: str
    duplicates: str
    resamples: str
    seed: str
    checklist: str = ABSENT
    judge: str = ABSENT
    prompt: str = ABSENT

    def __str__(self) -> str:
        return SEPARATOR.join(
            getattr(self, field.name).replace("%", "%25").replace(SEPARATOR, "%7C") or ABSENT for field in fields(self)
        )

    @classmethod
    def parse(cls, line: str) -> "Signature":
        """Return the signature that `str` wrote as `line`.

        Raises:
            InputError: the line doesn't have nine parts.
        """
        parts = [part.replace("%7C", SEPARATOR).replace("%25", "%") for part in line.split(SEPARATOR)]
        if len(parts) != len(fields(cls)):
            raise InputError(
                f"A signature has {len(fields(cls))} parts between {SEPARATOR!r}; this line has {len(parts)}.",
                "Copy the whole line.",
            )
        return cls(*parts)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the scores came from, for the signature; absent for scores of other programs.

    locked: the figure is for a held-out split. partial: texts with unanswered questions count too.
    """

    checklist: str = ABSENT
    judge: str = ABSENT
    prompt: str = ABSENT
    locked: bool = False
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its 95 % interval over `n` texts; None where undefined, with a `reason`.

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

    @classmethod
    def drawn(cls, value: float, n: int, draws: Draws, values: Floats, seed: int, signature: Signature) -> "Figure":
        """Return the figure with the interval of `values` (B,), its values in the resamples."""
        found = interval(draws, values)
        method = draws.method
        return cls(value, found.low, found.high, n, found.n_undefined, method, seed, signature, found.reason)

    def to_json(self) -> dict[str, object]:
        return asdict(self) | {"signature": str(self.signature)}


@dataclass(frozen=True, slots=True)
class MetaEvaluation:
    """All figures of one set of scores at one level, what they rest on, and a caption that says so."""

    design: Design
    basis: Basis
    intake: RowCounts
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
    by: AgreementDesign | None = None,
    *,
    origin: Origin | None = None,
    on_scale: bool | None = None,
) -> MetaEvaluation:
    """Return the agreement of `pred` with `human`, which have one cell a text; empty cells are counted as missing.

    on_scale: whether scores are on the scale of the ratings. There is no MAE if they are not. If that isn't known
    (None), there is none where all scores lie above or all below the ratings.

    Degenerate data give figures without a value, with a reason.

    Raises:
        InputError: a choice that doesn't exist, or a column that the level or the resampling needs.
    """
    by = by or AgreementDesign()
    table = by.table([pred], human)
    design = by.of_table(table)
    found = estimate(table, by.level, by.constant)
    draws = draw_figures(table, design)
    names = (*COEFFICIENTS, "mae")
    figures = {
        name: _figure(found, draws, index, signature_of(name, design, found.basis, origin), by.seed)
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
            by.level,
            found.basis,
            design.resampling,
            draws.units,
            (spearman.value, spearman.low, spearman.high),
            intervals=intervals,
            on_scale=on_scale,
        ),
    )


def full_caption(basis: Basis, intake: RowCounts, design: Design, undefined: int, *, intervals: bool) -> str:
    said = caption(design.level, basis, intake, design.constant, design.duplicates)
    if design.resamples == 0:
        return said
    return f"{said}; {resampling_caption(design.resampling, design.resamples, undefined, intervals=intervals)}"


def basis_json(basis: Basis, intake: RowCounts) -> dict[str, object]:
    """Return what the figures rest on, in the fields of the command line's contract."""
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
    """Return `value`, or None for NaN: no NaN reaches a person."""
    return None if np.isnan(value) else float(value)


def _figure(found: Estimates, draws: Draws, index: int, signature: Signature, seed: int) -> Figure:
    value = number(found.values[0, index])
    n = found.basis.n_used or found.basis.n
    if value is None:
        return Figure(None, None, None, n, 0, draws.method, seed, signature, found.reason or TOO_CLOSE)
    alone = signature.level == "per-source" and found.basis.groups_used == 1
    if alone and draws.units > 1 and draws.resampling in ("sources", "both"):  # it would be drawn or missing, no more
        return Figure(value, None, None, n, 0, draws.method, seed, signature, ONE_SOURCE)
    return Figure.drawn(value, n, draws, draws.values[0, index], seed, signature)


def signature_of(coefficient: str, design: Design, basis: Basis, origin: Origin | None = None) -> Signature:
    """Return the signature that reproduces a figure made with `design`; `coefficient` may name several, joined by +."""
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


BY_TEXT = "Single texts were drawn, which dimensions with other texts can't share."


@dataclass(frozen=True, slots=True)
class ScoredDimension:
    """A dimension's columns over the rows that all dimensions share; cells are empty where it has no score or rating.

    on_scale: whether scores are on the scale of the ratings, so that there is a MAE. weight: the set's weight in the
    mean, if a dimension has several sets; the weights of a dimension add up to 1.
    """

    pred: Column
    human: Column
    on_scale: bool
    weight: float = 1.0


def mean_over_dimensions(
    dimensions: Sequence[ScoredDimension], by: AgreementDesign | None = None
) -> Mapping[Measure, Figure]:
    """Return the means of the coefficients and of "mae"; `n` is the fewest texts of any dimension. A figure that one
    dimension lacks is None, for that dimension's reason.

    Raises:
        InputError: no dimension, or what `evaluate` raises.
    """
    if not dimensions:
        raise InputError("There is no dimension to average over.", "Name at least one.")
    by = by or AgreementDesign()
    tables = [by.table([each.pred], each.human) for each in dimensions]
    design = by.of_table(tables[0])
    found = [estimate(table, by.level, by.constant) for table in tables]
    draws = _drawn_together(tables, design)
    n = min(each.basis.n_used or each.basis.n for each in found)
    fewest = min((each.basis for each in found), key=lambda basis: basis.groups_used)
    weights = [each.weight for each in dimensions]
    figures = dict[Measure, Figure]()
    for index, name in enumerate(MEASURES):
        signature = signature_of(f"{name} mean of {round(sum(weights))} dimensions", design, fewest)
        values = [each.values[0, index] for each in found]
        reason = ""
        if np.isnan(values).any():
            reason = next((each.reason for each in found if each.reason), TOO_CLOSE)
        if name == "mae" and not all(each.on_scale for each in dimensions):
            reason = OTHER_SCALE
        if reason:
            figures[name] = Figure(None, None, None, n, 0, "none", by.seed, signature, reason)
            continue
        value = float(np.average(values, weights=weights))
        if draws:
            inside = np.average([each.values[0, index] for each in draws], axis=0, weights=weights)
            figures[name] = Figure.drawn(value, n, draws[0], inside, by.seed, signature)
        else:
            figures[name] = Figure(value, None, None, n, 0, "none", by.seed, signature, BY_TEXT)
    return figures


def _drawn_together(tables: Sequence[ScoreTable], design: Design) -> list[Draws]:
    """Resample all tables with the same draws. Their codes of sources and systems agree: they come from the same
    rows."""
    unit, resamples = design.resampling, design.resamples
    if unit == "texts":
        return []
    rng = np.random.default_rng(design.seed)
    source = system = None
    if unit != "systems":
        source = draw_counts(_named(tables, "source"), tables[0].sources, resamples, rng)
    if unit != "sources":
        system = draw_counts(_named(tables, "system"), tables[0].systems, resamples, rng)
    drawn = Multiplicities(source, system)
    return [
        resample(table, design.level, unit, constant=design.constant, resamples=resamples, rng=rng, drawn=drawn)
        for table in tables
    ]


def _named(tables: Sequence[ScoreTable], what: str) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Return the codes of all texts of all tables, so that each source or system with a text can be drawn."""
    return np.concatenate([getattr(table, what) for table in tables])
