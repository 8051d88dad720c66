"""Figures of a study: agreement by condition and dimension, and which conditions differ significantly."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import fmean, stdev
from typing import Any

from app.construction.components import DEFAULT
from app.domain.condition import Family, StudyCondition
from app.domain.project import Dimension
from app.domain.roles_and_rights import Right
from app.domain.run import ScoredText
from app.errors import InputError
from app.meta_evaluation.agreement_verdict import verdict
from app.meta_evaluation.bootstrap import RESAMPLES, AgreementDesign
from app.meta_evaluation.comparison import APPROXIMATE, TestedDifference, averaged, averaged_cautions, compare_averaged
from app.meta_evaluation.evaluation import Figure, Origin, ScoredDimension, mean_over_dimensions
from app.meta_evaluation.permutation import FISHER_CAVEAT, holm
from app.meta_evaluation.score_matrix import COEFFICIENTS, MEASURES, Coefficient, Column, Level, Measure
from app.services.conditions.study import Cell, StudyPlan
from app.services.results.results import rater_remark
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import Database

__all__ = ["Coefficient", "Measure"]


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
AVERAGE = "all dimensions"
OF_THE_PAPER = {"internal quality": ("coherence", "fluency"), "external alignment": ("consistency", "relevance")}
"""How InteractEval groups the dimensions of SummEval (section 3.2)."""
NOTES = (
    "SL and SH are means over the checklists of single contributors; all conditions are compared on the texts that "
    "every one of them scored.",
    "Each pair is compared on the sources where both have a coefficient, so its figures can differ from those above.",
    FISHER_CAVEAT,
    APPROXIMATE,
)


@dataclass(frozen=True, slots=True)
class Member:
    """One checklist of a condition, with the run that scored it; `run` and `version` are 0 in a mean over
    dimensions."""

    condition: StudyCondition
    run: int
    version: int
    figures: Mapping[Measure, Figure]


@dataclass(frozen=True, slots=True)
class ConditionFigures:
    """The figures of a condition on a dimension: the mean over its members, or its only member's.

    name: the contributor left out, for Family.WITHOUT, which has a row for each.
    """

    family: Family
    name: str
    dimension: Dimension
    members: tuple[Member, ...]
    figures: Mapping[Measure, Figure]

    @property
    def key(self) -> str:
        return f"{self.family.value}:{self.name}" if self.name else self.family.value

    @property
    def checklists(self) -> int | None:
        """Return the number of checklists of the condition; None in a mean over dimensions."""
        return sum(bool(member.run) for member in self.members) or None

    @property
    def label(self) -> str:
        """Return the label used in papers: SL, MH, WITHOUT Ana."""
        return f"{self.family.value.upper()}{f' {self.name}' if self.name else ''}"


@dataclass(frozen=True, slots=True)
class StudyCaution:
    """A sentence of caution about the figures of a dimension; `about` these conditions (keys), () for all."""

    dimension: Dimension
    text: str
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FamilyDifference:
    """The figure of `second` minus that of `first`; above 0 if the second agrees better with people."""

    first: ConditionFigures
    second: ConditionFigures
    tested: dict[Coefficient, TestedDifference]


@dataclass(frozen=True, slots=True)
class StudyFigures:
    """The figures of one trial, drawn with `seed`, with checklists of at most `components` components.

    `shared`: dimension's id -> number of texts that every condition scored; `left_out`: dimension's id -> number of
    other texts. averages: means over all dimensions, and over groups of them, with the group's name as dimension.
    """

    level: Level
    seed: int
    rows: tuple[ConditionFigures, ...]
    differences: tuple[FamilyDifference, ...]
    shared: dict[int, int]
    left_out: dict[int, int]
    problems: tuple[str, ...]
    cautions: tuple[StudyCaution, ...] = ()
    averages: tuple[ConditionFigures, ...] = ()
    components: int = DEFAULT

    @property
    def with_averages(self) -> tuple[ConditionFigures, ...]:
        return (*self.rows, *self.averages)

    def verdict(self, each: FamilyDifference, coefficient: Coefficient, second: str, first: str) -> str:
        return verdict(each.tested[coefficient], second, first, self.comparisons(coefficient))

    def comparisons(self, coefficient: Coefficient) -> int:
        """Return how many comparisons were corrected together."""
        return sum(1 for each in self.differences if each.tested[coefficient].p_holm is not None)


def study_figures(
    workbench: Workbench,
    plan: StudyPlan,
    level: Level = "per-source",
    permutations: int = PERMUTATIONS,
    resamples: int = RESAMPLES,
    seed: int = 0,
    groups: Mapping[str, Sequence[str]] = OF_THE_PAPER,
) -> StudyFigures:
    """Return the figures of what has been scored so far; missing conditions have no row. Cached until scores or ratings
    change.

    groups: name -> dimensions, which get means beside that over all; a group that is incomplete or contains all
    dimensions is left out.
    """
    rows: list[ConditionFigures] = []
    scored: dict[str, SharedScores] = {}
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
        scored[dimension.name] = found[4]
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
        tuple(_averages(rows, scored, groups, level, resamples, seed)),
        plan.options.components,
    )


def _averages(
    rows: Sequence[ConditionFigures],
    scored: Mapping[str, "SharedScores"],
    groups: Mapping[str, Sequence[str]],
    level: Level,
    resamples: int,
    seed: int,
) -> Iterator[ConditionFigures]:
    """Yield the mean of each condition (and single contributor) that has figures on every dimension of a group."""
    known = {name.casefold(): name for name in scored}
    wanted = {name: [known.get(each.casefold(), "") for each in of] for name, of in groups.items()}
    whole = {name: of for name, of in wanted.items() if "" not in of and 1 < len(of) < len(scored)}

    def mean(found: Sequence[ConditionFigures], members: Sequence[Sequence[Member]]) -> Mapping[Measure, Figure]:
        sets = zip((scored[row.dimension.name] for row in found), members, strict=True)
        runs = tuple((scores, tuple(member.run for member in each)) for scores, each in sets)
        return _mean_figures(runs, level, resamples, seed)

    for group, names in (*whole.items(), *([(AVERAGE, list(scored))] if len(scored) > 1 else [])):
        for label in dict.fromkeys(row.label for row in rows):
            found = [row for row in rows if row.label == label and row.dimension.name in names]
            if len(found) < len(names):
                continue
            alone = []
            for one in single_contributors(found[0]):
                same = [[each for each in row.members if each.condition == one.condition] for row in found]
                alone += [Member(one.condition, 0, 0, mean(found, same))] if all(same) else []
            figures = mean(found, [row.members for row in found])
            yield replace(found[0], dimension=Dimension(group), members=tuple(alone), figures=figures)


def _number(cell: Cell) -> int:
    return cell.checklist.version if cell.checklist else 0


Key = tuple[StudyCondition, int, int, int, int]


@dataclass(frozen=True, eq=False, slots=True)
class SharedScores:
    """The texts that every condition scored on a dimension, and run -> its scores of them."""

    rows: Sequence[ScoredText]
    columns: Mapping[int, Column]


StudyFindings = tuple[
    tuple[ConditionFigures, ...], tuple[FamilyDifference, ...], tuple[int, int], tuple[StudyCaution, ...], SharedScores
]


# Each has resamples of its own: kept for as long as what they are of.
@lru_cache(maxsize=256)
def _mean_figures(
    sets: tuple[tuple[SharedScores, tuple[int, ...]], ...], level: Level, resamples: int, seed: int
) -> Mapping[Measure, Figure]:
    """Return the mean over dimensions of the means over runs; the bootstrap draws sources for all dimensions
    together."""
    texts = {row.text: row for scores, _ in sets for row in scores.rows}
    columns = []
    for scores, runs in sets:
        rated = {row.text: row.human for row in scores.rows}
        for run in runs:
            given = dict(zip(rated, scores.columns[run], strict=True))
            pred, human = ([of.get(text) for text in texts] for of in (given, rated))
            columns.append(ScoredDimension(pred, human, on_scale=True, weight=1 / len(runs)))
    systems = [row.system_id for row in texts.values()]
    return mean_over_dimensions(
        columns,
        AgreementDesign(
            group=[row.doc_id for row in texts.values()],
            system=systems if any(systems) else None,
            item=[row.item_id for row in texts.values()],
            level=level,
            resamples=resamples,
            seed=seed,
        ),
    )


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
    human = [row.human for row in rows]
    on = AgreementDesign(
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
            tuple(Member(k[0], k[2], k[1], averaged([columns[k[2]]], human, on, origin(k))) for k in members),
            averaged([columns[k[2]] for k in members], human, on, origin(*members)),
        )
        for (family, name), members in families.items()
    }
    differences = tuple(
        FamilyDifference(
            figures[first],
            figures[second],
            compare_averaged(
                [columns[k[2]] for k in families[second]],
                [columns[k[2]] for k in families[first]],
                human,
                on,
                permutations,
            ),
        )
        for first, second in _pairs(figures)
    )
    counts = len(texts), len(all_texts) - len(texts)
    cautions = _cautions(dimension, list(figures.values()), columns, human, on)
    return tuple(figures.values()), differences, counts, cautions, SharedScores(rows, columns)


def _cautions(
    dimension: Dimension,
    rows: Sequence[ConditionFigures],
    columns: Mapping[int, Column],
    human: Column,
    on: AgreementDesign,
) -> tuple[StudyCaution, ...]:
    """Return cautions about the checklists' scores, each sentence once."""
    about: dict[str, dict[str, None]] = {}
    members = [member for row in rows for member in row.members]
    for member in members:
        for sentence in averaged_cautions([columns[member.run]], human, on, member.figures)[0]:
            about.setdefault(sentence, {})[member.condition.key] = None
    return tuple(
        StudyCaution(dimension, sentence, () if len(keys) == len(members) else tuple(keys))
        for sentence, keys in about.items()
    )


def _by_family(keys: Sequence[Key]) -> dict[tuple[Family, str], list[Key]]:
    """Return (family, contributor left out) -> its checklists; the name is "" except for Family.WITHOUT."""
    families: dict[tuple[Family, str], list[Key]] = {}
    for key in keys:
        name = key[0].name if key[0].family is Family.WITHOUT else ""
        families.setdefault((key[0].family, name), []).append(key)
    return families


def _pairs(families: Iterable[tuple[Family, str]]) -> list[tuple[tuple[Family, str], tuple[Family, str]]]:
    """Return the pairs of existing families that are compared, as (first, second)."""
    there = list(families)
    pairs = [((a, ""), (b, "")) for a, b in PAIRS]
    pairs += [(one, (Family.COMB, "")) for one in there if one[0] is Family.WITHOUT]
    return [(first, second) for first, second in pairs if first in there and second in there]


def _corrected(differences: Sequence[FamilyDifference]) -> tuple[FamilyDifference, ...]:
    """Apply Holm's correction to every comparison of the study, all dimensions together, for each coefficient."""
    adjusted = {name: holm([each.tested[name].permutation.p for each in differences]) for name in COEFFICIENTS}
    return tuple(
        replace(each, tested={name: replace(each.tested[name], p_holm=adjusted[name][i]) for name in COEFFICIENTS})
        for i, each in enumerate(differences)
    )


MEANS = "Means over trials, each on texts of its own draw; intervals and tests are those of each trial."


@dataclass(frozen=True, slots=True)
class TrialMean:
    """The values of a condition, or of one contributor alone (`member`), in each trial; None where a trial has no
    figure."""

    row: ConditionFigures
    member: Member | None
    values: Mapping[Measure, tuple[float | None, ...]]

    @property
    def condition(self) -> str:
        """Return the `StudyCondition.key`; for a condition with several checklists its family."""
        if self.member is not None:
            return self.member.condition.key
        return self.row.key

    def known(self, measure: Measure) -> list[float]:
        return [value for value in self.values[measure] if value is not None]

    def spread(self, measure: Measure) -> tuple[float | None, float | None]:
        """Return mean and standard deviation over the trials with a figure; (None, None) for fewer than two."""
        known = self.known(measure)
        return (fmean(known), stdev(known)) if len(known) > 1 else (None, None)

    def to_json(self) -> dict[str, Any]:
        document: dict[str, Any] = {"dimension": self.row.dimension.name, "condition": self.condition}
        for name in MEASURES:
            mean, sd = self.spread(name)
            document[name] = {"mean": mean, "sd": sd, "values": list(self.values[name])}
        return document


@dataclass(frozen=True, slots=True)
class TrialFigures:
    """The figures of all trials, in the order of their seeds; `means` is empty for a single trial."""

    trials: tuple[StudyFigures, ...]
    means: tuple[TrialMean, ...]

    @property
    def several(self) -> bool:
        return len(self.trials) > 1


@use_case(Right.READ)
def trial_figures(
    workbench: Workbench, /, plans: Sequence[StudyPlan], level: Level = "per-source", **options: Any
) -> TrialFigures:
    """Return the figures of each trial, as far as scored. options: those of `study_figures`."""
    trials = tuple(study_figures(workbench, plan, level, **options) for plan in plans)
    return TrialFigures(trials, _means(trials) if len(trials) > 1 else ())


@use_case(Right.READ)
def sweep_figures(
    workbench: Workbench, /, plans: Sequence[StudyPlan], level: Level = "per-source", **options: Any
) -> Mapping[int, TrialFigures]:
    """Return number of components -> figures of its trials; several numbers only in a sweep (Fig. 6 of
    InteractEval)."""
    numbers = dict.fromkeys(plan.options.components for plan in plans)
    return {
        number: trial_figures(workbench, [p for p in plans if p.options.components == number], level, **options)
        for number in numbers
    }


def single_contributors(row: ConditionFigures) -> Sequence[Member]:
    """Return the members of a condition with one contributor each (Table 10 of InteractEval); () for other
    conditions."""
    return row.members if row.family in (Family.SL, Family.SH) else ()


def _means(trials: Sequence[StudyFigures]) -> tuple[TrialMean, ...]:
    places: dict[tuple[str, str, str], tuple[ConditionFigures, Member | None]] = {}
    found: dict[tuple[str, str, str], dict[int, Mapping[Measure, Figure]]] = {}
    for number, trial in enumerate(trials):
        for row in trial.with_averages:
            for member in (None, *single_contributors(row)):
                key = (row.dimension.name, row.key, member.condition.key if member else "")
                places.setdefault(key, (row, member))
                found.setdefault(key, {})[number] = member.figures if member else row.figures
    return tuple(
        TrialMean(
            *places[key],
            {
                name: tuple(figures[number][name].value if number in figures else None for number in range(len(trials)))
                for name in MEASURES
            },
        )
        for key, figures in found.items()
    )
