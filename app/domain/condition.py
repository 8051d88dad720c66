"""Conditions: whose attributes feed a checklist (InteractEval, section 4.2), and any other choice of contributors.

A condition is written as a code: comb (everybody), mh and ml (all people, all LLMs), sh:NAME and sl:NAME (one person,
one LLM), only:NAME,NAME (these; a name that holds a comma stands in double quotes, as in a CSV file).
"""

import csv
import io
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from app.domain.attribute import Attribute, AttributeStatus, ContributorKind
from app.errors import InputError, NotFoundError

COMB, ONLY = "comb", "only"
FORMS = "comb, ml, mh, sl:NAME, sh:NAME or only:NAME,NAME"
_SHORT = {ContributorKind.HUMAN: "h", ContributorKind.LLM: "l"}
_KINDS = {short: kind for kind, short in _SHORT.items()}


@dataclass(frozen=True, slots=True)
class Condition:
    """A code, and how many attributes in use it holds."""

    code: str
    size: int


def of_condition(attributes: Sequence[Attribute], code: str) -> list[Attribute]:
    """The attributes in use that feed a checklist under this condition.

    Raises InputError for what is no code, NotFoundError where a contributor it names has no attribute in use.
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
    """The condition that a choice of contributors makes: one of the paper's where it is one, else only:NAME,NAME.

    Contributors without an attribute in use don't count. Nobody chosen has size 0 and the code "".
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
    """The paper's conditions that have attributes in use: everybody, all people, all LLMs, then each contributor."""
    active = _active(attributes)
    kinds = Counter(a.kind for a in active)
    single = Counter((a.kind, a.contributor) for a in active)
    found = [Condition(COMB, len(active))]
    found += [Condition(f"m{_SHORT[kind]}", kinds[kind]) for kind in ContributorKind]
    found += [Condition(f"s{_SHORT[kind]}:{name}", size) for (kind, name), size in sorted(single.items())]
    return [condition for condition in found if condition.size]


def canonical(code: str) -> str:
    """One way of writing for each condition, so that the same choice is recognised again."""
    short, _, rest = code.strip().partition(":")
    names = _names(rest) if short == ONLY else []
    return _only(names) if names else code.strip()


def named_in(code: str) -> tuple[str, ...]:
    """The contributors that a code names, none for comb, mh and ml."""
    short, _, rest = code.strip().partition(":")
    return tuple(_names(rest)) if short == ONLY else (rest,) if rest else ()


def renamed(code: str, name: str, new: str) -> str:
    """The same condition, or the same key of a study's condition, once a contributor is called otherwise."""
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
