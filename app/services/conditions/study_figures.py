"""Figures of a study: agreement by condition and dimension, and which conditions differ significantly."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import fmean, stdev
from typing import Any

from app.domain.condition import Family, StudyCondition
from app.domain.people import Right
from app.domain.project import Dimension
from app.errors import InputError
from app.export.latex import interval_shown, latex_tabular
from app.export.spreadsheet import csv_bytes
from app.meta_evaluation.agreement_verdict import verdict
from app.meta_evaluation.comparison import (
    APPROXIMATE,
    Grouping,
    TestedDifference,
    averaged,
    averaged_cautions,
    compare_averaged,
)
from app.meta_evaluation.evaluation import Figure, Origin
from app.meta_evaluation.permutation import FISHER_CAVEAT, holm
from app.meta_evaluation.score_matrix import COEFFICIENTS, RESAMPLES, Coefficient, Column, Level
from app.services.conditions.study import Cell, StudyPlan
from app.services.results.results import rater_remark
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from db.unit_of_work import Database

__all__ = [
    "Coefficient",
    "ConditionFigures",
    "FamilyDifference",
    "Member",
    "StudyFigures",
    "study_figures",
]


PERMUTATIONS = 2000
# Table 11 of InteractEval: LLM against human, single against multiple, single and multiple against combined.
PAIRS = (
    (Family.SL, Family.SH),
    (Family.ML, Family.MH),
    (Family.SL, Family.ML),
    (Family.SH, Family.MH),
    (Family.SL, Family.COMB),
    (Family.SH, Family.COMB),
    (Family.ML, Family.COMB),
    (Family.MH, Family.COMB),
)
NOTES = (
    "SL and SH are means over the checklists of single contributors; all conditions are compared on the texts that "
    "every one of them scored.",
    "Each pair is compared on the sources where both have a coefficient, so its figures can differ from those above.",
    FISHER_CAVEAT,
    APPROXIMATE,
)


@dataclass(frozen=True, slots=True)
class Member:
    """One checklist of a condition, with the run that scored it."""

    condition: StudyCondition
    run: int
    version: int
    figures: dict[Coefficient, Figure]


@dataclass(frozen=True, slots=True)
class ConditionFigures:
    """A condition on a dimension: the mean over its members, which is the member itself where there is one.

    name: the contributor left out, for Family.WITHOUT, which has a row for each.
    """

    family: Family
    name: str
    dimension: Dimension
    members: tuple[Member, ...]
    figures: dict[Coefficient, Figure]

    @property
    def key(self) -> str:
        return f"{self.family.value}:{self.name}" if self.name else self.family.value

    @property
    def label(self) -> str:
        """As papers write it: SL, MH, WITHOUT Ana."""
        return f"{self.family.value.upper()}{f' {self.name}' if self.name else ''}"


@dataclass(frozen=True, slots=True)
class StudyCaution:
    """A sentence that belongs beside the figures of a dimension; `about` these conditions (keys), () for all."""

    dimension: Dimension
    text: str
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FamilyDifference:
    """Second − first, so that above 0 the second agrees better with people."""

    first: ConditionFigures
    second: ConditionFigures
    tested: dict[Coefficient, TestedDifference]


@dataclass(frozen=True, slots=True)
class StudyFigures:
    """Of one trial, drawn with `seed`.

    `shared` maps a dimension's id to the texts that every condition scored, `left_out` to the others.
    """

    level: Level
    seed: int
    rows: tuple[ConditionFigures, ...]
    differences: tuple[FamilyDifference, ...]
    shared: dict[int, int]
    left_out: dict[int, int]
    problems: tuple[str, ...]
    cautions: tuple[StudyCaution, ...] = ()

    def verdict(self, each: FamilyDifference, coefficient: Coefficient, second: str, first: str) -> str:
        return verdict(each.tested[coefficient], second, first, self.comparisons(coefficient))

    def comparisons(self, coefficient: Coefficient) -> int:
        """How many were corrected together."""
        return sum(1 for each in self.differences if each.tested[coefficient].p_holm is not None)


def study_figures(
    workbench: Workbench,
    plan: StudyPlan,
    level: Level = "per-source",
    permutations: int = PERMUTATIONS,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> StudyFigures:
    """Of what has been scored so far; what is missing has no row. Computed once while scores and ratings stay."""
    rows: list[ConditionFigures] = []
    differences: list[FamilyDifference] = []
    shared, left_out, problems, cautions = {}, {}, [], list[StudyCaution]()
    for dimension in plan.options.dimensions:
        cells = tuple(cell for cell in plan.cells if cell.dimension.id == dimension.id and cell.run and cell.run.done)
        if not cells:
            continue
        with workbench.database.read() as work:
            state, remark = work.results.rating_state(dimension.id), rater_remark(work, dimension.id)
        keys = tuple((c.condition, _number(c), c.run.id, c.run.done, c.run.failed) for c in cells if c.run is not None)
        try:
            judge, prompt = plan.options.judge, plan.prompt
            found = _figures(
                workbench.database, dimension, keys, level, permutations, resamples, seed, judge, prompt, state
            )
        except InputError as error:
            problems.append(f"{dimension.name}: {error.message}")
            continue
        rows += found[0]
        differences += found[1]
        shared[dimension.id], left_out[dimension.id] = found[2]
        cautions += found[3]
        if remark:
            cautions.append(StudyCaution(dimension, remark))
    return StudyFigures(
        level,
        plan.options.seed,
        tuple(rows),
        _corrected(differences),
        shared,
        left_out,
        tuple(problems),
        tuple(cautions),
    )


def _number(cell: Cell) -> int:
    return cell.checklist.version if cell.checklist else 0


Key = tuple[StudyCondition, int, int, int, int]
StudyFindings = tuple[
    tuple[ConditionFigures, ...], tuple[FamilyDifference, ...], tuple[int, int], tuple[StudyCaution, ...]
]


# Some twenty comparisons of a second each: kept for as long as neither scores nor ratings change.
@lru_cache(maxsize=32)
def _figures(
    database: Database,
    dimension: Dimension,
    keys: tuple[Key, ...],
    level: Level,
    permutations: int,
    resamples: int,
    seed: int,
    judge: str,
    prompt: str,
    _: str,
) -> StudyFindings:
    with database.read() as work:
        scored = {
            run: {row.text: row for row in work.results.scored(run, dimension.id) if row.counts()}
            for run in {key[2] for key in keys}
        }
    every = set.intersection(*(set(rows) for rows in scored.values()))
    texts, all_texts = sorted(every), set().union(*scored.values())
    rows = [scored[keys[0][2]][text] for text in texts]
    on = Grouping(
        [row.human for row in rows],
        [row.doc_id for row in rows],
        [row.system_id for row in rows] if any(row.system_id for row in rows) else None,
        [row.item_id for row in rows],
        level=level,
        resamples=resamples,
        seed=seed,
    )
    columns = {run: [found[text].score for text in texts] for run, found in scored.items()}
    families = _by_family(keys)

    def origin(*members: Key) -> Origin:
        return Origin("+".join(str(key[1]) for key in members), judge, prompt[:12])

    figures = {
        (family, name): ConditionFigures(
            family,
            name,
            dimension,
            tuple(Member(k[0], k[2], k[1], averaged([columns[k[2]]], on, origin(k))) for k in members),
            averaged([columns[k[2]] for k in members], on, origin(*members)),
        )
        for (family, name), members in families.items()
    }
    differences = tuple(
        FamilyDifference(
            figures[first],
            figures[second],
            compare_averaged(
                [columns[k[2]] for k in families[second]], [columns[k[2]] for k in families[first]], on, permutations
            ),
        )
        for first, second in _pairs(figures)
    )
    counts = len(texts), len(all_texts) - len(texts)
    cautions = _cautions(dimension, list(figures.values()), columns, on)
    return tuple(figures.values()), differences, counts, cautions


def _cautions(
    dimension: Dimension, rows: Sequence[ConditionFigures], columns: Mapping[int, Column], on: Grouping
) -> tuple[StudyCaution, ...]:
    """What each checklist's scores give cause for, each sentence once."""
    about: dict[str, dict[str, None]] = {}
    members = [member for row in rows for member in row.members]
    for member in members:
        for sentence in averaged_cautions([columns[member.run]], on, member.figures)[0]:
            about.setdefault(sentence, {})[member.condition.key] = None
    return tuple(
        StudyCaution(dimension, sentence, () if len(keys) == len(members) else tuple(keys))
        for sentence, keys in about.items()
    )


def _by_family(keys: Sequence[Key]) -> dict[tuple[Family, str], list[Key]]:
    """The checklists of each family; each left-out contributor makes one of their own."""
    families: dict[tuple[Family, str], list[Key]] = {}
    for key in keys:
        name = key[0].name if key[0].family is Family.WITHOUT else ""
        families.setdefault((key[0].family, name), []).append(key)
    return families


def _pairs(families: Iterable[tuple[Family, str]]) -> list[tuple[tuple[Family, str], tuple[Family, str]]]:
    """Which of the families that are there are compared, first and second."""
    there = list(families)
    pairs = [((a, ""), (b, "")) for a, b in PAIRS]
    pairs += [(one, (Family.COMB, "")) for one in there if one[0] is Family.WITHOUT]
    return [(first, second) for first, second in pairs if first in there and second in there]


def _corrected(differences: Sequence[FamilyDifference]) -> tuple[FamilyDifference, ...]:
    """Holm's correction over every comparison of the study, all dimensions together, per coefficient."""
    adjusted = {name: holm([each.tested[name].permutation.p for each in differences]) for name in COEFFICIENTS}
    return tuple(
        replace(each, tested={name: replace(each.tested[name], p_holm=adjusted[name][i]) for name in COEFFICIENTS})
        for i, each in enumerate(differences)
    )


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
        [each.second.dimension.name, f"{each.second.label} − {each.first.label}", name.title(), *_tested(tested)]
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
