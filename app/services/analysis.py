"""How the attributes of people and LLMs differ, and how they spread over topics."""

from dataclasses import dataclass
from functools import lru_cache

from app.attribute_analysis.pool import AttributePool, pool_attributes
from app.attribute_analysis.similarity import SetComparison, Similarity, compare_groups, pair_matrices
from app.attribute_analysis.topic_analysis import TopicAnalysis, analyse_topics
from app.attribute_analysis.topic_grouping import TopicGrouping
from app.attribute_analysis.topic_shares import GroupSpread
from app.domain.attribute import Attribute, AttributeStatus, ContributorKind
from app.services.workbench import Workbench

__all__ = [
    "GroupSpread",
    "SetComparison",
    "SetsCompared",
    "Similarity",
    "TopicAnalysis",
    "TopicGrouping",
    "pool_of",
    "similarity_of",
    "topics_of",
]

_Said = tuple[tuple[str, ContributorKind, str], ...]


@dataclass(frozen=True, slots=True)
class SetsCompared:
    """How alike attributes are, within and between contributors, and within and between people and LLMs."""

    contributors: SetComparison
    kinds: SetComparison


def similarity_of(workbench: Workbench, project_id: int, dimension_id: int) -> SetsCompared:
    """Similarity of a dimension's active attributes. Raises NotReadyError where there are none."""
    with workbench.database.read() as work:
        attributes = work.think_aloud.attributes(project_id, dimension_id)
    return _compared(_said(attributes))


def topics_of(
    workbench: Workbench, project_id: int, dimension_id: int, topics: int = 5, seeds: int = 20
) -> TopicAnalysis:
    """LDA topics of a dimension's active attributes, fitted from several seeds. Raises NotReadyError."""
    with workbench.database.read() as work:
        attributes = work.think_aloud.attributes(project_id, dimension_id)
    return _topics(_said(attributes), topics, seeds)


def pool_of(attributes: list[Attribute]) -> AttributePool:
    """The active attributes, by contributor. Raises NotReadyError where there are none."""
    return _pool(_said(attributes))


def _said(attributes: list[Attribute]) -> _Said:
    return tuple((a.contributor, a.kind, a.text) for a in attributes if a.status is AttributeStatus.ACTIVE)


# Fitting takes seconds and the same attributes give the same topics: a screen that is redrawn doesn't wait again.
@lru_cache(maxsize=32)
def _topics(said: _Said, topics: int, seeds: int) -> TopicAnalysis:
    return analyse_topics(_pool(said), topics, seeds)


@lru_cache(maxsize=32)
def _compared(said: _Said) -> SetsCompared:
    pool = _pool(said)
    matrices = pair_matrices(pool.texts)
    return SetsCompared(
        contributors=compare_groups(matrices, pool.by_contributor()), kinds=compare_groups(matrices, pool.by_kind())
    )


def _pool(said: _Said) -> AttributePool:
    by_contributor: dict[str, list[str]] = {}
    for contributor, _, text in said:
        by_contributor.setdefault(contributor, []).append(text)
    return pool_attributes(by_contributor, {contributor: kind for contributor, kind, _ in said})
