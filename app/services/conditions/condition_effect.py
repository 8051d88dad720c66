"""Diversity and performance: are scores closer to people's if the attributes behind the checklist are more varied?
(Fig. 10a)

Conditions are compared only if one judge scored them on the same texts. Similarity is measured in one space, that of
the screen Compare. "Everybody but one" is no condition of the paper: such sets overlap almost completely and are left
out.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from scipy.stats import spearmanr

from app.attribute_analysis.pool import sources_of
from app.attribute_analysis.similarity import Similarity
from app.domain.attribute import Attribute, AttributeStatus
from app.domain.checklist import Checklist
from app.domain.condition import conditions_of, of_condition
from app.domain.roles_and_rights import Right
from app.domain.run import RunSummary, ScoreStatus
from app.errors import NotFoundError, NotReadyError
from app.meta_evaluation.evaluation import Figure, Origin
from app.meta_evaluation.score_matrix import Level
from app.providers.model_options import ModelOptions
from app.services.attributes.comparison import similarity_of_sets
from app.services.attributes.embedding_choice import LSA, Embedding
from app.services.results.contribution import runs_with_checklist
from app.services.results.results import Choices, evaluate_scores
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import Database

# With three points every order is likely by chance; the paper has five conditions.
FEWEST_CONDITIONS = 4
CONDITIONS = ("comb", "ml", "mh", "sl", "sh")
MEASURES = ("rouge_l", "jaccard", "cosine")

Words = Callable[[str], str]
_Scored = tuple[RunSummary, Checklist]


@dataclass(frozen=True, slots=True)
class ConditionDraw:
    """One judge's runs that planned the same texts: condition's code -> its newest run, newest run first."""

    judge: str
    texts: int
    runs: Mapping[str, _Scored]

    @property
    def newest(self) -> RunSummary:
        return max((run for run, _ in self.runs.values()), key=lambda run: run.id)

    @property
    def words(self) -> str:
        """Return which texts, for example "160 texts (40 x 4, seed 2)"."""
        params = self.newest.params
        share, draw, seed = params.get("sample", 1), params.get("draw"), params.get("seed")
        effort = f", effort {params['effort']}" if params.get("effort") else ""
        if draw:
            return f"{self.texts:,} texts ({draw[0]} x {draw[1]}, seed {seed}){effort}"
        return f"{self.texts:,} texts" + ("" if share == 1 else f" ({share:.0%}, seed {seed})") + effort


@dataclass(frozen=True, slots=True)
class Refusal:
    """A judge whose conditions were never all scored on the same texts. `nearest` is the draw with the fewest `missing`
    conditions."""

    judge: str
    nearest: ConditionDraw
    missing: tuple[str, ...]

    def sentence(self, words: Words = str) -> str:
        """Return what is missing, as a sentence. words: returns the name of a condition's code."""
        return (
            f"{self.judge}: not every condition was scored on the same texts, so they can't be compared. On "
            f"{self.nearest.words} these are missing: {', '.join(map(words, self.missing))}. Score them on the same "
            "texts; Conditions does that for all at once."
        )


@dataclass(frozen=True, slots=True)
class ConditionDraws:
    """All draws of a dimension: `draws` on which a judge scored all conditions it ever scored, newest first; `refused`:
    judges without such a draw."""

    draws: tuple[ConditionDraw, ...]
    refused: tuple[Refusal, ...]


@dataclass(frozen=True, slots=True)
class ConditionPoint:
    """One checklist of a condition, scored by one judge. `attributes` counts the ones it was built from that are still
    active; `gone` of them are not, and `since` were added to the condition later."""

    condition: str
    version: int
    run: int
    attributes: int
    gone: int
    since: int
    similarity: Similarity
    spearman: Figure

    def to_json(self) -> dict[str, Any]:
        return {
            "condition": self.condition,
            "run": self.run,
            "checklist_version": self.version,
            "attributes": self.attributes,
            **{measure: getattr(self.similarity, measure) for measure in MEASURES},
            "spearman": self.spearman.to_json(),
        }


@dataclass(frozen=True, slots=True)
class ConditionEffect:
    """The conditions of one draw; all figures are over the `shared` texts that every one of them scored."""

    draw: ConditionDraw
    shared: int
    points: tuple[ConditionPoint, ...]

    @property
    def left_out(self) -> int:
        return self.draw.texts - self.shared

    def correlation(self, measure: str) -> float | None:
        """Return the Spearman correlation of similarity with agreement over the conditions; None for fewer than four,
        or constants.

        measure: a field of Similarity, such as "rouge_l".
        """
        pairs = [(getattr(point.similarity, measure), point.spearman.value) for point in self.points]
        known = [(float(x), float(y)) for x, y in pairs if x is not None and y is not None]
        alike, agreement = [x for x, _ in known], [y for _, y in known]
        if len(known) < FEWEST_CONDITIONS or min(len(set(alike)), len(set(agreement))) < 2:
            return None
        return float(spearmanr(alike, agreement).statistic)

    def remarks(self, words: Words = str) -> tuple[str, ...]:
        said = []
        if self.left_out:
            said.append(f"{self.left_out:,} texts that not every condition could be scored on completely are left out.")
        models = sorted({checklist.model for _, checklist in self.draw.runs.values()})
        if len(models) > 1:
            said.append(f"The checklists were built by different models: {'; '.join(models)}.")
        most = sorted({n for run, _ in self.draw.runs.values() if (n := run.components) is not None})
        if len(most) > 1:
            said.append(f"The checklists were built with at most {' and '.join(map(str, most))} components.")
        for point in self.points:
            if point.gone or point.since:
                said.append(
                    f"{words(point.condition)}: of the attributes behind its checklist {point.gone} are no longer in "
                    f"use and left out of the likeness; {point.since} came later."
                )
            if point.spearman.value is None:
                said.append(f"{words(point.condition)}, run {point.run}: {point.spearman.reason}")
        return tuple(said)

    def to_json(self) -> dict[str, Any]:
        params = self.draw.newest.params
        return {
            "judge": self.draw.judge,
            "texts": self.shared,
            "left_out": self.left_out,
            "sample": params.get("sample", 1),
            "draw": params.get("draw"),
            "seed": params.get("seed"),
            "points": [point.to_json() for point in self.points],
            "correlation": {measure: self.correlation(measure) for measure in MEASURES},
            "remarks": list(self.remarks()),
        }


@use_case(Right.READ)
def condition_draws(workbench: Workbench, project_id: int, dimension_id: int) -> ConditionDraws:
    """Return the runs with checklists of the paper's conditions, grouped by judge, effort and scored texts."""
    scored: dict[tuple[str, str], dict[frozenset[int], dict[str, _Scored]]] = {}
    asked: dict[tuple[str, str], dict[str, None]] = {}
    with workbench.database.read() as work:
        allowed = {condition.code for condition in conditions_of(work.think_aloud.attributes(project_id, dimension_id))}
        for run, checklist in runs_with_checklist(workbench, project_id, dimension_id):
            code = checklist.condition
            if run.locked or code.partition(":")[0] not in CONDITIONS:
                continue
            who = run.judge, ModelOptions.of_run(run.params).effort
            asked.setdefault(who, {})[code] = None
            rows = work.results.scored(run.id, dimension_id)
            if all(row.status is not ScoreStatus.PENDING for row in rows):
                texts = frozenset(row.text for row in rows)
                scored.setdefault(who, {}).setdefault(texts, {}).setdefault(code, (run, checklist))
    draws, refused = list[ConditionDraw](), []
    for (judge, effort), by_texts in scored.items():
        wanted = sorted(asked[judge, effort].keys() & allowed, key=_place)
        found = [ConditionDraw(judge, len(texts), runs) for texts, runs in by_texts.items()]
        whole = [draw for draw in found if not _missing(draw, wanted)]
        if whole:
            draws += whole
        else:
            nearest = max(found, key=lambda draw: (-len(_missing(draw, wanted)), draw.newest.id))
            refused.append(Refusal(judge, nearest, _missing(nearest, wanted)))
    return ConditionDraws(tuple(sorted(draws, key=lambda draw: -draw.newest.id)), tuple(refused))


@use_case(Right.READ)
def effect_of_conditions(
    workbench: Workbench,
    project_id: int,
    dimension_id: int,
    draw: ConditionDraw,
    level: Level = "per-source",
    embedding: Embedding = LSA,
) -> ConditionEffect:
    """Return similarity and agreement of every condition of a draw.

    Raises NotReadyError if no text was scored by all or no attribute is active, InputError for a level that the data
    don't allow, a ProviderError if the embedding's provider fails.
    """
    with workbench.database.read() as work:
        attributes = work.think_aloud.attributes(project_id, dimension_id)
        state = work.results.rating_state(dimension_id)
    in_use = {a.id for a in attributes if a.status is AttributeStatus.ACTIVE}
    behind = {code: sources_of(checklist) for code, (_, checklist) in draw.runs.items()}
    similarities = similarity_of_sets(attributes, list(behind.values()), embedding)
    runs = tuple((run.id, run.done, run.failed) for run, _ in draw.runs.values())
    versions = tuple(checklist.version for _, checklist in draw.runs.values())
    shared, figures = _figures(workbench.database, dimension_id, runs, versions, draw.judge, level, state)
    points = [
        ConditionPoint(
            code,
            checklist.version,
            run.id,
            len(behind[code] & in_use),
            len(behind[code] - in_use),
            len(_now(attributes, code) - behind[code]),
            similarity,
            figures[run.id],
        )
        for (code, (run, checklist)), similarity in zip(draw.runs.items(), similarities, strict=True)
    ]
    return ConditionEffect(draw, shared, tuple(sorted(points, key=lambda point: _place(point.condition))))


# A resampled figure for each condition: kept for as long as neither scores nor ratings change.
@lru_cache(maxsize=32)
def _figures(
    database: Database,
    dimension_id: int,
    runs: tuple[tuple[int, int, int], ...],
    versions: tuple[int, ...],
    judge: str,
    level: Level,
    _: str,
) -> tuple[int, dict[int, Figure]]:
    """Return the number of texts that every run scored completely, and each run's Spearman correlation over these."""
    with database.read() as work:
        scored = {
            run: {row.text: row for row in work.results.scored(run, dimension_id) if row.counts()} for run, _, _ in runs
        }
        digests = {
            run: next(part.prompt_digest for part in work.runs.parts(run) if part.dimension == dimension_id)
            for run, _, _ in runs
        }
    shared = sorted(set.intersection(*(set(rows) for rows in scored.values())))
    if not shared:
        raise NotReadyError(
            "No text was scored completely under every condition, so they can't be compared.",
            "Try the failed texts of their runs again.",
        )
    figures = {}
    for run, version in zip(scored, versions, strict=True):
        rows = [scored[run][text] for text in shared]
        origin = Origin(str(version), judge, digests[run][:12] or "none")
        figures[run] = evaluate_scores(rows, [row.score for row in rows], Choices(level), origin).figures["spearman"]
    return len(shared), figures


def _missing(draw: ConditionDraw, wanted: Collection[str]) -> tuple[str, ...]:
    return tuple(code for code in wanted if code not in draw.runs)


def _now(attributes: Sequence[Attribute], code: str) -> set[int]:
    """Return the ids of the active attributes from which the condition would be built now."""
    try:
        return {a.id for a in of_condition(attributes, code)}
    except NotFoundError:  # nothing of the contributor is in use any more
        return set()


def _place(code: str) -> tuple[int, str]:
    return CONDITIONS.index(code.partition(":")[0]), code
