"""Whose attributes reached the checklist, followed from attribute to question through the recorded lineage."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.attribute import Attribute
from app.domain.checklist import Checklist


@dataclass(frozen=True, slots=True)
class Reach:
    """What became of one contributor's (or kind's) attributes in one checklist.

    given: attributes the checklist was built from. reached: those behind at least one question that is asked.
    dropped: those a stage left out, with its reason on record. questions: asked questions that rest on at least one
    of them. alone: ids of the asked questions that rest on nobody else's.
    """

    given: int
    reached: int
    dropped: int
    questions: int
    alone: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Contribution:
    """`asked` questions in all; `without_lineage` of them rest on no attribute (added by hand, imported).

    by_contributor: by name; by_kind: by "human" and "llm".
    """

    asked: int
    without_lineage: int
    by_contributor: Mapping[str, Reach]
    by_kind: Mapping[str, Reach]

    @property
    def joint(self) -> dict[str, Reach]:
        """The kinds that are more than a single contributor, who stands for the kind otherwise."""
        alone = list(self.by_contributor.values())
        return {kind: reach for kind, reach in self.by_kind.items() if reach not in alone}


def sources_of(checklist: Checklist) -> frozenset[int]:
    """Ids of the attributes the checklist was built from: behind a component or a question, or dropped on the way."""
    clustered = {i for component in checklist.components for i in component.attributes}
    asked = {i for question in checklist.questions for i in question.attributes}
    return frozenset(clustered | asked | {dropped.attribute for dropped in checklist.dropped})


def contribution_of(checklist: Checklist, attributes: Mapping[int, Attribute]) -> Contribution:
    """attributes: by id; ids that are no longer there count for nobody."""
    used = {i: attributes[i] for i in sorted(sources_of(checklist)) if i in attributes}
    return Contribution(
        asked=len(checklist.asked),
        without_lineage=sum(not any(i in used for i in question.attributes) for question in checklist.asked),
        by_contributor=_reaches(checklist, {i: a.contributor for i, a in used.items()}),
        by_kind=_reaches(checklist, {i: a.kind.value for i, a in used.items()}),
    )


def _reaches(checklist: Checklist, owners: Mapping[int, str]) -> dict[str, Reach]:
    """owners: attribute id -> name of its group."""
    behind = {q.id: {owners[i] for i in q.attributes if i in owners} for q in checklist.asked}
    reached = {i for question in checklist.asked for i in question.attributes}
    dropped = {d.attribute for d in checklist.dropped}
    found = {}
    for name in dict.fromkeys(owners.values()):
        mine = {i for i, owner in owners.items() if owner == name}
        found[name] = Reach(
            given=len(mine),
            reached=len(mine & reached),
            dropped=len((mine & dropped) - reached),
            questions=sum(name in groups for groups in behind.values()),
            alone=tuple(question for question, groups in behind.items() if groups == {name}),
        )
    return found
