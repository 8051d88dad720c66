"""The Workbench (database, keys and actor), and what every use case goes through: the check of rights and the entry in
the audit log."""

import asyncio
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, is_dataclass
from functools import lru_cache
from typing import Any, Concatenate, ParamSpec, TypeVar

from app.domain.attribute import AttributeStanding
from app.domain.checklist import Checklist, Question
from app.domain.expert_answer import AnchorSet, AnswerDraw
from app.domain.people import PENDING, PendingAct
from app.domain.project import Dimension, Project, Text
from app.domain.roles_and_rights import (
    LOCAL_OWNER,
    NOBODY,
    WHEN_DONE,
    WHEN_NOT_AT_IT,
    Actor,
    ResourceLocation,
    Right,
    Role,
)
from app.domain.run import RunSummary
from app.errors import NotAllowedError, NotFoundError
from app.providers.base import ChatModel
from app.providers.credentials import Credentials
from app.providers.model_name import check_local_model, check_model_name, parse_model_name
from app.providers.model_options import USUAL, ModelOptions
from app.providers.registry import open_model
from app.settings import settings
from db.unit_of_work import Database, UnitOfWork


@dataclass(frozen=True, slots=True)
class Workbench:
    """The database, the keys and the caller of use cases.

    asking: default options of models. any_path: file models may be named by any path, as on the command line;
    otherwise, and for signed-in people, see `model_files`. actor: the caller, whom each use case checks. payer: the id
    of the person whose budget pays, if not the actor's, as for a token's maker.
    """

    database: Database
    credentials: Credentials = field(repr=False)
    any_path: bool = True
    asking: ModelOptions = USUAL
    actor: Actor = LOCAL_OWNER
    payer: int | None = None

    def model(self, name: str, options: ModelOptions = USUAL) -> ChatModel:
        """Open a model; the caller closes it. Raises UnknownModelError or MissingKeyError."""
        if not (self.any_path and self.actor is LOCAL_OWNER):
            check_model_name(parse_model_name(name), not self.actor.owner)
        return open_model(name, self.credentials, options.seconds, options.max_output_tokens)

    @property
    def spender(self) -> int | None:
        """Return the id of the person whose budget pays; None for the server's owner."""
        return None if self.actor.owner else self.payer or self.actor.person

    def check_network(self, name: str, usual: str) -> None:
        """Raise InputError if a method's neural network `name` may not be opened; `usual`, the method's default, always
        may."""
        if name != usual and not (self.any_path and self.actor is LOCAL_OWNER):
            check_local_model(name, not self.actor.owner)

    def replies_of(self, project: int | None) -> int | None:
        """Return the project whose replies may be reused; None for all projects.

        On one's own computer all may be. Among several people an instant reply would tell one project what another
        asked.
        """
        return None if self.actor is LOCAL_OWNER else project

    def check_model(self, name: str) -> tuple[str, bool]:
        """Open and close a model; returns its full name, and whether it is an LLM. Raises what opening it raises."""
        model = self.model(name)
        asyncio.run(model.aclose())
        return model.name, model.is_llm


@lru_cache(maxsize=4)
def _database(address: str) -> Database:
    return Database(address)


def open_workbench(typed: Mapping[str, str] | None = None, any_path: bool = True) -> Workbench:
    """Return the workbench of this environment; its database is opened and migrated once in a process.

    typed: provider -> key that a person typed for this session; it overrides the environment's. any_path: as in
    Workbench.
    """
    current = settings()
    return Workbench(_database(current.url), Credentials.from_settings(current, typed), any_path)


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
    "room_id": "room",
    "run_id": "run",
    "runs": "run",
    "target": "dimension",
    "text_id": "text",
    "transcript_id": "transcript",
}
"""Parameter that holds one or more ids -> their kind. Values that aren't ids are searched for NAMED objects."""
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
"""Type -> the kind it names, and the field with the id; 0 for an object that isn't stored yet."""
MANY = 200
DEPTH = 2
"""How deep nested values are searched: a result has a run, a plan has options with dimensions."""


def places_of(work: UnitOfWork, arguments: Mapping[str, Any], project: str = "") -> set[ResourceLocation]:
    """Return the places that the arguments name. project: the argument that is a project's name. Raises NotFoundError
    if something doesn't exist."""
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
    """Return the value, or the members of a collection if they name something; not thousands of rows of a result."""
    several = tuple(value.values()) if isinstance(value, Mapping) else value
    if not isinstance(several, list | tuple):
        return (several,)
    return several if several and (type(several[0]) in NAMED or len(several) < MANY) else ()


LONGEST = 200
"""Characters of an audit entry's object."""


@contextmanager
def audited(
    workbench: Workbench,
    act: str,
    places: set[ResourceLocation],
    arguments: Mapping[str, Any],
    about: str,
    project: str,
) -> Iterator[None]:
    """Add the act's entry to the audit log, together with the first change in the block, else at its end; not if the
    block fails before.

    act: "" for no entry. about: names of the arguments that describe its object, separated by spaces. project: the
    argument that is the project's name.
    """
    if not act:
        yield
        return
    pending = _pending(workbench, act, places, arguments, about, project)
    token = PENDING.set(pending)
    try:
        yield
        if not pending.kept:
            with workbench.database.write():
                pass
    finally:
        PENDING.reset(token)


def act_made_project(project_id: int) -> None:
    """Make the current act's entry the first of the new project's audit log."""
    pending = PENDING.get()
    if pending is not None and pending.project is None:
        pending.project = project_id


def _pending(
    workbench: Workbench,
    act: str,
    places: set[ResourceLocation],
    arguments: Mapping[str, Any],
    about: str,
    project: str,
) -> PendingAct:
    with workbench.database.read() as work:
        if not places:
            try:
                places = places_of(work, arguments, project)
            except NotFoundError:
                places = set()  # the use case itself says what is gone
        dimensions = sorted({place.dimension for place in places if place.dimension is not None})
        names = [work.projects.dimension_by_id(one).name for one in dimensions]
    of = next(iter(sorted(place.project for place in places)), None)
    who = arguments.get("who") or arguments.get("expert") or ""
    name = workbench.actor.name_in(of) if of is not None else workbench.actor.name
    return PendingAct(
        project=of,
        person=workbench.actor.person,
        who=name or str(who),
        act=act,
        about=", ".join([*names, *(said for each in about.split() for said in _said(arguments.get(each)))])[:LONGEST],
    )


def _said(value: Any) -> list[str]:
    if isinstance(value, Checklist):
        return [f"version {value.version}"]
    if isinstance(value, Dimension | Question):
        return [value.name if isinstance(value, Dimension) else value.text]
    return [str(value)] if isinstance(value, str | int) and str(value) else []


P = ParamSpec("P")
R = TypeVar("R")
NO_PROJECT = (Right.ARRIVE, Right.ENTER, Right.SET_UP, Right.BEGIN, Right.SERVE)
_VOUCHED = ContextVar("vouched", default=False)
_WHY: Mapping[Right, str] = {
    Right.ARRIVE: "",
    Right.ENTER: "This is for people who have signed in.",
    Right.SEE: "This project isn't open to you.",
    Right.TAKE_PART: "This is for the experts of the project.",
    Right.ANSWER: "This is for the experts of the project.",
    Right.REVIEW: "This is for the experts, readers and facilitators of the project.",
    Right.EDIT: "This is for the experts and facilitators of the project.",
    Right.READ: "This is for the readers and facilitators of the project.",
    Right.FACILITATE: "This is for the facilitators of the project.",
    Right.SET_UP: "This is for facilitators.",
    Right.BEGIN: "Only facilitators begin projects.",
    Right.SERVE: "This is for the server's owner.",
}


def use_case(
    right: Right, *, project: str = "", act: str = "", about: str = ""
) -> Callable[[Callable[Concatenate[Workbench, P], R]], Callable[Concatenate[Workbench, P], R]]:
    """Check the right before the decorated function is called. project: its parameter that holds a project's name, if
    any.

    act: the entry in the audit log, for functions that change or export something; about: parameters that describe its
    object besides the dimension, separated by spaces. For a signed-in person `who` is replaced by their name, and for
    an expert `expert` too. The function raises NotAllowedError before it does anything.
    """

    def decorate(function: Callable[Concatenate[Workbench, P], R]) -> Callable[Concatenate[Workbench, P], R]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def checked(workbench: Workbench, /, *args: P.args, **kwargs: P.kwargs) -> R:
            vouched = _VOUCHED.get() or workbench.actor is LOCAL_OWNER
            entry = act if PENDING.get() is None else ""  # within another act it is a part of that one
            if vouched and not entry:
                return function(workbench, *args, **kwargs)
            given = signature.bind(workbench, *args, **kwargs)
            given.apply_defaults()
            places = set() if vouched else check(workbench, right, given.arguments, project)
            if "who" in signature.parameters and not vouched:
                given.arguments["who"] = next(
                    (workbench.actor.name_in(place.project) for place in places), workbench.actor.name
                )
            with _inside_use_case(), audited(workbench, entry, places, given.arguments, about, project):
                return function(*given.args, **given.kwargs)

        checked.right = right  # type: ignore[attr-defined]
        checked.project = project  # type: ignore[attr-defined]
        checked.act = act  # type: ignore[attr-defined]
        return checked

    return decorate


@contextmanager
def _inside_use_case() -> Iterator[None]:
    token = _VOUCHED.set(True)
    try:
        yield
    finally:
        _VOUCHED.reset(token)


def check(workbench: Workbench, right: Right, arguments: Mapping[str, Any], project: str = "") -> set[ResourceLocation]:
    """Return the places that the arguments name. Raises NotAllowedError if the actor lacks the right in one of them, or
    if none is named and the right belongs to a project.

    The actor's current roles count, because they may have changed since a screen was drawn or a job began.
    """
    actor = workbench.actor
    if actor is LOCAL_OWNER:
        return set()
    with workbench.database.read() as work:
        if actor.person is not None:
            actor = work.people.find_actor(actor.person) or NOBODY
        places = places_of(work, arguments, project)
        if actor.owner:
            return places
        if right in NO_PROJECT and not actor.has(right, None):
            raise NotAllowedError(_WHY[right])
        if not places and project and right is Right.FACILITATE and actor.has(Right.BEGIN, None):
            return places  # no project of this name is there yet, and they may begin one
        if not places and right not in NO_PROJECT:
            raise NotAllowedError(_WHY[Right.SEE], "Open your own link, or ask the project's facilitator for one.")
        for place in places:
            _check(work, actor, right, place, arguments)
    return places


def may(workbench: Workbench, right: Right, **arguments: Any) -> bool:
    """Return whether the actor has the right at these arguments, for what a screen offers."""
    try:
        check(workbench, right, arguments)
    except NotAllowedError:
        return False
    return True


def _check(work: UnitOfWork, actor: Actor, right: Right, place: ResourceLocation, arguments: Mapping[str, Any]) -> None:
    if not actor.has(Right.SEE, place.project):
        raise NotAllowedError(_WHY[Right.SEE], "Open your own link, or ask the project's facilitator for one.")
    if not actor.has(right, place.project):
        raise NotAllowedError(_WHY[right])
    if place.draft and not actor.has(Right.EDIT, place.project):
        raise NotAllowedError("This is a draft.", "You see it once it is published.")
    if actor.memberships[place.project].role is not Role.EXPERT:
        return
    name = actor.name_in(place.project)
    author = place.author if right is Right.TAKE_PART else ""
    if {arguments.get("expert", name), author or name} != {name}:
        raise NotAllowedError("This is another expert's.", "Do your own; a facilitator can help with theirs.")
    if right in WHEN_NOT_AT_IT and (place.dimension is None or work.independence.is_thinking(place.dimension, name)):
        raise NotAllowedError(
            "You see the checklist's questions once you are done thinking aloud.",
            "Say “done” on Think aloud first, so that they don't lead you.",
        )
    if right in WHEN_DONE and not (place.dimension and work.independence.is_done_by(place.dimension, name)):
        raise NotAllowedError(
            "You see this once you are done thinking aloud.",
            "Say “done” on Think aloud first, so that what you write is your own.",
        )
