"""Comparison of two methods or conditions on the same texts, and means of figures over dimensions."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TypeVar

import numpy as np

from app.errors import InputError
from app.meta_evaluation.bootstrap import AgreementDesign, Design, Draws, draw_figures, interval, units
from app.meta_evaluation.captions import apart, cautions, figure_cautions
from app.meta_evaluation.correlation import Basis, Estimates, estimate, group_coefficients, settle, single, system_means
from app.meta_evaluation.evaluation import Figure, Origin, Signature, basis_json, full_caption, number, signature_of
from app.meta_evaluation.permutation import (
    FISHER_CAVEAT,
    DifferenceTest,
    fisher_z,
    holm,
    permutation_tests,
    permuted_differences,
    stars,
    tests_of,
    untestable,
    williams,
)
from app.meta_evaluation.score_matrix import (
    COEFFICIENTS,
    MAE,
    MEASURES,
    OTHER_SCALE,
    TOO_CLOSE,
    Coefficient,
    Column,
    Floats,
    Measure,
    RowCounts,
    ScoreTable,
    numbers,
    source_grid,
)

Key = TypeVar("Key")
PERMUTATIONS = 10_000
SURE = 0.05
APPROXIMATE = (
    "Williams' and Fisher's tests were made for Pearson's r of independent texts; for ranks, and for means over "
    "sources (n is then the number of texts used), they are approximations: read the permutation test first."
)


@dataclass(frozen=True, slots=True)
class Difference:
    """A figure of A, of B, and A less B with its paired 95 % interval; None where undefined, with the `reason`."""

    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    n: int
    n_undefined: int
    seed: int
    reason: str = ""
    method: str = "paired percentile bootstrap"


@dataclass(frozen=True, slots=True)
class TestedDifference:
    """A coefficient's difference with three two-sided tests. `p_holm` is the permutation test's p after Holm's
    correction, None unless several comparisons were corrected together."""

    figure: Difference
    permutation: DifferenceTest
    williams: DifferenceTest
    fisher: DifferenceTest
    p_holm: float | None = None

    @property
    def stars(self) -> str:
        """Return the stars of the permutation test, after Holm's correction where there is one."""
        return stars(self.permutation.p if self.p_holm is None else self.p_holm)

    @property
    def is_significant(self) -> bool:
        """Return whether the interval leaves out 0 and the permutation test (corrected, if it was) is significant."""
        low, high, p = self.figure.low, self.figure.high, self.permutation.p if self.p_holm is None else self.p_holm
        return low is not None and high is not None and not low <= 0 <= high and p is not None and p < SURE

    def to_json(self) -> dict[str, object]:
        tests = (self.permutation, self.williams, self.fisher)
        return {
            **asdict(self.figure),
            "p_permutation": self.permutation.p,
            "p_williams": self.williams.p,
            "p_fisher": self.fisher.p,
            "p_permutation_holm": self.p_holm,
            "t_williams": self.williams.statistic,
            "z_fisher": self.fisher.statistic,
            "n_undefined_permutations": self.permutation.n_undefined,
            "tests_not_made": [f"{test.method}: {test.reason}" for test in tests if test.reason],
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sets of scores on the same texts. Only sources in which both have a coefficient count."""

    design: Design
    permutations: int
    basis: Basis
    intake: RowCounts
    differences: dict[Coefficient, TestedDifference]
    mae: Difference
    signature: Signature
    caption: str
    cautions: tuple[str, ...] = field(default=())

    def to_json(self) -> dict[str, object]:
        return {
            "level": self.design.level,
            **basis_json(self.basis, self.intake),
            "signature": str(self.signature),
            **{name: difference.to_json() for name, difference in self.differences.items()},
            "mae": asdict(self.mae),
            "design": {**asdict(self.design), "permutations": self.permutations},
            "caption": self.caption,
            "cautions": list(self.cautions),
        }


def compare_scores(
    pred_a: Column,
    pred_b: Column,
    human: Column,
    by: AgreementDesign | None = None,
    *,
    permutations: int = PERMUTATIONS,
    origin: Origin | None = None,
    on_scale: bool | None = None,
) -> Comparison:
    """Compare how well A and B agree with people. Texts that lack either score or the rating are left out and counted.

    on_scale: whether both are on the scale of the ratings. There is no MAE if one is not. If that isn't known (None),
    there is none where all its values lie above or all below the ratings.

    Raises:
        InputError: a choice that doesn't exist, or a column that the level or the resampling needs.
    """
    by = by or AgreementDesign()
    table = by.table([pred_a, pred_b], human)
    design = by.of_table(table)
    if permutations < 0:
        raise InputError("Permutations can't be negative.", "Give 0 or more.")
    found = estimate(table, by.level, by.constant)
    draws = draw_figures(table, design)
    figures = [_difference(found, draws, index, by.seed) for index in range(MAE + 1)]
    if figures[MAE].difference is not None and (apart(table) if on_scale is None else not on_scale):
        figures[MAE] = Difference(None, None, None, None, None, figures[MAE].n, 0, by.seed, OTHER_SCALE)
    undefined = int(np.isnan(draws.values[:, :MAE]).any(axis=(0, 1)).sum())
    intervals = any(figure.low is not None for figure in figures)
    said = cautions(
        table, by.level, found.basis, design.resampling, draws.units, intervals=intervals, on_scale=on_scale
    )
    return Comparison(
        design=design,
        permutations=permutations,
        basis=found.basis,
        intake=table.intake,
        differences=_tested(table, design, found, figures, permutations),
        mae=figures[MAE],
        signature=signature_of("+".join((*COEFFICIENTS, "mae")), design, found.basis, origin),
        caption=full_caption(found.basis, table.intake, design, undefined, intervals=intervals),
        cautions=(*said, FISHER_CAVEAT, APPROXIMATE),
    )


def corrected(made: Mapping[Key, Comparison]) -> dict[Key, Comparison]:
    """Return the comparisons with Holm's correction of the permutation tests over all of them, for each coefficient."""
    adjusted = {
        name: holm([comparison.differences[name].permutation.p for comparison in made.values()])
        for name in COEFFICIENTS
    }
    return {
        key: replace(
            comparison,
            differences={
                name: replace(difference, p_holm=adjusted[name][index])
                for name, difference in comparison.differences.items()
            },
        )
        for index, (key, comparison) in enumerate(made.items())
    }


def _difference(found: Estimates, draws: Draws, index: int, seed: int) -> Difference:
    a, b = (number(value) for value in found.values[:, index])
    n = found.basis.n_used or found.basis.n
    if a is None or b is None:
        return Difference(a, b, None, None, None, n, 0, seed, found.reason or TOO_CLOSE)
    spread = interval(draws, draws.values[0, index] - draws.values[1, index])
    return Difference(a, b, a - b, spread.low, spread.high, n, spread.n_undefined, seed, spread.reason)


def _tested(
    table: ScoreTable, design: Design, found: Estimates, figures: list[Difference], permutations: int
) -> dict[Coefficient, TestedDifference]:
    observed = found.values[0, :MAE] - found.values[1, :MAE]
    permuted = permutation_tests(table, design, observed, permutations=0 if found.reason else permutations)
    n = found.basis.systems_used if design.level == "system" else found.basis.n_used
    between = _between(table, design)
    tested: dict[Coefficient, TestedDifference] = {}
    for name, figure, permutation, ab in zip(COEFFICIENTS, figures[:MAE], permuted, between, strict=True):
        if figure.a is None or figure.b is None:
            absent = "There is no difference to test."
            pair = (untestable("Williams' t", n, absent), untestable("Fisher's z", n, absent))
        else:
            pair = (williams(figure.a, figure.b, float(ab), n), fisher_z(figure.a, figure.b, n, n))
        tested[name] = TestedDifference(figure, permutation, *pair)
    return tested


def _between(table: ScoreTable, design: Design) -> Floats:
    """Return the (3,) coefficients of A with B at the same level, over the same groups, as Williams' test needs."""
    a, b = table.scores
    if design.level == "dataset":
        return single(a, b)
    if design.level == "system":
        (a, b), _ = system_means(table)
        return single(a, b)
    grid = source_grid(table)
    sizes = grid.present.sum(axis=1).astype(np.float64)
    _, used = settle(group_coefficients(grid.scores, grid.human, grid.present), sizes, design.constant)
    values, _ = settle(group_coefficients(grid.scores[:1], grid.scores[1], grid.present), sizes, design.constant)
    return values[0][:, used].mean(axis=1) if used.any() else np.full(MAE, np.nan)


SEVERAL = "Made for two correlations, not for means over several checklists."


def averaged(
    preds: Sequence[Column], human: Column, by: AgreementDesign, origin: Origin | None = None
) -> dict[Measure, Figure]:
    """Return the mean of each figure over score sets of the same texts, each over its own sources, with its 95 %
    interval.

    Scores must be on the scale of the ratings, for the MAE. `n` is the fewest texts that count in any set. If one set
    has no coefficient there is no mean, for that set's reason.

    Raises:
        InputError: what `evaluate` raises; or sets that lack different texts, which can't be drawn together.
    """
    columns = _same_texts(preds)
    tables = [by.table([column], human) for column in columns]
    design = by.of_table(tables[0])
    found = [estimate(table, by.level, by.constant) for table in tables]
    draws = [draw_figures(table, design) for table in tables]
    inside = np.mean([each.values[0] for each in draws], axis=0)
    reason = next((each.reason for each in found if each.reason), "")
    n = min(each.basis.n_used or each.basis.n for each in found)
    fewest = min((each.basis for each in found), key=lambda basis: basis.groups_used)
    figures = dict[Measure, Figure]()
    for index, name in enumerate(MEASURES):
        signature = signature_of(name, design, fewest, origin)
        values = [each.values[0, index] for each in found]
        if np.isnan(values).any() or (reason and index < MAE):
            figures[name] = Figure(None, None, None, n, 0, draws[0].method, by.seed, signature, reason)
            continue
        mean = float(np.mean(values))
        figures[name] = Figure.drawn(mean, n, draws[0], inside[index], by.seed, signature)
    return figures


def averaged_cautions(
    preds: Sequence[Column], human: Column, by: AgreementDesign, figures: Mapping[Measure, Figure]
) -> tuple[tuple[str, ...], ...]:
    """Return for each set every caution that `evaluate` gives it alone; `figures` are those of `averaged` for these
    sets.

    Cautions on the direction and the width of an interval are about the mean's. Scores are on the scale of the ratings.
    """
    spearman = figures["spearman"]
    intervals = any(figure.low is not None for figure in figures.values())
    said = []
    for pred in preds:
        table = by.table([pred], human)
        design = by.of_table(table)
        basis = estimate(table, by.level, by.constant).basis
        said.append(
            figure_cautions(
                table,
                by.level,
                basis,
                design.resampling,
                units(table, design.resampling),
                (spearman.value, spearman.low, spearman.high),
                intervals=intervals,
                on_scale=True,
            )
        )
    return tuple(said)


def compare_averaged(
    a: Sequence[Column], b: Sequence[Column], human: Column, by: AgreementDesign, permutations: int = PERMUTATIONS
) -> dict[Coefficient, TestedDifference]:
    """Return the tested differences of two means over score sets, A less B. Raises as `averaged`.

    Permutation: each pair's scores are swapped by the same draws, and the mean of the differences is compared. Fisher's
    z of the two means as in Table 11. Williams' test is made only where both sides are one set.
    """
    everything = _same_texts([*a, *b])
    left, right = everything[: len(a)], everything[len(a) :]
    if len(a) == len(b) == 1:
        return compare_scores(left[0], right[0], human, by, permutations=permutations).differences
    pairs = [(x, y) for x in left for y in right]
    tables = [by.table(pair, human) for pair in pairs]
    design = by.of_table(tables[0])
    found = [estimate(table, by.level, by.constant) for table in tables]
    draws = [draw_figures(table, design) for table in tables]
    spread = np.mean([each.values[0] - each.values[1] for each in draws], axis=0)
    values = np.mean([each.values[:, :MAE] for each in found], axis=0)
    observed: Floats = values[0] - values[1]
    reason = next((each.reason for each in found if each.reason), "")
    permuted = np.mean([permuted_differences(table, design, 0 if reason else permutations) for table in tables], axis=0)
    n = min(each.basis.n_used or each.basis.n for each in found)
    tests = tests_of(permuted, observed, n, by.seed)
    differences = {}
    for index, name in enumerate(COEFFICIENTS):
        if reason or np.isnan(observed[index]):
            figure = Difference(None, None, None, None, None, n, 0, by.seed, reason)
            fisher = untestable("Fisher's z", n, "There is no difference to test.")
        else:
            r_a, r_b = float(values[0, index]), float(values[1, index])
            around = interval(draws[0], spread[index])
            figure = Difference(
                r_a, r_b, r_a - r_b, around.low, around.high, n, around.n_undefined, by.seed, around.reason
            )
            fisher = fisher_z(r_a, r_b, n, n)
        differences[name] = TestedDifference(figure, tests[index], untestable("Williams' t", n, SEVERAL), fisher)
    return differences


def _same_texts(preds: Sequence[Column]) -> list[Floats]:
    """Return the columns as numbers, NaN where missing. Raises InputError unless all lack the same texts, as their
    sources would be drawn differently."""
    columns = [numbers(pred) for pred in preds]
    if not columns:
        raise InputError("There is no score set to average.", "Name at least one.")
    if any((np.isnan(column) != np.isnan(columns[0])).any() for column in columns):
        raise InputError("The score sets lack different texts.", "Average them over the texts that all of them have.")
    return columns
