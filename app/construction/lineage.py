"""Lineage: where every question comes from, and how every attribute is used.

Forward from contributors over attributes and components to questions, and back. Only questions in use count.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.attribute import Attribute
from app.domain.checklist import Checklist, Component, Question, QuestionKind

LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class Branch:
    """A component with its key question ("" without one) and its questions in use."""

    component: Component
    key_question: str
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Unserved:
    """An attribute that no question rests on. It is under a `component`, or a `stage` left it out; both are "" if it
    was added after the build. `reason` as recorded."""

    attribute: int
    component: str = ""
    stage: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Flow:
    """How many attributes go from one place to the next; `group` is their contributor."""

    source: str
    target: str
    group: str
    attributes: int


@dataclass(frozen=True, slots=True)
class Lineage:
    """A checklist's lineage. serving: attribute -> ids of the questions that rest on it. by_hand: questions without any
    attribute."""

    branches: tuple[Branch, ...]
    serving: Mapping[int, tuple[int, ...]]
    unserved: tuple[Unserved, ...]
    by_hand: tuple[int, ...]


def lineage_of(checklist: Checklist, in_use: Sequence[int]) -> Lineage:
    """Return the lineage. in_use: ids of the attributes that now feed the checklist's condition; each of them is
    accounted for."""
    keys = {q.component: q.text for q in checklist.questions if q.kind is QuestionKind.KEY}
    names = [component.name for component in checklist.components]
    loose = [q for q in checklist.asked if q.component not in names]
    branches = [
        Branch(c, keys.get(c.name, ""), tuple(q for q in checklist.asked if q.component == c.name))
        for c in checklist.components
    ]
    if loose:
        branches.append(Branch(Component(""), "", tuple(loose)))
    serving: dict[int, list[int]] = {}
    for question in checklist.asked:
        for attribute in question.attributes:
            serving.setdefault(attribute, []).append(question.id)
    return Lineage(
        branches=tuple(branches),
        serving={attribute: tuple(questions) for attribute, questions in serving.items()},
        unserved=_unserved(checklist, in_use, set(serving)),
        by_hand=tuple(question.id for question in checklist.asked if not question.attributes),
    )


def _unserved(checklist: Checklist, in_use: Sequence[int], served: set[int]) -> tuple[Unserved, ...]:
    under = {id_: c.name for c in checklist.components for id_ in c.attributes}
    dropped = {d.attribute: d for d in checklist.dropped}
    known = dict.fromkeys([*in_use, *under, *dropped])
    found = []
    for attribute in known:
        if attribute in served:
            continue
        left_out = dropped.get(attribute)
        if left_out is not None:
            found.append(Unserved(attribute, "", left_out.stage, left_out.reason))
        else:
            found.append(Unserved(attribute, under.get(attribute, "")))
    return tuple(found)


def flows(checklist: Checklist, attributes: Mapping[int, Attribute]) -> tuple[list[Flow], list[Flow]]:
    """Return (contributors to components, components to questions), counted in attributes by contributor.

    Questions are named by their id as text. An attribute under no component goes to `LEFT_OUT`. Ids without an
    attribute don't count.
    """
    known = {id_: a.contributor for id_, a in attributes.items()}
    places = [(id_, component.name) for component in checklist.components for id_ in component.attributes]
    placed = {id_ for id_, _ in places}
    places += [(d.attribute, LEFT_OUT) for d in checklist.dropped if d.attribute not in placed]
    first = Counter((known[id_], place) for id_, place in places if id_ in known)
    second = Counter(
        (question.component, str(question.id), known[id_])
        for question in checklist.asked
        for id_ in question.attributes
        if id_ in known
    )
    return (
        [Flow(name, place, name, count) for (name, place), count in first.items()],
        [Flow(place, question, name, count) for (place, question, name), count in second.items()],
    )
