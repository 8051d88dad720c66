"""How the attributes of people and LLMs differ, and how they spread over topics."""

from functools import lru_cache

from app.attribute_analysis.pool import AttributePool, pool_attributes
from app.attribute_analysis.topic_analysis import TopicAnalysis, analyse_topics
from app.domain.attribute import Attribute, AttributeStatus, ContributorKind
from app.services.workbench import Workbench


def topics_of(
    workbench: Workbench, project_id: int, dimension_id: int, topics: int = 5, seeds: int = 20
) -> TopicAnalysis:
    """LDA topics of a dimension's active attributes, fitted from several seeds. Raises NotReadyError."""
    with workbench.database.read() as work:
        attributes = work.think_aloud.attributes(project_id, dimension_id)
    said = tuple((a.contributor, a.kind, a.text) for a in attributes if a.status is AttributeStatus.ACTIVE)
    return _topics(said, topics, seeds)


def pool_of(attributes: list[Attribute]) -> AttributePool:
    """The active attributes, by contributor. Raises NotReadyError where there are none."""
    return _pool(tuple((a.contributor, a.kind, a.text) for a in attributes if a.status is AttributeStatus.ACTIVE))


# Fitting takes seconds and the same attributes give the same topics: a screen that is redrawn doesn't wait again.
@lru_cache(maxsize=32)
def _topics(said: tuple[tuple[str, ContributorKind, str], ...], topics: int, seeds: int) -> TopicAnalysis:
    return analyse_topics(_pool(said), topics, seeds)


def _pool(said: tuple[tuple[str, ContributorKind, str], ...]) -> AttributePool:
    by_contributor: dict[str, list[str]] = {}
    for contributor, _, text in said:
        by_contributor.setdefault(contributor, []).append(text)
    return pool_attributes(by_contributor, {contributor: kind for contributor, kind, _ in said})
