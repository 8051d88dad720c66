"""Differences between the attributes of people and LLMs, and their spread over topics.

Fitting takes seconds and the same attributes give the same answer, so each answer is kept: a screen that is redrawn
doesn't wait again.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import BoundedSemaphore
from typing import ParamSpec, TypeVar

from app.attribute_analysis.one_sided_themes import OneSidedTheme, one_sided_themes
from app.attribute_analysis.pool import AttributePool, pool_attributes
from app.attribute_analysis.similarity import (
    PairMatrices,
    SetComparison,
    Similarity,
    compare_groups,
    pair_matrices,
    within,
)
from app.attribute_analysis.topics.analysis import TopicAnalysis, analyse_topics
from app.attribute_analysis.topics.coherence import CoherenceAt, coherence_over_topics
from app.attribute_analysis.topics.grouping import TopicGrouping
from app.attribute_analysis.topics.shares import GroupSpread
from app.attribute_analysis.unique_shared import AttributeMap, UniqueAndShared, find_unique, map_attributes
from app.domain.attribute import Attribute, AttributeStatus, ContributorKind
from app.domain.people.actor import Right
from app.errors import NotReadyError
from app.services.attributes.embedding import LSA, Embedding
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

__all__ = [
    "AttributeMap",
    "AttributePool",
    "CoherenceAt",
    "ContributorComparison",
    "GroupSpread",
    "OneSidedTheme",
    "SetComparison",
    "Similarity",
    "TopicAnalysis",
    "TopicGrouping",
    "UniqueAndShared",
    "UniqueAttributes",
    "compare_contributors",
    "find_unique_attributes",
    "names_of_task",
    "pool_of",
    "similarity_of",
    "similarity_of_sets",
    "topic_coherence",
    "topics_in",
    "topics_of",
]

MANY = 500
"""From so many attributes on, topics take seconds and are computed in a process of their own."""
AT_A_TIME = 2
"""Processes for topics; further computations wait."""
SECONDS = 300.0
"""Limit for one computation, and for its waiting."""
P = ParamSpec("P")
R = TypeVar("R")
_PLACES = BoundedSemaphore(AT_A_TIME)
_Said = tuple[tuple[str, ContributorKind, str], ...]


@dataclass(frozen=True, slots=True)
class ContributorComparison:
    """How alike attributes are, within and between contributors, people and LLMs, and conditions."""

    contributors: SetComparison
    kinds: SetComparison
    conditions: SetComparison


@dataclass(frozen=True, slots=True)
class UniqueAttributes:
    """Who noticed what at one threshold. Positions in `groups`, `themes` and `map` are those in `pool`."""

    pool: AttributePool
    contributors: UniqueAndShared
    kinds: UniqueAndShared
    themes: tuple[OneSidedTheme, ...]
    map: AttributeMap


def similarity_of(workbench: Workbench, project_id: int, dimension_id: int) -> ContributorComparison:
    """Similarity of a dimension's active attributes. Raises NotReadyError where there are none."""
    return compare_contributors(_read(workbench, project_id, dimension_id))


@use_case(Right.REVIEW)
def topics_of(
    workbench: Workbench, project_id: int, dimension_id: int, topics: int = 5, seeds: int = 20
) -> TopicAnalysis:
    """Topics of a dimension's active attributes by both models. Raises NotReadyError."""
    names = names_of_task(workbench, project_id, dimension_id)
    return topics_in(_read(workbench, project_id, dimension_id), topics, seeds, names)


def compare_contributors(attributes: Sequence[Attribute], embedding: Embedding = LSA) -> ContributorComparison:
    """Raises NotReadyError where no attribute is active, a ProviderError where the embedding's provider fails."""
    return _compared(_said(attributes), embedding)


def find_unique_attributes(
    attributes: Sequence[Attribute], threshold: float = 0.2, embedding: Embedding = LSA
) -> UniqueAttributes:
    """What each has that nobody else has: no attribute of others with a cosine of `threshold` or more.

    Raises as `compare_contributors`, and InputError for a threshold outside 0 to 1.
    """
    return _noticed(_said(attributes), threshold, embedding)


def topics_in(
    attributes: Sequence[Attribute], topics: int = 5, seeds: int = 20, names: tuple[str, ...] = ()
) -> TopicAnalysis:
    """names: `names_of_task`. Raises NotReadyError where the set is too small, InputError for numbers out of range."""
    return _topics(_said(attributes), topics, seeds, names)


def topic_coherence(attributes: Sequence[Attribute], names: tuple[str, ...] = ()) -> tuple[CoherenceAt, ...]:
    """Topic coherence with 2 to 12 topics. Raises NotReadyError where the set can't even carry two."""
    return _coherence(_said(attributes), names)


@use_case(Right.SEE)
def names_of_task(workbench: Workbench, project_id: int, dimension_id: int) -> tuple[str, ...]:
    """What the dimension and the texts are called, one and several: in attributes these words are no topic."""
    with workbench.database.read() as work:
        task = work.projects.project_of(dimension_id).task
        dimension = work.projects.dimension_by_id(dimension_id)
    return dimension.name, "text", "texts", task.text_name, task.texts_name, task.source_name, task.sources_name


def similarity_of_sets(
    attributes: Sequence[Attribute], sets: Sequence[Collection[int]], embedding: Embedding = LSA
) -> list[Similarity]:
    """Mean similarity within each set of attributes (ids), all in the space that `compare_contributors` fits for them.

    Of a set, those in use count. Raises as `compare_contributors`.
    """
    active = [a for a in attributes if a.status is AttributeStatus.ACTIVE and a.text.strip()]
    said = _said(attributes)
    # As in the pool: the contributors in the order in which they first appear.
    order = {name: place for place, name in enumerate(dict.fromkeys(contributor for contributor, _, _ in said))}
    places = {a.id: place for place, a in enumerate(sorted(active, key=lambda a: order[a.contributor]))}
    matrices = _matrices(said, embedding)
    return [within(matrices, sorted(places[i] for i in ids if i in places)) for ids in sets]


def pool_of(attributes: Sequence[Attribute]) -> AttributePool:
    """The active attributes, by contributor. Raises NotReadyError where there are none."""
    return _pool(_said(attributes))


def _read(workbench: Workbench, project_id: int, dimension_id: int) -> list[Attribute]:
    with workbench.database.read() as work:
        return work.think_aloud.attributes(project_id, dimension_id)


def _said(attributes: Sequence[Attribute]) -> _Said:
    return tuple((a.contributor, a.kind, a.text) for a in attributes if a.status is AttributeStatus.ACTIVE)


def computed_apart(function: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
    """Call a function of a module in a process of its own, so that other people's screens don't wait.

    Function, arguments and result are pickled. Raises what the function raises, and NotReadyError after `SECONDS`.
    """
    from joblib.externals.loky.process_executor import ProcessPoolExecutor  # noqa: PLC0415 - takes a while

    too_long = NotReadyError(
        f"This would take longer than {SECONDS / 60:g} minutes, and was stopped.",
        "Choose fewer attributes, topics or starts, or use the command line, where there is no limit.",
    )
    if not _PLACES.acquire(timeout=SECONDS):
        raise too_long
    process = ProcessPoolExecutor(max_workers=1)
    try:
        return process.submit(function, *arguments, **named).result(timeout=SECONDS)  # type: ignore[no-any-return]
    except TimeoutError:
        raise too_long from None
    finally:
        process.shutdown(wait=False, kill_workers=True)
        _PLACES.release()


@lru_cache(maxsize=32)
def _topics(said: _Said, topics: int, seeds: int, names: tuple[str, ...]) -> TopicAnalysis:
    pool = _pool(said, names)
    return (
        analyse_topics(pool, topics, seeds) if len(said) < MANY else computed_apart(analyse_topics, pool, topics, seeds)
    )


@lru_cache(maxsize=32)
def _coherence(said: _Said, names: tuple[str, ...]) -> tuple[CoherenceAt, ...]:
    pool = _pool(said, names)
    return coherence_over_topics(pool) if len(said) < MANY else computed_apart(coherence_over_topics, pool)


@lru_cache(maxsize=32)
def _compared(said: _Said, embedding: Embedding) -> ContributorComparison:
    pool, matrices = _pool(said), _matrices(said, embedding)
    groups = (pool.by_contributor(), pool.by_kind(), pool.by_condition())
    return ContributorComparison(*(compare_groups(matrices, group) for group in groups))


@lru_cache(maxsize=64)
def _noticed(said: _Said, threshold: float, embedding: Embedding) -> UniqueAttributes:
    pool, matrices = _pool(said), _matrices(said, embedding)
    return UniqueAttributes(
        pool=pool,
        contributors=find_unique(matrices, pool.by_contributor(), threshold),
        kinds=find_unique(matrices, pool.by_kind(), threshold),
        themes=one_sided_themes(pool, matrices, threshold),
        map=map_attributes(matrices),
    )


# Two thousand attributes make matrices of 128 MB: few are kept.
@lru_cache(maxsize=4)
def _matrices(said: _Said, embedding: Embedding) -> PairMatrices:
    return pair_matrices(_pool(said).texts, embedding.embedder)


def _pool(said: _Said, names: tuple[str, ...] = ()) -> AttributePool:
    by_contributor: dict[str, list[str]] = {}
    for contributor, _, text in said:
        by_contributor.setdefault(contributor, []).append(text)
    return pool_attributes(by_contributor, {contributor: kind for contributor, kind, _ in said}, names)
