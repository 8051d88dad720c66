"""Tables of a study as CSV and LaTeX: conditions in each trial, and numbers of components in a sweep."""

from collections.abc import Iterator, Mapping
from typing import Any

from app.errors import InputError
from app.export.charts import chart_svg, sweep_chart
from app.export.latex import GridBlock, GridCell, interval_shown, latex_grid, latex_tabular
from app.export.spreadsheet import csv_bytes
from app.meta_evaluation.comparison import TestedDifference
from app.meta_evaluation.evaluation import Figure
from app.meta_evaluation.score_matrix import COEFFICIENTS, MEASURES, Measure
from app.services.conditions.study_figures import (
    MEANS,
    NOTES,
    ConditionFigures,
    FamilyDifference,
    Member,
    StudyFigures,
    TrialFigures,
    TrialMean,
    single_contributors,
)

__all__ = ["sweep_chart"]

HEADINGS = (*(name.title() for name in COEFFICIENTS), "MAE")
SWEEP_TITLE = "Spearman by number of components"
SWEEP = "95 % intervals; of several trials the mean over them, without one."
ROWS_ON_A_PAGE = 40
TESTS = ("p", "p_holm", "z_fisher", "p_fisher", "p_williams")
COLUMNS = (
    "dimension",
    "condition",
    "contributor",
    "compared_with",
    "trial",
    "seed",
    "components",
    "level",
    *(f"{name}{part}" for name in MEASURES for part in ("", "_low", "_high", "_sd")),
    *(f"{name}_{test}" for name in COEFFICIENTS for test in TESTS),
    "texts",
    "sources",
    "checklists",
    "runs",
    "reason",
    "signature",
)


def study_csv(sweep: Mapping[int, TrialFigures]) -> bytes:
    """Return a CSV with a row for each condition, single contributor and comparison in each trial, then the means over
    trials; repeated for each number of components."""
    return csv_bytes(COLUMNS, [row for found in sweep.values() for row in figure_rows(found)])


def figure_rows(found: TrialFigures) -> list[dict[str, Any]]:
    """Return rows with COLUMNS; `contributor` is empty for a condition, `trial` is "mean" for a mean over trials.

    A row with `compared_with` holds differences: the condition's coefficient minus that of the other, each with its
    permutation test (p, and Holm's correction), Fisher's z and Williams' test.
    """
    return [row for number, trial in enumerate(found.trials, 1) for row in _rows(number, trial)] + [
        _mean_row(mean, found.trials[0]) for mean in found.means
    ]


def _rows(number: int, trial: StudyFigures) -> Iterator[dict[str, Any]]:
    where = {"trial": number, "seed": trial.seed, "components": trial.components}
    for row in trial.with_averages:
        whose = {"dimension": row.dimension.name, "condition": row.family.value, **where}
        for member in (None, *single_contributors(row)):
            figures, members = (member.figures, (member,)) if member else (row.figures, row.members)
            spearman = figures["spearman"]
            yield whose | {
                "contributor": member.condition.name if member else row.name,
                "level": trial.level,
                **{f"{name}{part}": value for name in MEASURES for part, value in _ends(figures[name])},
                "texts": spearman.n,
                "sources": spearman.signature.groups.split()[0],
                "checklists": " ".join(str(each.version) for each in members if each.version),
                "runs": " ".join(str(each.run) for each in members if each.run),
                "reason": spearman.reason,
                "signature": str(spearman.signature),
            }
    for each in trial.differences:
        yield _difference_row(number, trial, each)


def _difference_row(number: int, trial: StudyFigures, each: FamilyDifference) -> dict[str, Any]:
    row: dict[str, Any] = {
        "dimension": each.second.dimension.name,
        "condition": each.second.key,
        "compared_with": each.first.key,
        "trial": number,
        "seed": trial.seed,
        "components": trial.components,
        "level": trial.level,
        "texts": each.tested["spearman"].figure.n,
        "reason": each.tested["spearman"].figure.reason,
    }
    for name, tested in each.tested.items():
        figure = tested.figure
        row |= {name: figure.difference, f"{name}_low": figure.low, f"{name}_high": figure.high}
        found = (tested.permutation.p, tested.p_holm, tested.fisher.statistic, tested.fisher.p, tested.williams.p)
        row |= {f"{name}_{test}": value for test, value in zip(TESTS, found, strict=True)}
    return row


def study_latex(sweep: Mapping[int, TrialFigures]) -> bytes:
    """Return two booktabs tables for each trial: conditions with single contributors, and pairwise comparisons; for a
    sweep a single table."""
    parts = []
    if len(sweep) > 1:
        headings, rows = sweep_table(sweep)
        level = next(iter(sweep.values())).trials[0].level
        parts.append(latex_tabular(f"Number of components, level {level}.", headings, rows, [SWEEP]))
        return "\n".join(parts).encode()
    (found,) = sweep.values()
    for number, trial in enumerate(found.trials, 1):
        about = f"level {trial.level}, seed {trial.seed}" + (f", trial {number}" if found.several else "")
        parts.append(_latex_conditions(trial, about))
        if trial.differences:
            parts.append(_latex_differences(trial, about))
    if found.means:
        headings = ["Dimension", "Condition", *(f"{name}, mean (sd)" for name in HEADINGS)]
        rows = [
            [mean.row.dimension.name, _name(mean.row, mean.member), *(_spread(*mean.spread(c)) for c in MEASURES)]
            for mean in found.means
        ]
        parts.append(latex_tabular(f"Conditions, {len(found.trials)} trials.", headings, rows, [MEANS]))
    return "\n".join(parts).encode()


def sweep_svg(sweep: Mapping[int, TrialFigures]) -> bytes:
    """Return the chart of Spearman by number of components. Raises InputError without two numbers that have figures."""
    points = [point for point in sweep_points(sweep) if point["figures"]["spearman"][0] is not None]
    if len({point["components"] for point in points}) < 2:
        raise InputError(
            "A figure needs at least two numbers of components.", "Run and show the study with --components 3-9."
        )
    return chart_svg(sweep_chart(points, "spearman"), SWEEP_TITLE, own_width=True)


def sweep_points(sweep: Mapping[int, TrialFigures]) -> list[dict[str, Any]]:
    """Return a point for each condition on each dimension (and mean over dimensions) and number of components, with
    figures (value, low, high) by name. Over several trials the figures are means, without interval."""
    points = []
    for number, found in sweep.items():
        means = {(mean.row.dimension.name, mean.row.key): mean for mean in found.means if mean.member is None}
        for row in {(r.dimension.name, r.key): r for trial in found.trials for r in trial.with_averages}.values():
            mean = means.get((row.dimension.name, row.key))
            figures = {
                name: (mean.spread(name)[0], None, None) if mean else tuple(value for _, value in _ends(figure))
                for name, figure in row.figures.items()
            }
            points.append(
                {"dimension": row.dimension.name, "condition": row.label, "components": number, "figures": figures}
            )
    return points


def sweep_table(sweep: Mapping[int, TrialFigures]) -> tuple[list[str], list[list[str]]]:
    """Return headings, and a row for each point of `sweep_points`, grouped by condition."""
    points = sweep_points(sweep)
    places = {
        place: number for number, place in enumerate(dict.fromkeys((p["dimension"], p["condition"]) for p in points))
    }
    points.sort(key=lambda p: (places[p["dimension"], p["condition"]], p["components"]))
    rows = [
        [p["dimension"], p["condition"], str(p["components"]), *(interval_shown(*p["figures"][n]) for n in MEASURES)]
        for p in points
    ]
    return ["Dimension", "Condition", "Components", *HEADINGS], rows


def _latex_conditions(trial: StudyFigures, about: str) -> str:
    """Return a table of conditions and single contributors by figure; for several dimensions a table for each figure,
    with dimensions as columns."""
    found: dict[str, dict[str, Mapping[Measure, Figure]]] = {}
    for row in trial.with_averages:
        for member in (None, *single_contributors(row)):
            figures = member.figures if member else row.figures
            found.setdefault(_name(row, member), {})[row.dimension.name] = figures
    columns = list(dict.fromkeys(row.dimension.name for row in trial.with_averages))

    def cell(name: str, column: str, measure: Measure) -> GridCell:
        figure = found[name].get(column, {}).get(measure)
        return GridCell(figure.value, figure.low, figure.high) if figure else GridCell(None)

    title = "Agreement with people by condition"
    texts = sorted({figures["spearman"].n for by_dimension in found.values() for figures in by_dimension.values()})
    n = f"n = {texts[0]}" + (f" to {texts[-1]}" if len(texts) > 1 else "")
    notes = [
        f"{about[0].upper()}{about[1:]}; 95 % intervals; {n} texts.",
        *(each.text for each in trial.cautions),
        NOTES[0],
    ]
    comments = [f"{row.key}: {row.figures['spearman'].signature}" for row in trial.rows]
    tables = (
        [(f"{title}, {columns[0]}", HEADINGS, [(columns[0], measure) for measure in MEASURES])]
        if len(columns) == 1
        else [
            (f"{title}, {heading}", columns, [(column, measure) for column in columns])
            for heading, measure in zip(HEADINGS, MEASURES, strict=True)
        ]
    )
    return "\n".join(
        latex_grid(
            named,
            headings,
            [GridBlock("", [(name, [cell(name, *place) for place in places]) for name in found])],
            list(dict.fromkeys(notes)),
            comments,
            first="Condition",
        )
        for named, headings, places in tables
    )


def _latex_differences(trial: StudyFigures, about: str) -> str:
    """Return a table of the comparisons; where it would be longer than a page, one for each coefficient."""
    rows = {
        name: [
            [each.second.dimension.name, f"{each.second.label} − {each.first.label}", name.title(), *_tested(tested)]
            for each in trial.differences
            for tested in (each.tested[name],)
        ]
        for name in COEFFICIENTS
    }
    headings = ["Dimension", "Comparison", "Coefficient", "Difference", "p", "p (Holm)", "z (Fisher)"]
    whole = [row for part in rows.values() for row in part]
    tables = [whole] if len(whole) <= ROWS_ON_A_PAGE else list(rows.values())
    title = f"Comparisons of conditions, {about}."
    return "\n".join(latex_tabular(title, headings, table, NOTES[1:]) for table in tables)


def _tested(tested: TestedDifference) -> list[str]:
    figure, fisher = tested.figure, tested.fisher
    return [
        interval_shown(figure.difference, figure.low, figure.high),
        "" if tested.permutation.p is None else f"{tested.permutation.p:.4f}",
        "" if tested.p_holm is None else f"{tested.p_holm:.4f}{tested.stars}",
        "" if fisher.statistic is None else f"{fisher.statistic:.3f}{fisher.stars}",
    ]


def _name(row: ConditionFigures, member: Member | None) -> str:
    return f"{member.condition.name} alone" if member else row.label


def _spread(mean: float | None, sd: float | None) -> str:
    return "" if mean is None or sd is None else f"{mean:.3f} ({sd:.3f})"


def _ends(figure: Figure) -> tuple[tuple[str, float | None], ...]:
    return (("", figure.value), ("_low", figure.low), ("_high", figure.high))


def _mean_row(mean: TrialMean, trial: StudyFigures) -> dict[str, Any]:
    row: dict[str, Any] = {
        "dimension": mean.row.dimension.name,
        "condition": mean.row.family.value,
        "contributor": mean.member.condition.name if mean.member else mean.row.name,
        "trial": "mean",
        "components": trial.components,
        "level": trial.level,
    }
    for name in MEASURES:
        row[name], row[f"{name}_sd"] = mean.spread(name)
    return row
