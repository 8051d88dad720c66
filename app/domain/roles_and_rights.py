"""Roles in a project, the rights that each gives, and the caller of a use case."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Role(StrEnum):
    """A person's part in one project."""

    FACILITATOR = "facilitator"
    EXPERT = "expert"
    READER = "reader"


class Right(StrEnum):
    """The right that a use case requires of its caller.

    ARRIVE: nothing, not even a sign-in. ENTER: signed in. SEE: any role in the project. TAKE_PART: do one's own task on
    one's own data. ANSWER: fill in one's own sheet, whose questions are based on others' attributes; experts who aren't
    thinking aloud about the dimension any more. REVIEW: see others' attributes and what was made of them; experts once
    they are done on the dimension. EDIT: change checklists, on the same condition. READ: the results. FACILITATE:
    everything else in a project. SET_UP: the models and keys for facilitators of all projects. BEGIN: start a project,
    as facilitators of any project may. SERVE: the server itself, which no role in a project gives.
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
"""Rights that an expert has on a dimension only after they said “done” on it."""
WHEN_NOT_AT_IT = frozenset({Right.ANSWER})
"""Rights that an expert loses on a dimension between beginning to think aloud about it and saying “done”."""


@dataclass(frozen=True, slots=True)
class Membership:
    """A person's role in a project, and `name`, under which the project shows what they write."""

    role: Role
    name: str


@dataclass(frozen=True, slots=True)
class Actor:
    """The caller of a use case. `memberships`: project -> role and name there. `owner`: owns the server, or this
    computer.

    person: their id, None for the owner of this computer, who needs no name.
    """

    person: int | None = None
    name: str = ""
    owner: bool = False
    memberships: Mapping[int, Membership] = field(default_factory=dict)

    def has(self, right: Right, project: int | None) -> bool:
        """Return whether the actor has the right in this project, or in any project for None."""
        if self.owner or right is Right.ARRIVE:
            return True
        if project is None:
            everywhere = [RIGHTS[each.role] for each in self.memberships.values()]
            return self.person is not None and (right is Right.ENTER or any(right in rights for rights in everywhere))
        membership = self.memberships.get(project)
        return membership is not None and right in RIGHTS[membership.role]

    def expert_in(self, project: int) -> str:
        """Return the actor's name if their role in the project is expert, else ""."""
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
class ResourceLocation:
    """The place to which something belongs: a project, mostly one of its dimensions, and its author if only one person
    owns it.

    author: the contributor's name, "" for shared things. draft: part of a checklist that isn't published yet.
    """

    project: int
    dimension: int | None = None
    author: str = ""
    draft: bool = False
