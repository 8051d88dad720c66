"""Diversity and performance: is the checklist of a more varied set of attributes closer to people? (Fig. 10a)"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scipy.stats import spearmanr

from app.attribute_analysis.contribution import sources_of
from app.attribute_analysis.similarity import Similarity
from app.domain.attribute import Attribute
from app.domain.checklist import Checklist
from app.domain.run import RunSummary
from app.errors import WorkbenchError
from app.meta_evaluation.choices import Level
from app.meta_evaluation.evaluation import Figure
from app.services.analysis import similarity_within
from app.services.contribution import runs_with_checklist
from app.services.embedding import LSA, Embedding
from app.services.results import Choices, kept_result
from app.services.workbench import Workbench

# With three points every order is likely by chance; the paper has five conditions.
FEWEST_CONDITIONS = 4
CONDITIONS = ("comb", "ml", "mh", "sl", "sh", "only")


@dataclass(frozen=True, slots=True)
class ConditionPoint:
    """One checklist built under a condition, scored by one judge. `attributes` are those it was built from."""

    condition: str
    version: int
    run: int
    judge: str
    attributes: int
    similarity: Similarity
    spearman: Figure


@dataclass(frozen=True, slots=True)
class ConditionResults:
    """`points`: the newest run for each condition and judge. `problems`: sentences about runs that couldn't count."""

    points: tuple[ConditionPoint, ...]
    problems: tuple[str, ...] = ()

    @property
    def conditions(self) -> int:
        return len({point.condition for point in self.points})


def condition_results(
    workbench: Workbench,
    project_id: int,
    dimension_id: int,
    level: Level = "per-source",
    embedding: Embedding = LSA,
) -> ConditionResults:
    """Every run with a checklist that was built from the attributes of a condition."""
    with workbench.database.read() as work:
        attributes = {a.id: a for a in work.think_aloud.attributes(project_id, dimension_id)}
    newest: dict[tuple[str, str], tuple[RunSummary, Checklist]] = {}
    for run, checklist in runs_with_checklist(workbench, project_id, dimension_id):
        if checklist.condition.partition(":")[0] in CONDITIONS:
            newest.setdefault((checklist.condition, run.judge), (run, checklist))
    points, problems = [], dict[str, None]()
    for (condition, judge), (run, checklist) in newest.items():
        said = _behind(checklist, attributes)
        try:
            similarity = similarity_within(said, embedding)
            figure = _spearman(workbench, run.id, dimension_id, level)
        except WorkbenchError as error:
            problems.setdefault(f"Run {run.id}: {error.message}")
            continue
        if figure.value is None:
            problems.setdefault(f"Run {run.id}: {figure.reason}")
        points.append(ConditionPoint(condition, checklist.version, run.id, judge, len(said), similarity, figure))
    return ConditionResults(tuple(sorted(points, key=_place)), tuple(problems))


def over_conditions(points: Sequence[ConditionPoint], measure: str) -> float | None:
    """Spearman of similarity with performance over conditions of one judge; None for fewer than four, or constants.

    measure: a field of Similarity, such as "rouge_l".
    """
    pairs = [(getattr(point.similarity, measure), point.spearman.value) for point in points]
    known = [(float(x), float(y)) for x, y in pairs if x is not None and y is not None]
    alike, agreement = [x for x, _ in known], [y for _, y in known]
    if len(known) < FEWEST_CONDITIONS or min(len(set(alike)), len(set(agreement))) < 2:
        return None
    return float(spearmanr(alike, agreement).statistic)


def _behind(checklist: Checklist, attributes: Mapping[int, Attribute]) -> list[Attribute]:
    return [attributes[i] for i in sorted(sources_of(checklist)) if i in attributes]


def _spearman(workbench: Workbench, run_id: int, dimension_id: int, level: Level) -> Figure:
    result = kept_result(workbench, run_id, dimension_id, Choices(level))
    assert result is not None  # the caller read the dimension from the run
    return result.meta.figures["spearman"]


def _place(point: ConditionPoint) -> tuple[int, str, str]:
    return CONDITIONS.index(point.condition.partition(":")[0]), point.condition, point.judge
