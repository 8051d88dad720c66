"""Several score sets as one: the mean of their coefficients, as InteractEval reports conditions with one contributor.

SL and SH of Figs. 8, 9 and Table 11 are means over the checklists of single LLMs and single experts. The mean is taken
inside each resample, and all sets are drawn the same way, so its interval knows that they share texts and ratings. A
comparison is the mean over all pairs of a set of A with a set of B, each pair on the sources where both have a
coefficient; one set on each side is the comparison of `comparison.compare_scores`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.errors import InputError
from app.meta_evaluation.bootstrap import interval
from app.meta_evaluation.captions import figure_cautions
from app.meta_evaluation.choices import COEFFICIENTS, MAE, RESAMPLES, Coefficient, Constant, Duplicates, Level
from app.meta_evaluation.comparison import PERMUTATIONS, Difference, TestedDifference, compare_scores
from app.meta_evaluation.correlation import estimate
from app.meta_evaluation.design import design_of, draw_figures
from app.meta_evaluation.evaluation import Figure, Origin, signature_of
from app.meta_evaluation.permutation import permuted_differences, tests_of
from app.meta_evaluation.resampling import units
from app.meta_evaluation.score_matrix import Column, Floats, numbers, score_table
from app.meta_evaluation.significance import fisher_z, untestable

SEVERAL = "Made for two correlations, not for means over several checklists."


@dataclass(frozen=True, slots=True)
class Grouping:
    """Where each text belongs, and the choices of an evaluation: those of `evaluate`."""

    human: Column
    group: Column | None = None
    system: Column | None = None
    item: Column | None = None
    level: Level = "per-source"
    duplicates: Duplicates = "once"
    constant: Constant = "skip"
    resamples: int = RESAMPLES
    seed: int = 0


def averaged(preds: Sequence[Column], on: Grouping, origin: Origin | None = None) -> dict[Coefficient, Figure]:
    """The mean coefficient over score sets of the same texts, each over its own sources, with its 95 % interval.

    `n` is the fewest texts that count in any of them. Where one has no coefficient there is no mean, for its reason.

    Raises:
        InputError: what `evaluate` raises; or sets that lack different texts, which can't be drawn together.
    """
    columns = _same_texts(preds)
    tables = [score_table([column], on.human, **_keys(on), duplicates=on.duplicates) for column in columns]
    design = design_of(tables[0], on.level, on.duplicates, on.constant, None, on.resamples, on.seed)
    found = [estimate(table, on.level, on.constant) for table in tables]
    draws = [draw_figures(table, design) for table in tables]
    inside = np.mean([each.values[0] for each in draws], axis=0)
    reason = next((each.reason for each in found if each.reason), "")
    n = min(each.basis.n_used or each.basis.n for each in found)
    fewest = min((each.basis for each in found), key=lambda basis: basis.groups_used)
    figures = {}
    for index, name in enumerate(COEFFICIENTS):
        signature = signature_of(name, design, fewest, origin)
        values = [each.values[0, index] for each in found]
        if reason or np.isnan(values).any():
            figures[name] = Figure(None, None, None, n, 0, draws[0].method, on.seed, signature, reason)
            continue
        spread = interval(draws[0], inside[index])
        figures[name] = Figure(
            float(np.mean(values)),
            spread.low,
            spread.high,
            n,
            spread.n_undefined,
            draws[0].method,
            on.seed,
            signature,
            spread.reason,
        )
    return figures


def averaged_cautions(
    preds: Sequence[Column], on: Grouping, figures: dict[Coefficient, Figure]
) -> tuple[tuple[str, ...], ...]:
    """For each set, every caution that `evaluate` gives it alone; `figures` are those of `averaged` for these sets.

    What is said about the direction and the width of an interval is said about the mean. Scores are on the scale of the
    ratings.
    """
    spearman = figures["spearman"]
    intervals = any(figure.low is not None for figure in figures.values())
    said = []
    for pred in preds:
        table = score_table([pred], on.human, **_keys(on), duplicates=on.duplicates)
        design = design_of(table, on.level, on.duplicates, on.constant, None, on.resamples, on.seed)
        basis = estimate(table, on.level, on.constant).basis
        said.append(
            figure_cautions(
                table,
                on.level,
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
    a: Sequence[Column], b: Sequence[Column], on: Grouping, permutations: int = PERMUTATIONS
) -> dict[Coefficient, TestedDifference]:
    """A less B, both means over their sets. Raises as `averaged`.

    Permutation: each pair's scores are swapped by the same draws, and the mean of the differences is compared. Fisher's
    z of the two means as in Table 11. Williams' test is made only where both sides are one set.
    """
    everything = _same_texts([*a, *b])
    left, right = everything[: len(a)], everything[len(a) :]
    if len(a) == len(b) == 1:
        alone = compare_scores(left[0], right[0], **_choices(on), permutations=permutations)  # type: ignore[arg-type]
        return alone.differences
    pairs = [(x, y) for x in left for y in right]
    tables = [score_table(pair, on.human, **_keys(on), duplicates=on.duplicates) for pair in pairs]
    design = design_of(tables[0], on.level, on.duplicates, on.constant, None, on.resamples, on.seed)
    found = [estimate(table, on.level, on.constant) for table in tables]
    draws = [draw_figures(table, design) for table in tables]
    spread = np.mean([each.values[0] - each.values[1] for each in draws], axis=0)
    values = np.mean([each.values[:, :MAE] for each in found], axis=0)
    observed: Floats = values[0] - values[1]
    reason = next((each.reason for each in found if each.reason), "")
    permuted = np.mean(
        [
            permuted_differences(
                table, on.level, on.constant, 0 if reason else permutations, np.random.default_rng(on.seed)
            )
            for table in tables
        ],
        axis=0,
    )
    n = min(each.basis.n_used or each.basis.n for each in found)
    tests = tests_of(permuted, observed, n, on.seed)
    differences = {}
    for index, name in enumerate(COEFFICIENTS):
        if reason or np.isnan(observed[index]):
            figure = Difference(None, None, None, None, None, n, 0, on.seed, reason)
            fisher = untestable("Fisher's z", n, "There is no difference to test.")
        else:
            r_a, r_b = float(values[0, index]), float(values[1, index])
            around = interval(draws[0], spread[index])
            figure = Difference(
                r_a, r_b, r_a - r_b, around.low, around.high, n, around.n_undefined, on.seed, around.reason
            )
            fisher = fisher_z(r_a, r_b, n, n)
        differences[name] = TestedDifference(figure, tests[index], untestable("Williams' t", n, SEVERAL), fisher)
    return differences


def _keys(on: Grouping) -> dict[str, Column | None]:
    return {"group": on.group, "system": on.system, "item": on.item}


def _choices(on: Grouping) -> dict[str, object]:
    return {
        "human": on.human,
        **_keys(on),
        "level": on.level,
        "duplicates": on.duplicates,
        "constant": on.constant,
        "resamples": on.resamples,
        "seed": on.seed,
    }


def _same_texts(preds: Sequence[Column]) -> list[Floats]:
    """As numbers, NaN where missing; all must lack the same texts, else their sources would be drawn differently."""
    columns = [numbers(pred) for pred in preds]
    if not columns:
        raise InputError("There is no score set to average.", "Name at least one.")
    if any((np.isnan(column) != np.isnan(columns[0])).any() for column in columns):
        raise InputError("The score sets lack different texts.", "Average them over the texts that all of them have.")
    return columns
