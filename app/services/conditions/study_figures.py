"""Figures of a study: agreement by condition and dimension, and which conditions are told apart."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from app.domain.study import Family, StudyCondition
from app.domain.task import Dimension
from app.errors import InputError
from app.meta_evaluation.averaged import Grouping, averaged, averaged_cautions, compare_averaged
from app.meta_evaluation.choices import COEFFICIENTS, RESAMPLES, Coefficient, Level
from app.meta_evaluation.comparison import APPROXIMATE, TestedDifference
from app.meta_evaluation.evaluation import Figure, Origin
from app.meta_evaluation.score_matrix import Column
from app.meta_evaluation.significance import FISHER_CAVEAT, holm
from app.meta_evaluation.verdict import verdict
from app.services.conditions.study import Cell, StudyPlan
from app.services.results.results import rater_remark
from app.services.runtime.workbench import Workbench
from db.unit_of_work import Database

__all__ = ["Coefficient", "ConditionFigures", "FamilyDifference", "Member", "StudyFigures", "study_figures"]

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


@dataclass(frozen=True, slots=True)
class StudyCaution:
    """A sentence that belongs beside the figures of a dimension; `about` these conditions (keys), () for all."""

    dimension: Dimension
    text: str
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FamilyDifference:
    """The second condition less the first, so that above 0 the second agrees better with people."""

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
