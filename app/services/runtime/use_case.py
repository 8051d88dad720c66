"""Use case: a function that screens and commands call, which says what right it asks of whoever calls it.

The right is checked in every project that the arguments name, in whatever form (`identities`). A use case that calls
another vouches for it: only the outermost is checked. Who runs the server may do everything, so that on a laptop
nothing is looked up.
"""

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Concatenate, ParamSpec, TypeVar

from app.domain.people.actor import LOCAL_OWNER, NOBODY, WHEN_DONE, WHEN_NOT_AT_IT, Actor, Place, Right, Role
from app.domain.people.trail import PENDING
from app.errors import NotAllowedError
from app.services.runtime.identities import places_of
from app.services.runtime.trail import on_trail
from app.services.runtime.workbench import Workbench
from db.unit_of_work import UnitOfWork

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
    Right.SERVE: "This is for whoever runs the server.",
}


def use_case(
    right: Right, *, project: str = "", act: str = "", about: str = ""
) -> Callable[[Callable[Concatenate[Workbench, P], R]], Callable[Concatenate[Workbench, P], R]]:
    """What the decorated function asks for. project: its parameter that holds a project's name, if any.

    act: what the trail says of it, for what changes or takes out something; about: its parameter that says of what,
    beside the dimension, or several with blanks between them.
    Whoever has signed in can't act under another name: `who` becomes theirs, and what an expert asks as `expert` they
    ask as themselves.
    The function raises NotAllowedError before it does anything.
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
                given.arguments["who"] = _name(workbench.actor, places)
            with _vouch(), on_trail(workbench, entry, places, given.arguments, about, project):
                return function(*given.args, **given.kwargs)

        checked.right = right  # type: ignore[attr-defined]
        checked.project = project  # type: ignore[attr-defined]
        checked.act = act  # type: ignore[attr-defined]
        return checked

    return decorate


@contextmanager
def _vouch() -> Iterator[None]:
    token = _VOUCHED.set(True)
    try:
        yield
    finally:
        _VOUCHED.reset(token)


def check(workbench: Workbench, right: Right, arguments: Mapping[str, Any], project: str = "") -> set[Place]:
    """The places that the arguments name. Raises NotAllowedError where the actor may not in one of them, or where none
    is named and the right is one that a project gives.

    What counts is the actor's part as it is now: a screen, or work in the background, may have begun before it was
    taken away.
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
            raise NotAllowedError(_WHY[Right.SEE], "Open your own link, or ask whoever runs the project for one.")
        for place in places:
            _check(work, actor, right, place, arguments)
    return places


def may(workbench: Workbench, right: Right, **arguments: Any) -> bool:
    """Whether the actor has the right where these arguments say: for what a screen offers."""
    try:
        check(workbench, right, arguments)
    except NotAllowedError:
        return False
    return True


def _check(work: UnitOfWork, actor: Actor, right: Right, place: Place, arguments: Mapping[str, Any]) -> None:
    if not actor.has(Right.SEE, place.project):
        raise NotAllowedError(_WHY[Right.SEE], "Open your own link, or ask whoever runs the project for one.")
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
    if right in WHEN_NOT_AT_IT and (place.dimension is None or work.independence.is_at_it(place.dimension, name)):
        raise NotAllowedError(
            "You see the checklist's questions once you are done thinking aloud.",
            "Say “done” on Think aloud first, so that they don't lead you.",
        )
    if right in WHEN_DONE and not (place.dimension and work.independence.is_done_by(place.dimension, name)):
        raise NotAllowedError(
            "You see this once you are done thinking aloud.",
            "Say “done” on Think aloud first, so that what you write is your own.",
        )


def _name(actor: Actor, places: set[Place]) -> str:
    return next((actor.name_in(place.project) for place in places), actor.name)
