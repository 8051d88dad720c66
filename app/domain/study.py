"""A study of conditions: the same judge with checklists made from different contributors' attributes."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.domain.attribute import Attribute, AttributeStatus, ContributorKind
from app.domain.condition import COMB, condition_of


class Family(StrEnum):
    """InteractEval's five conditions (section 4.2), and everybody but one. SL, SH and WITHOUT have one checklist a
    contributor, the others one in all."""

    SL = "sl"
    SH = "sh"
    ML = "ml"
    MH = "mh"
    COMB = "comb"
    WITHOUT = "without"


@dataclass(frozen=True, slots=True, order=True)
class StudyCondition:
    """`name` is the contributor whom SL, SH or WITHOUT is about, "" for the others."""

    family: Family
    name: str = ""

    @property
    def key(self) -> str:
        return f"{self.family.value}:{self.name}" if self.name else self.family.value

    @property
    def words(self) -> str:
        """Whose attributes, in the middle of a sentence or label."""
        match self.family:
            case Family.COMB:
                return "everybody"
            case Family.ML:
                return "all LLMs"
            case Family.MH:
                return "all people"
            case Family.WITHOUT:
                return f"everybody but {self.name}"
            case _:
                return f"{self.name} alone"

    @classmethod
    def parse(cls, key: str) -> "StudyCondition":
        """The inverse of `key`."""
        family, _, name = key.partition(":")
        return cls(Family(family), name)


def study_conditions(attributes: Sequence[Attribute]) -> dict[StudyCondition, str]:
    """The conditions that a dimension's attributes allow, in the paper's order, with their codes.

    ML and MH need several LLMs or people, Comb both kinds; leaving one out needs three contributors, else it is one
    alone. What would be the same attributes as another condition is left out.
    """
    active = [a for a in attributes if a.status is AttributeStatus.ACTIVE]
    names = {kind: sorted({a.contributor for a in active if a.kind is kind}) for kind in ContributorKind}
    llms, people = names[ContributorKind.LLM], names[ContributorKind.HUMAN]
    found = {StudyCondition(Family.SL, name): f"sl:{name}" for name in llms}
    found |= {StudyCondition(Family.SH, name): f"sh:{name}" for name in people}
    if len(llms) > 1:
        found[StudyCondition(Family.ML)] = "ml"
    if len(people) > 1:
        found[StudyCondition(Family.MH)] = "mh"
    if llms and people:
        found[StudyCondition(Family.COMB)] = COMB
    for name in [*llms, *people] if len(llms) + len(people) > 2 else []:
        code = condition_of(active, {*llms, *people} - {name}).code
        if code not in found.values():
            found[StudyCondition(Family.WITHOUT, name)] = code
    return found
