"""Compare: similarity, topics and coverage of people's and LLMs' attributes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from app.attribute_analysis.coverage import OtherExpertsCoverage, ThemeCoverage, theme_coverage
from app.attribute_analysis.embedding import Embedder
from app.attribute_analysis.pool import AttributePool, pool_attributes
from app.attribute_analysis.similarity import (
    AttributeMap,
    OneSidedTheme,
    PairMatrices,
    SetComparison,
    Similarity,
    UniqueAndShared,
    compare_groups,
    find_unique,
    map_attributes,
    one_sided_themes,
    pair_matrices,
    within,
)
from app.attribute_analysis.topics.grouping import GroupSpread, TopicGrouping
from app.attribute_analysis.topics.topic_models import CoherenceAt, TopicAnalysis, analyse_topics, coherence_over_topics
from app.attribute_analysis.topics.topic_options import (
    DEFAULT_SEEDS,
    DEFAULT_TOPICS,
    FEWEST_TOPICS,
    MOST_SEEDS,
    MOST_TOPICS,
)
from app.domain.attribute import Attribute, AttributeStatus, ContributorKind
from app.domain.roles_and_rights import Right
from app.limited_process import computed_apart
from app.limits import COMPUTATION_SECONDS
from app.services.attributes.embedding_choice import LOCAL_NAME, LSA, LSA_NAME, NEAR, SAME_THEME, Embedding
from app.services.runtime.workbench import Workbench, use_case

__all__ = [
    "DEFAULT_SEEDS",
    "DEFAULT_TOPICS",
    "FEWEST_TOPICS",
    "MOST_SEEDS",
    "MOST_TOPICS",
    "CoherenceAt",
    "GroupSpread",
    "OneSidedTheme",
    "OtherExpertsCoverage",
    "SetComparison",
    "ThemeCoverage",
    "TopicAnalysis",
    "TopicGrouping",
]


MANY = 500
"""From this number of attributes on, comparisons and topics take seconds and run in a process of their own."""
_Said = tuple[tuple[str, ContributorKind, str], ...]


@dataclass(frozen=True, slots=True)
class ContributorComparison:
    """The similarity of attributes within and between contributors, people and LLMs, and conditions."""

    contributors: SetComparison
    kinds: SetComparison
    conditions: SetComparison


@dataclass(frozen=True, slots=True)
class UniqueAttributes:
    """Attributes that only one contributor or kind has, at one threshold. Positions in `groups`, `themes` and `map`
    index `pool`."""

    pool: AttributePool
    contributors: UniqueAndShared
    kinds: UniqueAndShared
    themes: tuple[OneSidedTheme, ...]
    map: AttributeMap


@use_case(Right.REVIEW)
def active_attributes(workbench: Workbench, project_id: int, dimension_id: int) -> list[Attribute]:
    """Return a dimension's active attributes, by all contributors."""
    with workbench.database.read() as work:
        found = work.think_aloud.attributes(project_id, dimension_id)
    return [attribute for attribute in found if attribute.status is AttributeStatus.ACTIVE]


@use_case(Right.FACILITATE)
def attribute_coverage(
    workbench: Workbench, project_id: int, dimension_id: int, embedding: Embedding = LSA, least: float | None = None
) -> ThemeCoverage:
    """Return how completely the experts' attributes cover the themes of a dimension. A merged attribute counts for its
    contributor, with the wording of the attribute it was merged into. least: mean similarity of attributes of one
    theme, by default `SAME_THEME` of the embedding.

    Raises as `find_unique_attributes`.
    """
    with workbench.database.read() as work:
        found = {a.id: a for a in work.think_aloud.attributes(project_id, dimension_id)}
    said = [
        (one.contributor, one.kind, stands.text)
        for _, one in sorted(found.items())
        if (stands := active_attribute(one, found)) is not None and stands.text.strip()
    ]
    name = embedding.name if embedding.name in NEAR else LOCAL_NAME
    return _covered(tuple(said), SAME_THEME[name] if least is None else least, NEAR[name], embedding)


def active_attribute(attribute: Attribute, found: Mapping[int, Attribute]) -> Attribute | None:
    """Return the attribute itself if it is active, or the active one it was merged into; None if neither is in use."""
    seen = set[int]()
    now: Attribute | None = attribute
    while now is not None and now.status is AttributeStatus.MERGED and now.id not in seen:
        seen.add(now.id)
        now = found.get(now.merged_into or 0)
    return now if now is not None and now.status is AttributeStatus.ACTIVE else None


def compare_contributors(attributes: Sequence[Attribute], embedding: Embedding = LSA) -> ContributorComparison:
    """Compare the active attributes. Raises NotReadyError if there are none, a ProviderError if the embedding's
    provider fails."""
    return _compared(_said(attributes), embedding)


def find_unique_attributes(
    attributes: Sequence[Attribute], threshold: float = 0.2, embedding: Embedding = LSA
) -> UniqueAttributes:
    """Return the attributes of each contributor and kind without a counterpart: no other's has a cosine of `threshold`
    or more.

    Raises as `compare_contributors`, and InputError for a threshold outside 0 to 1.
    """
    return _noticed(_said(attributes), threshold, embedding)


def topics_in(
    attributes: Sequence[Attribute],
    topics: int = DEFAULT_TOPICS,
    seeds: int = DEFAULT_SEEDS,
    names: tuple[str, ...] = (),
) -> TopicAnalysis:
    """Return the topics of the active attributes. names: words that are no topic, from `names_of_task`. Raises
    NotReadyError for too few attributes, InputError for numbers out of range."""
    return _topics(_said(attributes), topics, seeds, names)


def topic_coherence(attributes: Sequence[Attribute], names: tuple[str, ...] = ()) -> tuple[CoherenceAt, ...]:
    """Return the topic coherence for each number of topics. Raises NotReadyError for too few attributes."""
    return _coherence(_said(attributes), names)


@use_case(Right.SEE)
def names_of_task(workbench: Workbench, project_id: int, dimension_id: int) -> tuple[str, ...]:
    """Return the names of the dimension, the texts and the sources, singular and plural; topics leave these words
    out."""
    with workbench.database.read() as work:
        task = work.projects.project_of(dimension_id).task
        dimension = work.projects.dimension_by_id(dimension_id)
    return dimension.name, "text", "texts", task.text_name, task.texts_name, task.source_name, task.sources_name


def similarity_of_sets(
    attributes: Sequence[Attribute], sets: Sequence[Collection[int]], embedding: Embedding = LSA
) -> list[Similarity]:
    """Return the mean similarity within each set of attributes (ids), in the space that `compare_contributors` fits to
    all.

    Only active attributes of a set count. Raises as `compare_contributors`.
    """
    active = [a for a in attributes if a.status is AttributeStatus.ACTIVE and a.text.strip()]
    said = _said(attributes)
    # As in the pool: the contributors in the order in which they first appear.
    order = {name: place for place, name in enumerate(dict.fromkeys(contributor for contributor, _, _ in said))}
    places = {a.id: place for place, a in enumerate(sorted(active, key=lambda a: order[a.contributor]))}
    positions = tuple(tuple(sorted(places[i] for i in ids if i in places)) for ids in sets)
    return list(_within_sets(said, positions, embedding))


def pool_of(attributes: Sequence[Attribute]) -> AttributePool:
    """Return the active attributes by contributor. Raises NotReadyError if there are none."""
    return _pool(_said(attributes))


def _said(attributes: Sequence[Attribute]) -> _Said:
    return tuple((a.contributor, a.kind, a.text) for a in attributes if a.status is AttributeStatus.ACTIVE)


@lru_cache(maxsize=32)
def _topics(said: _Said, topics: int, seeds: int, names: tuple[str, ...]) -> TopicAnalysis:
    pool = _pool(said, names)
    return (
        analyse_topics(pool, topics, seeds)
        if len(said) < MANY
        else computed_apart(COMPUTATION_SECONDS, analyse_topics, pool, topics, seeds)
    )


@lru_cache(maxsize=32)
def _coherence(said: _Said, names: tuple[str, ...]) -> tuple[CoherenceAt, ...]:
    pool = _pool(said, names)
    return (
        coherence_over_topics(pool)
        if len(said) < MANY
        else computed_apart(COMPUTATION_SECONDS, coherence_over_topics, pool)
    )


@lru_cache(maxsize=32)
def _compared(said: _Said, embedding: Embedding) -> ContributorComparison:
    if len(said) < MANY:
        return _comparison(_pool(said), _matrices(said, embedding))
    return computed_apart(COMPUTATION_SECONDS, _comparison, _pool(said), _to_compute(said, embedding))


@lru_cache(maxsize=64)
def _noticed(said: _Said, threshold: float, embedding: Embedding) -> UniqueAttributes:
    if len(said) < MANY:
        return _unique(_pool(said), _matrices(said, embedding), threshold)
    return computed_apart(COMPUTATION_SECONDS, _unique, _pool(said), _to_compute(said, embedding), threshold)


@lru_cache(maxsize=32)
def _covered(said: _Said, least: float, near: float, embedding: Embedding) -> ThemeCoverage:
    if len(said) < MANY:
        return _coverage(said, _matrices(said, embedding), least, near)
    return computed_apart(COMPUTATION_SECONDS, _coverage, said, _to_compute(said, embedding), least, near)


@lru_cache(maxsize=64)
def _within_sets(said: _Said, sets: tuple[tuple[int, ...], ...], embedding: Embedding) -> list[Similarity]:
    if len(said) < MANY:
        return _similarities(_pool(said), _matrices(said, embedding), sets)
    return computed_apart(COMPUTATION_SECONDS, _similarities, _pool(said), _to_compute(said, embedding), sets)


def _comparison(pool: AttributePool, matrices: PairMatrices | Embedder) -> ContributorComparison:
    found = _computed(pool, matrices)
    groups = (pool.by_contributor(), pool.by_kind(), pool.by_condition())
    return ContributorComparison(*(compare_groups(found, group) for group in groups))


def _unique(pool: AttributePool, matrices: PairMatrices | Embedder, threshold: float) -> UniqueAttributes:
    found = _computed(pool, matrices)
    return UniqueAttributes(
        pool=pool,
        contributors=find_unique(found, pool.by_contributor(), threshold),
        kinds=find_unique(found, pool.by_kind(), threshold),
        themes=one_sided_themes(pool, found, threshold),
        map=map_attributes(found),
    )


def _coverage(said: _Said, matrices: PairMatrices | Embedder, least: float, near: float) -> ThemeCoverage:
    pool = _pool(said)
    order = list(pool.contributors)
    grouped = sorted(range(len(said)), key=lambda place: order.index(said[place][0]))  # as the pool has them
    at = {place: position for position, place in enumerate(grouped)}
    return theme_coverage(pool, _computed(pool, matrices), [at[place] for place in range(len(said))], least, near)


def _similarities(
    pool: AttributePool, matrices: PairMatrices | Embedder, sets: tuple[tuple[int, ...], ...]
) -> list[Similarity]:
    found = _computed(pool, matrices)
    return [within(found, positions) for positions in sets]


def _computed(pool: AttributePool, matrices: PairMatrices | Embedder) -> PairMatrices:
    return matrices if isinstance(matrices, PairMatrices) else pair_matrices(pool.texts, matrices)


@dataclass(frozen=True, slots=True)
class _GivenVectors:
    """An embedder with ready vectors, for a process without keys."""

    name: str
    vectors: NDArray[np.float64] = field(compare=False)

    def embed(self, texts: list[str]) -> NDArray[np.float64]:
        assert len(texts) == len(self.vectors)
        return self.vectors


def _to_compute(said: _Said, embedding: Embedding) -> Embedder:
    """Return an embedder that asks no model, for a process of its own."""
    if embedding.name == LSA_NAME:
        return embedding.embedder
    return _GivenVectors(embedding.embedder.name, embedding.embedder.embed(list(_pool(said).texts)))


# Some hundred attributes make matrices of some MB.
@lru_cache(maxsize=4)
def _matrices(said: _Said, embedding: Embedding) -> PairMatrices:
    return pair_matrices(_pool(said).texts, embedding.embedder)


def _pool(said: _Said, names: tuple[str, ...] = ()) -> AttributePool:
    by_contributor: dict[str, list[str]] = {}
    for contributor, _, text in said:
        by_contributor.setdefault(contributor, []).append(text)
    return pool_attributes(by_contributor, {contributor: kind for contributor, kind, _ in said}, names)
