"""Conditions (people, LLMs, both) and studies of them."""

import csv
import io
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.domain.attribute import Attribute, AttributeStatus, ContributorKind
from app.errors import InputError, NotFoundError

COMB, ONLY = "comb", "only"
FORMS = "comb, ml, mh, sl:NAME, sh:NAME or only:NAME,NAME"
_SHORT = {ContributorKind.HUMAN: "h", ContributorKind.LLM: "l"}
_KINDS = {short: kind for kind, short in _SHORT.items()}


@dataclass(frozen=True, slots=True)
class Condition:
    """The code of a condition and the number of its attributes in use."""

    code: str
    size: int


def of_condition(attributes: Sequence[Attribute], code: str) -> list[Attribute]:
    """Return the attributes in use that feed a checklist under this condition.

    Raises InputError for an invalid code, NotFoundError if a contributor it names has no attribute in use.
    """
    active = _active(attributes)
    short, _, rest = code.strip().partition(":")
    if short == COMB and not rest:
        return active
    if short in ("mh", "ml") and not rest:
        return [a for a in active if a.kind is _KINDS[short[1]]]
    if short in ("sh", "sl") and rest:
        return _said_by([a for a in active if a.kind is _KINDS[short[1]]], [rest], f" of the kind {_KINDS[short[1]]}")
    if short == ONLY and (names := _names(rest)):
        return _said_by(active, names)
    raise InputError(f"“{code}” is no condition.", f"Use {FORMS}.")


def condition_of(attributes: Sequence[Attribute], contributors: Collection[str]) -> Condition:
    """Return the condition for a choice of contributors: one of the paper's if it fits, else only:NAME,NAME.

    Contributors without an attribute in use don't count. An empty choice has size 0 and the code "".
    """
    active = _active(attributes)
    chosen = [a for a in active if a.contributor in contributors]
    kinds, names = {a.kind for a in chosen}, {a.contributor for a in chosen}
    if not chosen:
        return Condition("", 0)
    if len(chosen) == len(active) and len(kinds) > 1:
        return Condition(COMB, len(chosen))
    short = _SHORT[chosen[0].kind]
    if len(names) == 1:
        return Condition(f"s{short}:{chosen[0].contributor}", len(chosen))
    if len(kinds) == 1 and len(chosen) == sum(a.kind in kinds for a in active):
        return Condition(f"m{short}", len(chosen))
    return Condition(_only(names), len(chosen))


def conditions_of(attributes: Sequence[Attribute]) -> list[Condition]:
    """Return the paper's conditions that have attributes in use: everybody, all people, all LLMs, then each
    contributor."""
    active = _active(attributes)
    kinds = Counter(a.kind for a in active)
    single = Counter((a.kind, a.contributor) for a in active)
    found = [Condition(COMB, len(active))]
    found += [Condition(f"m{_SHORT[kind]}", kinds[kind]) for kind in ContributorKind]
    found += [Condition(f"s{_SHORT[kind]}:{name}", size) for (kind, name), size in sorted(single.items())]
    return [condition for condition in found if condition.size]


def canonical(code: str) -> str:
    """Return the one standard spelling of a condition's code, so that equal choices compare equal."""
    short, _, rest = code.strip().partition(":")
    names = _names(rest) if short == ONLY else []
    return _only(names) if names else code.strip()


def named_in(code: str) -> tuple[str, ...]:
    """Return the contributors that a code names, none for comb, mh and ml."""
    short, _, rest = code.strip().partition(":")
    return tuple(_names(rest)) if short == ONLY else (rest,) if rest else ()


def renamed(code: str, name: str, new: str) -> str:
    """Return a condition's code, or the key of a study's condition, with the contributor `name` replaced by `new`."""
    short, colon, rest = code.strip().partition(":")
    if short == ONLY:
        names = _names(rest)
        return _only([new if one == name else one for one in names]) if name in names else code
    return f"{short}:{new}" if colon and rest == name else code


def _active(attributes: Sequence[Attribute]) -> list[Attribute]:
    return [a for a in attributes if a.status is AttributeStatus.ACTIVE]


def _said_by(attributes: Sequence[Attribute], names: Sequence[str], kind: str = "") -> list[Attribute]:
    there = {a.contributor for a in attributes}
    missing = ", ".join(f"“{name}”" for name in names if name not in there)
    if missing:
        raise NotFoundError(
            f"No attributes{kind} are in use here from {missing}.", "Check the names, or choose others."
        )
    return [a for a in attributes if a.contributor in names]


def _names(text: str) -> list[str]:
    try:
        fields = next(csv.reader([text], skipinitialspace=True), [])
    except csv.Error:
        raise InputError("The list of contributors can't be read.", "Write their names between commas.") from None
    return list(dict.fromkeys(name.strip() for name in fields if name.strip()))


def _only(names: Collection[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(sorted(names))
    return f"{ONLY}:{line.getvalue()}"


class Family(StrEnum):
    """InteractEval's five conditions (section 4.2), and everybody but one contributor. SL, SH and WITHOUT have one
    checklist for each contributor, the others one in all."""

    SL = "sl"
    SH = "sh"
    ML = "ml"
    MH = "mh"
    COMB = "comb"
    WITHOUT = "without"


@dataclass(frozen=True, slots=True, order=True)
class StudyCondition:
    """One condition of a study. `name` is the contributor that SL, SH or WITHOUT is about, "" for the others."""

    family: Family
    name: str = ""

    @property
    def key(self) -> str:
        return f"{self.family.value}:{self.name}" if self.name else self.family.value

    @property
    def words(self) -> str:
        """Return whose attributes it takes, for the middle of a sentence or label."""
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
        """Return the condition with this `key`."""
        family, _, name = key.partition(":")
        return cls(Family(family), name)


def study_conditions(attributes: Sequence[Attribute]) -> dict[StudyCondition, str]:
    """Return condition -> code for the conditions that a dimension's attributes allow, in the paper's order.

    ML and MH need at least two LLMs or people, Comb needs both kinds, WITHOUT at least three contributors. A condition
    with the same attributes as another is left out.
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
