"""Trail: what a use case that changes or takes out something is called there, and whose act it is."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from app.domain.checklist import Checklist, Question
from app.domain.people.actor import Place
from app.domain.people.trail import PENDING, PendingAct
from app.domain.task import Dimension
from app.errors import NotFoundError
from app.services.runtime.identities import places_of
from app.services.runtime.workbench import Workbench

LONGEST = 200
"""Characters of what an act was about."""


@contextmanager
def on_trail(
    workbench: Workbench, act: str, places: set[Place], arguments: Mapping[str, Any], about: str, project: str
) -> Iterator[None]:
    """The act's entry is kept with the first thing that it changes, else at its end; not at all where it fails before.

    act: "" for what leaves no trail. about: the arguments that say of what, with blanks between
    them. project: the one that is its name.
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
    """The act under way made this project: its entry is the first of the project's own."""
    pending = PENDING.get()
    if pending is not None and pending.project is None:
        pending.project = project_id


def _pending(
    workbench: Workbench, act: str, places: set[Place], arguments: Mapping[str, Any], about: str, project: str
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
