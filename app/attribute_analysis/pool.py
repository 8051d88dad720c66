"""Pool of attributes: all contributors' in one list, and the groups they are compared in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.attribute import ContributorKind
from app.errors import InputError, NotReadyError


@dataclass(frozen=True, slots=True)
class AttributePool:
    """Aligned tuples, one entry an attribute; `contributors` in the order given.

    `kinds` may leave contributors out: groups of people and of LLMs hold only those whose kind is known. `names`: what
    the dimension and the texts of the task are called, which is no topic.
    """

    contributors: tuple[str, ...]
    owners: tuple[str, ...]
    texts: tuple[str, ...]
    kinds: Mapping[str, ContributorKind] = field(default_factory=dict)
    names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.texts)

    def of(self, contributors: Sequence[str]) -> tuple[int, ...]:
        """Positions of these contributors' attributes."""
        wanted = set(contributors)
        return tuple(i for i, owner in enumerate(self.owners) if owner in wanted)

    def by_contributor(self) -> dict[str, tuple[int, ...]]:
        return {name: self.of([name]) for name in self.contributors}

    def by_kind(self) -> dict[str, tuple[int, ...]]:
        """Positions under "human" and "llm"; only kinds that have attributes."""
        groups = {kind.value: self.of([n for n, k in self.kinds.items() if k is kind]) for kind in ContributorKind}
        return {kind: positions for kind, positions in groups.items() if positions}

    def by_condition(self) -> dict[str, tuple[int, ...]]:
        """Positions under InteractEval's conditions (section 4.2): comb, mh and ml, then sh:NAME and sl:NAME.

        Without kinds only `comb` can be told.
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
    said: Mapping[str, Sequence[str]],
    kinds: Mapping[str, ContributorKind] | None = None,
    names: Sequence[str] = (),
) -> AttributePool:
    """Join the contributors' lists; blank texts are left out, repeated ones stay.

    Raises NotReadyError where nobody said anything, InputError for a kind of somebody who isn't there.
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
