"""The trials of a study of conditions side by side: figures per trial, their mean, and both as rows of a file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from app.domain.people.actor import Right
from app.domain.study import Family
from app.export.latex import interval_shown, latex_tabular
from app.export.spreadsheet import csv_bytes
from app.meta_evaluation.choices import COEFFICIENTS, Coefficient, Level
from app.meta_evaluation.comparison import TestedDifference
from app.meta_evaluation.evaluation import Figure
from app.services.conditions.study import StudyPlan
from app.services.conditions.study_figures import (
    NOTES,
    ConditionFigures,
    FamilyDifference,
    Member,
    StudyFigures,
    study_figures,
)
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

TESTS = ("p", "p_holm", "z_fisher", "p_fisher", "p_williams")
SINGLE = (Family.SL, Family.SH)
MEANS = "Means over trials, each on texts of its own draw; intervals and tests are those of each trial."
COLUMNS = (
    "dimension",
    "condition",
    "contributor",
    "compared_with",
    "trial",
    "seed",
    "level",
    *(f"{name}{part}" for name in COEFFICIENTS for part in ("", "_low", "_high", "_sd")),
    *(f"{name}_{test}" for name in COEFFICIENTS for test in TESTS),
    "texts",
    "sources",
    "checklists",
    "runs",
    "reason",
    "signature",
)


@dataclass(frozen=True, slots=True)
class TrialMean:
    """A condition, or one contributor alone (`member`), over the trials; None in `values`: no figure."""

    row: ConditionFigures
    member: Member | None
    values: Mapping[Coefficient, tuple[float | None, ...]]

    @property
    def condition(self) -> str:
        """As `StudyCondition.key`; a condition of several checklists is its family."""
        if self.member is not None:
            return self.member.condition.key
        return self.row.key

    def known(self, coefficient: Coefficient) -> list[float]:
        return [value for value in self.values[coefficient] if value is not None]

    def spread(self, coefficient: Coefficient) -> tuple[float | None, float | None]:
        """Mean and standard deviation over the trials that have the figure; none of fewer than two."""
        known = self.known(coefficient)
        return (fmean(known), stdev(known)) if len(known) > 1 else (None, None)

    def to_json(self) -> dict[str, Any]:
        document: dict[str, Any] = {"dimension": self.row.dimension.name, "condition": self.condition}
        for name in COEFFICIENTS:
            mean, sd = self.spread(name)
            document[name] = {"mean": mean, "sd": sd, "values": list(self.values[name])}
        return document


@dataclass(frozen=True, slots=True)
class TrialFigures:
    """`trials` in the order of their seeds; `means` is empty where there is one only."""

    trials: tuple[StudyFigures, ...]
    means: tuple[TrialMean, ...]

    @property
    def several(self) -> bool:
        return len(self.trials) > 1


@use_case(Right.READ)
def trial_figures(
    workbench: Workbench, /, plans: Sequence[StudyPlan], level: Level = "per-source", **options: int
) -> TrialFigures:
    """Of what has been scored so far. options: those of `study_figures`."""
    trials = tuple(study_figures(workbench, plan, level, **options) for plan in plans)
    return TrialFigures(trials, _means(trials) if len(trials) > 1 else ())


def single_contributors(row: ConditionFigures) -> Sequence[Member]:
    """The single contributors of a condition (Table 10 of InteractEval); none of a condition of several at once."""
    return row.members if row.family in SINGLE else ()


def trial_figures_csv(found: TrialFigures) -> bytes:
    """One line a condition, one a single contributor and one a comparison of two conditions, of each trial, then the
    means over trials."""
    return csv_bytes(COLUMNS, figure_rows(found))


def figure_rows(found: TrialFigures) -> list[dict[str, Any]]:
    """By COLUMNS; `contributor` is empty for a condition, `trial` is "mean" for a mean over trials.

    A row with `compared_with` holds differences: the condition's coefficient less that of the one compared with, each
    with its permutation test (p, and Holm's correction), Fisher's z and Williams' test.
    """
    return [row for number, trial in enumerate(found.trials, 1) for row in _rows(number, trial)] + [
        _mean_row(mean, found.trials[0].level) for mean in found.means
    ]


def _means(trials: Sequence[StudyFigures]) -> tuple[TrialMean, ...]:
    places: dict[tuple[int, str, str], tuple[ConditionFigures, Member | None]] = {}
    found: dict[tuple[int, str, str], dict[int, dict[Coefficient, Figure]]] = {}
    for number, trial in enumerate(trials):
        for row in trial.rows:
            for member in (None, *single_contributors(row)):
                key = (row.dimension.id, f"{row.family.value}:{row.name}", member.condition.key if member else "")
                places.setdefault(key, (row, member))
                found.setdefault(key, {})[number] = member.figures if member else row.figures
    return tuple(
        TrialMean(
            *places[key],
            {
                name: tuple(figures[number][name].value if number in figures else None for number in range(len(trials)))
                for name in COEFFICIENTS
            },
        )
        for key, figures in found.items()
    )


def _rows(number: int, trial: StudyFigures) -> Iterator[dict[str, Any]]:
    for row in trial.rows:
        whose = {"dimension": row.dimension.name, "condition": row.family.value, "trial": number, "seed": trial.seed}
        for member in (None, *single_contributors(row)):
            figures, members = (member.figures, (member,)) if member else (row.figures, row.members)
            spearman = figures["spearman"]
            yield whose | {
                "contributor": member.condition.name if member else row.name,
                "level": trial.level,
                **{f"{name}{part}": value for name in COEFFICIENTS for part, value in _ends(figures[name])},
                "texts": spearman.n,
                "sources": spearman.signature.groups.split()[0],
                "checklists": " ".join(str(each.version) for each in members),
                "runs": " ".join(str(each.run) for each in members),
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


def trial_figures_latex(found: TrialFigures) -> bytes:
    """Two booktabs tables of each trial: the conditions with each contributor alone, and the pairwise comparisons."""
    parts = ["% needs \\usepackage{booktabs}\n"]
    for number, trial in enumerate(found.trials, 1):
        about = f"level {trial.level}, seed {trial.seed}" + (f", trial {number}" if found.several else "")
        parts.append(_latex_conditions(trial, about))
        if trial.differences:
            parts.append(_latex_differences(trial, about))
    if found.means:
        headings = ["Dimension", "Condition", *(f"{name.title()}, mean (sd)" for name in COEFFICIENTS)]
        rows = [
            [mean.row.dimension.name, _name(mean.row, mean.member), *(_spread(*mean.spread(c)) for c in COEFFICIENTS)]
            for mean in found.means
        ]
        parts.append(latex_tabular(f"Conditions, {len(found.trials)} trials. {MEANS}", headings, rows))
    return "\n".join(parts).encode()


def _latex_conditions(trial: StudyFigures, about: str) -> str:
    rows = []
    for row in trial.rows:
        for member in (None, *single_contributors(row)):
            figures = member.figures if member else row.figures
            shown = [interval_shown(each.value, each.low, each.high) for each in map(figures.get, COEFFICIENTS) if each]
            rows.append([row.dimension.name, _name(row, member), *shown, str(figures["spearman"].n)])
    headings = ["Dimension", "Condition", *(name.title() for name in COEFFICIENTS), "Texts"]
    caution = " ".join(dict.fromkeys((*(each.text for each in trial.cautions), NOTES[0])))
    table = latex_tabular(f"Agreement with people by condition, {about}; 95 % intervals. {caution}", headings, rows)
    signatures = (f"% {row.key}: {' '.join(str(row.figures['spearman'].signature).split())}\n" for row in trial.rows)
    return table + "".join(signatures)


def _latex_differences(trial: StudyFigures, about: str) -> str:
    rows = [
        [each.second.dimension.name, f"{each.second.key} less {each.first.key}", name.title(), *_tested(tested)]
        for name in COEFFICIENTS
        for each in trial.differences
        for tested in (each.tested[name],)
    ]
    headings = ["Dimension", "Comparison", "Coefficient", "Difference", "p", "p (Holm)", "z (Fisher)"]
    return latex_tabular(f"Comparisons of conditions, {about}. {' '.join(NOTES[1:])}", headings, rows)


def _tested(tested: TestedDifference) -> list[str]:
    figure, fisher = tested.figure, tested.fisher
    return [
        interval_shown(figure.difference, figure.low, figure.high),
        "" if tested.permutation.p is None else f"{tested.permutation.p:.4f}",
        "" if tested.p_holm is None else f"{tested.p_holm:.4f}{tested.stars}",
        "" if fisher.statistic is None else f"{fisher.statistic:.3f}{fisher.stars}",
    ]


def _name(row: ConditionFigures, member: Member | None) -> str:
    return f"{member.condition.name} alone" if member else row.key


def _spread(mean: float | None, sd: float | None) -> str:
    return "" if mean is None or sd is None else f"{mean:.3f} ({sd:.3f})"


def _ends(figure: Figure) -> tuple[tuple[str, float | None], ...]:
    return (("", figure.value), ("_low", figure.low), ("_high", figure.high))


def _mean_row(mean: TrialMean, level: Level) -> dict[str, Any]:
    row: dict[str, Any] = {
        "dimension": mean.row.dimension.name,
        "condition": mean.row.family.value,
        "contributor": mean.member.condition.name if mean.member else mean.row.name,
        "trial": "mean",
        "level": level,
    }
    for name in COEFFICIENTS:
        row[name], row[f"{name}_sd"] = mean.spread(name)
    return row
