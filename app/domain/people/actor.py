"""Actor: whoever calls a use case, with a role in each of their projects."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Role(StrEnum):
    """A person's part in one project."""

    FACILITATOR = "facilitator"
    EXPERT = "expert"
    READER = "reader"


class Right(StrEnum):
    """What a use case asks of whoever calls it.

    ARRIVE: nothing; whoever stands at the door. ENTER: to be signed in. SEE: any role in the project. TAKE_PART: a task
    of one's own, on what is one's own. ANSWER: one's own sheet, with questions that are made of what others said;
    experts unless they are still thinking aloud about the dimension. REVIEW: what others said and what was made of it;
    experts once they are done on the dimension. EDIT: change what was made of it, on the same condition. READ: the
    results. FACILITATE: everything else of a project. SET_UP: the models and keys that facilitators of any project
    use. BEGIN: a project of one's own, as facilitators of any project. SERVE: the server itself, which no role in a
    project gives.
    """

    ARRIVE = "arrive"
    ENTER = "sign in"
    SEE = "see the project"
    TAKE_PART = "take part"
    ANSWER = "answer"
    REVIEW = "review"
    EDIT = "edit"
    READ = "read the results"
    FACILITATE = "run the project"
    SET_UP = "set up models"
    BEGIN = "begin a project"
    SERVE = "run the server"


RIGHTS: Mapping[Role, frozenset[Right]] = {
    Role.FACILITATOR: frozenset(Right) - {Right.SERVE},
    Role.EXPERT: frozenset(
        {Right.ARRIVE, Right.ENTER, Right.SEE, Right.TAKE_PART, Right.ANSWER, Right.REVIEW, Right.EDIT}
    ),
    Role.READER: frozenset({Right.ARRIVE, Right.ENTER, Right.SEE, Right.REVIEW, Right.READ}),
}
WHEN_DONE = frozenset({Right.REVIEW, Right.EDIT})
"""What an expert may do about a dimension only after they said “done” on it."""
WHEN_NOT_AT_IT = frozenset({Right.ANSWER})
"""What an expert may not do about a dimension that they have begun to think aloud about and aren't done with."""


@dataclass(frozen=True, slots=True)
class Membership:
    """`name`: what the person is called in the project, beside what they write."""

    role: Role
    name: str


@dataclass(frozen=True, slots=True)
class Actor:
    """`memberships`: project -> role and name there. `owner`: whoever runs the server, on a laptop the person at it.

    person: their id, None for the owner of this computer, who needs no name.
    """

    person: int | None = None
    name: str = ""
    owner: bool = False
    memberships: Mapping[int, Membership] = field(default_factory=dict)

    def has(self, right: Right, project: int | None) -> bool:
        """Whether their role gives the right in this project, or anywhere for None."""
        if self.owner or right is Right.ARRIVE:
            return True
        if project is None:
            everywhere = [RIGHTS[each.role] for each in self.memberships.values()]
            return self.person is not None and (right is Right.ENTER or any(right in rights for rights in everywhere))
        membership = self.memberships.get(project)
        return membership is not None and right in RIGHTS[membership.role]

    def expert_in(self, project: int) -> str:
        """What they are called as an expert of the project; "" where they do more there, or less."""
        membership = self.memberships.get(project)
        return membership.name if membership and membership.role is Role.EXPERT and not self.owner else ""

    def name_in(self, project: int) -> str:
        membership = self.memberships.get(project)
        return membership.name if membership else self.name


LOCAL_OWNER = Actor(owner=True)
"""The command line, and the person at a laptop."""
NOBODY = Actor()
"""Somebody who hasn't signed in."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something belongs: to a project, mostly to one of its dimensions, and where it is somebody's own, to them.

    author: the contributor's name, "" for what is nobody's own. draft: part of a checklist that isn't published yet.
    """

    project: int
    dimension: int | None = None
    author: str = ""
    draft: bool = False
