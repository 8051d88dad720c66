"""Identities: which projects the arguments of a use case name, by id, by name or by value."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from app.domain.attribute import AttributeStanding
from app.domain.checklist import Checklist, Question
from app.domain.expert_answer import AnchorSet, AnswerDraw
from app.domain.people.actor import Place
from app.domain.project import Project
from app.domain.run import RunSummary
from app.domain.task import Dimension
from app.domain.text import Text
from db.unit_of_work import UnitOfWork

KINDS: Mapping[str, str] = {
    "attribute_id": "attribute",
    "attribute_ids": "attribute",
    "build_id": "build",
    "checklist_id": "checklist",
    "comment_id": "comment",
    "comparison_id": "comparison",
    "component_id": "component",
    "decision_id": "decision",
    "dimension_id": "dimension",
    "dimension_ids": "dimension",
    "ids": "attribute",
    "improvement_id": "improvement",
    "kept": "attribute",
    "project_id": "project",
    "proposal_id": "proposal",
    "proposed_id": "proposed attribute",
    "question_id": "question",
    "question_ids": "question",
    "run_id": "run",
    "runs": "run",
    "target": "dimension",
    "text_id": "text",
    "transcript_id": "transcript",
}
"""Parameter that holds an id, or several -> what it is of. Other values under these names are looked into instead."""
NAMED: Mapping[type, tuple[str, str]] = {
    AnchorSet: ("dimension", "dimension"),
    AnswerDraw: ("checklist", "checklist"),
    AttributeStanding: ("attribute", "id"),
    Checklist: ("checklist", "id"),
    Dimension: ("dimension", "id"),
    Project: ("project", "id"),
    Question: ("question", "id"),
    RunSummary: ("run", "id"),
    Text: ("text", "id"),
}
"""Value -> what it names, and by which of its fields; 0 there is something new, which is nowhere yet."""
MANY = 200
DEPTH = 2
"""A value may hold others: a result its run, a plan its options with their dimensions."""


def places_of(work: UnitOfWork, arguments: Mapping[str, Any], project: str = "") -> set[Place]:
    """project: the argument that is a project's name. Raises NotFoundError where something isn't there."""
    wanted: dict[str, set[int]] = {}
    for name, value in arguments.items():
        kind = KINDS.get(name, "")
        for one in value if isinstance(value, list | tuple | set | frozenset) else (value,):
            if kind and isinstance(one, int):
                wanted.setdefault(kind, set()).add(one)
            else:
                for of, identity in _named(one, DEPTH):
                    wanted.setdefault(of, set()).add(identity)
    found = {place for kind, ids in wanted.items() for place in work.places.of(kind, ids)}
    if project:
        found |= work.places.named(arguments[project])
    # A project that is given beside one of its dimensions says nothing more.
    within = {place.project for place in found if place.dimension is not None}
    return {place for place in found if place.dimension is not None or place.project not in within}


def _named(value: Any, depth: int) -> Iterator[tuple[str, int]]:
    if type(value) in NAMED:
        kind, place = NAMED[type(value)]
        if identity := getattr(value, place):
            yield kind, identity
    elif depth and is_dataclass(value):
        for each in fields(value):
            for one in _held(getattr(value, each.name)):
                yield from _named(one, depth - 1)


def _held(value: Any) -> Iterable[Any]:
    """The value itself, or those of a collection: all that name something, but not thousands of rows of a result."""
    several = tuple(value.values()) if isinstance(value, Mapping) else value
    if not isinstance(several, list | tuple):
        return (several,)
    return several if several and (type(several[0]) in NAMED or len(several) < MANY) else ()
