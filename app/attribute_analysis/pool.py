"""Attributes with their contributors, and what each contributor adds to a checklist."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.attribute import Attribute, ContributorKind
from app.domain.checklist import Checklist
from app.errors import InputError, NotReadyError


@dataclass(frozen=True, slots=True)
class AttributePool:
    """Attributes and their contributors as aligned tuples, one entry an attribute; `contributors` in the order given.

    `kinds` may leave contributors out: the groups of people and of LLMs hold only contributors of known kind. `names`:
    the names of the dimension and of the task's texts, which aren't topics.
    """

    contributors: tuple[str, ...]
    owners: tuple[str, ...]
    texts: tuple[str, ...]
    kinds: Mapping[str, ContributorKind] = field(default_factory=dict)
    names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.texts)

    def of(self, contributors: Sequence[str]) -> tuple[int, ...]:
        """Return the positions of these contributors' attributes."""
        wanted = set(contributors)
        return tuple(i for i, owner in enumerate(self.owners) if owner in wanted)

    def by_contributor(self) -> dict[str, tuple[int, ...]]:
        return {name: self.of([name]) for name in self.contributors}

    def by_kind(self) -> dict[str, tuple[int, ...]]:
        """Return positions under "human" and "llm", without kinds that have no attributes."""
        groups = {kind.value: self.of([n for n, k in self.kinds.items() if k is kind]) for kind in ContributorKind}
        return {kind: positions for kind, positions in groups.items() if positions}

    def by_condition(self) -> dict[str, tuple[int, ...]]:
        """Return positions by InteractEval's conditions (section 4.2): comb, mh and ml, then sh:NAME and sl:NAME.

        If no kind is known there is only `comb`.
        """
        groups = {"comb": tuple(range(len(self)))}
        several = {ContributorKind.HUMAN: "mh", ContributorKind.LLM: "ml"}
        single = {ContributorKind.HUMAN: "sh", ContributorKind.LLM: "sl"}
        kinds = self.by_kind()
        groups |= {several[kind]: kinds[kind.value] for kind in several if kind.value in kinds}
        named = [name for name in self.contributors if name in self.kinds]
        groups |= {f"{single[self.kinds[name]]}:{name}": self.of([name]) for name in named}
        return groups


def pool_attributes(
    said: Mapping[str, Sequence[str]], kinds: Mapping[str, ContributorKind] | None = None, names: Sequence[str] = ()
) -> AttributePool:
    """Join the contributors' lists; blank texts are left out, repeated ones stay.

    Raises NotReadyError if there is no attribute, InputError for a kind of an unknown contributor.
    """
    known = dict(kinds or {})
    strangers = sorted(set(known) - set(said))
    if strangers:
        raise InputError(f"“{strangers[0]}” has a kind but no attributes.", "Check the contributor's name.")
    pairs = [(name, text.strip()) for name, texts in said.items() for text in texts if text.strip()]
    if not pairs:
        raise NotReadyError("There are no attributes to compare.", "Add at least one attribute.")
    return AttributePool(
        contributors=tuple(said),
        owners=tuple(name for name, _ in pairs),
        texts=tuple(text for _, text in pairs),
        kinds=known,
        names=tuple(names),
    )


@dataclass(frozen=True, slots=True)
class AttributeUse:
    """How one contributor's (or kind's) attributes were used in one checklist.

    given: attributes that the checklist was built from. reached: those behind at least one question in use. dropped:
    those a stage left out, with its reason on record. questions: questions in use that rest on at least one of them.
    alone: ids of questions in use that rest on nobody else's.
    """

    given: int
    reached: int
    dropped: int
    questions: int
    alone: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Contribution:
    """Use of attributes in a checklist of `asked` questions; `without_lineage` of them rest on no attribute (added by
    hand, imported).

    by_contributor: by name; by_kind: by "human" and "llm".
    """

    asked: int
    without_lineage: int
    by_contributor: Mapping[str, AttributeUse]
    by_kind: Mapping[str, AttributeUse]

    @property
    def joint(self) -> dict[str, AttributeUse]:
        """Return the kinds that have more than one contributor; a single contributor stands for its kind."""
        alone = list(self.by_contributor.values())
        return {kind: reach for kind, reach in self.by_kind.items() if reach not in alone}


def sources_of(checklist: Checklist) -> frozenset[int]:
    """Return the ids of the attributes the checklist was built from: behind a component or question, or dropped."""
    clustered = {i for component in checklist.components for i in component.attributes}
    asked = {i for question in checklist.questions for i in question.attributes}
    return frozenset(clustered | asked | {dropped.attribute for dropped in checklist.dropped})


def contribution_of(checklist: Checklist, attributes: Mapping[int, Attribute]) -> Contribution:
    """Return how the checklist uses attributes. attributes: by id; ids of removed attributes count for nobody."""
    used = {i: attributes[i] for i in sorted(sources_of(checklist)) if i in attributes}
    return Contribution(
        asked=len(checklist.asked),
        without_lineage=sum(not any(i in used for i in question.attributes) for question in checklist.asked),
        by_contributor=_reaches(checklist, {i: a.contributor for i, a in used.items()}),
        by_kind=_reaches(checklist, {i: a.kind.value for i, a in used.items()}),
    )


def _reaches(checklist: Checklist, owners: Mapping[int, str]) -> dict[str, AttributeUse]:
    """Return the use of each group's attributes. owners: attribute id -> name of its group."""
    behind = {q.id: {owners[i] for i in q.attributes if i in owners} for q in checklist.asked}
    reached = {i for question in checklist.asked for i in question.attributes}
    dropped = {d.attribute for d in checklist.dropped}
    found = {}
    for name in dict.fromkeys(owners.values()):
        mine = {i for i, owner in owners.items() if owner == name}
        found[name] = AttributeUse(
            given=len(mine),
            reached=len(mine & reached),
            dropped=len((mine & dropped) - reached),
            questions=sum(name in groups for groups in behind.values()),
            alone=tuple(question for question, groups in behind.items() if groups == {name}),
        )
    return found
