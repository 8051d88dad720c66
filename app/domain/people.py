"""Who uses the program: persons, members of projects, invitations, API tokens, pseudonyms and the audit log."""

import csv
import re
from collections.abc import Collection
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from app.domain.condition import renamed
from app.domain.roles_and_rights import Role
from app.errors import InputError
from app.limits import LONGEST_FIELD

MOST_INVITED = 200
_NAMED_ADDRESS = re.compile(r"(?P<name>[^<>]+)<(?P<email>[^<>]+)>")


@dataclass(frozen=True, slots=True)
class InvitedPerson:
    """A person to invite. `email` is "" if none is given; it is shown beside the link and not stored."""

    name: str
    role: Role
    email: str = ""


def read_invited(pasted: str, role: Role) -> list[InvitedPerson]:
    """Parse a list of people, one on each line: name, then email address and role in any order, separated by commas,
    semicolons or tabs; also `Name <address>`. `role` is the role of people listed without one.

    Raises InputError with the line number for a line without a name, an unknown role and a repeated name.
    """
    found: dict[str, InvitedPerson] = {}
    for number, line in enumerate(pasted.splitlines(), start=1):
        if not line.strip(" ,;\t"):
            continue
        one = _read_line(line, number, role)
        if one.name in found:
            raise InputError(f"Line {number}: {one.name} is on the list twice.", "Give each person their own name.")
        found[one.name] = one
    if not found:
        raise InputError("There is nobody on the list.", "Write one person a line: a name, then an email address.")
    if len(found) > MOST_INVITED:
        raise InputError(f"{len(found)} people are on the list; {MOST_INVITED} at a time are the most.", "Shorten it.")
    return list(found.values())


def _read_line(line: str, number: int, role: Role) -> InvitedPerson:
    if len(line) > LONGEST_FIELD:
        raise InputError(f"Line {number} has more than {LONGEST_FIELD:,} characters.", "Write one person a line.")
    separator = next((sign for sign in "\t;," if sign in line), ",")
    name, *rest = (part.strip() for part in next(csv.reader([line], delimiter=separator)))
    email = ""
    if named := _NAMED_ADDRESS.fullmatch(name):
        name, email = named["name"].strip(), named["email"].strip()
    for part in filter(None, rest):
        if "@" in part:
            email = part
        elif part.casefold() in {one.value for one in Role}:
            role = Role(part.casefold())
        else:
            roles = ", ".join(one.value for one in Role)
            raise InputError(f"Line {number}: “{part}” is neither an email address nor a role.", f"Roles are {roles}.")
    if not name or "@" in name:
        raise InputError(f"Line {number} has no name.", "Write the name first, then the email address.")
    return InvitedPerson(name, role, email)


@dataclass(frozen=True, slots=True)
class Person:
    """A person who has signed in or was invited. `issuer` identifies them by `subject`: it is "invite", "proxy", or a
    provider's address."""

    id: int
    issuer: str
    subject: str
    name: str
    owner: bool = False
    seen_at: datetime | None = None


class LinkState(StrEnum):
    OPEN = "open"
    USED = "used"
    EXPIRED = "expired"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True)
class Invitation:
    """A link for one person to one project, or to the whole server for the owner (`project` None). It works once."""

    id: int
    person: int
    name: str
    project: int | None
    made_by: str
    made_at: datetime
    expires_at: datetime
    used_at: datetime | None = None
    revoked_at: datetime | None = None

    def state(self, now: datetime) -> LinkState:
        if self.revoked_at is not None:
            return LinkState.REVOKED
        if self.used_at is not None:
            return LinkState.USED
        return LinkState.EXPIRED if now >= self.expires_at else LinkState.OPEN


@dataclass(frozen=True, slots=True)
class ApiToken:
    """The stored record of a token with which a program uses one project. `person` made it, None for the server's
    owner; `used_at`: its last use. Amounts in US dollars; `spent_usd` includes reservations for requests in flight."""

    id: int
    project: int
    person: int | None
    name: str
    made_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    used_at: datetime | None
    budget_usd: float
    spent_usd: float

    @property
    def left_usd(self) -> float:
        return max(0.0, self.budget_usd - self.spent_usd)

    def state(self, now: datetime) -> LinkState:
        """Return OPEN, EXPIRED or REVOKED."""
        if self.revoked_at is not None:
            return LinkState.REVOKED
        return LinkState.EXPIRED if now >= self.expires_at else LinkState.OPEN


@dataclass(frozen=True, slots=True)
class ProjectMember:
    """A person's role in one project. `name`: their name in the project; `seen_at`: when they were last active
    there."""

    person: Person
    project: int
    role: Role
    name: str
    joined_at: datetime
    invitation: Invitation | None = None

    @property
    def seen_at(self) -> datetime | None:
        return self.person.seen_at


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """An entry of the audit log. `project` is the project's name, which stays after deletion; "" for acts on the
    server. `who` is "" for the owner of this computer, who has no name."""

    at: datetime
    who: str
    act: str
    about: str = ""
    project: str = ""


@dataclass(slots=True)
class PendingAct:
    """An act whose audit entry isn't stored yet: its first change to the database stores both in one transaction.

    project: its id, None for acts on the server.
    """

    project: int | None
    person: int | None
    who: str
    act: str
    about: str = ""
    kept: bool = False


PENDING: ContextVar[PendingAct | None] = ContextVar("pending_act", default=None)
"""The audit entry of the use case that is running."""


_FIRST = "Expert"


def free_pseudonym(taken: Collection[str]) -> str:
    """Return the first of “Expert 1”, “Expert 2” ... that isn't taken, ignoring case."""
    known = {name.casefold() for name in taken}
    names = (f"{_FIRST} {number}" for number in range(1, len(known) + 2))
    return next(name for name in names if name.casefold() not in known)


def is_said_in(text: str, name: str) -> bool:
    """Return whether the name occurs in the text as whole words."""
    return _words(name).search(text) is not None


def replace_name_in_text(text: str, name: str, pseudonym: str) -> str:
    """Replace each whole-word occurrence of the name in the text by the pseudonym."""
    return _words(name).sub(lambda _: pseudonym, text)


def replace_name_in_json(value: Any, name: str, pseudonym: str) -> Any:
    """Replace the name by the pseudonym in a JSON value: in strings that equal the name or are a condition's code with
    it."""
    match value:
        case str():
            return pseudonym if value == name else renamed(value, name, pseudonym)
        case dict():
            return {key: replace_name_in_json(one, name, pseudonym) for key, one in value.items()}
        case list():
            return [replace_name_in_json(one, name, pseudonym) for one in value]
        case _:
            return value


def _words(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
