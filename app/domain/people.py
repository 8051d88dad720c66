"""Who uses the program: persons, roles and rights, invitations, pseudonyms and the audit log."""

import csv
import re
from collections.abc import Collection, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any

from app.domain.condition import renamed
from app.errors import InputError
from app.limits import LONGEST_FIELD


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


LONGEST = 254
"""Characters of an email address, the limit of mail servers."""
_LOCAL = r"[^@\s\x00-\x1f\x7f-\x9f\"]+"
_DOMAIN = r"[^@\s\x00-\x1f\x7f-\x9f\".*,;/\\]+(\.[^@\s\x00-\x1f\x7f-\x9f\".*,;/\\]+)+"
_ADDRESS = re.compile(f"{_LOCAL}@{_DOMAIN}")
_WHOLE_DOMAIN = re.compile(f"@?{_DOMAIN}")


@dataclass(frozen=True, slots=True)
class AllowList:
    """The list of people who may sign in: email addresses and domains (without @), all in lower case."""

    addresses: frozenset[str]
    domains: frozenset[str]

    def allows(self, address: str) -> bool:
        """Return whether the address or its exact domain is listed. A domain doesn't include its subdomains."""
        found = plain_address(address)
        return bool(found) and (found in self.addresses or found.rpartition("@")[2] in self.domains)


def plain_address(written: str) -> str:
    """Return the email address in lower case; "" for anything invalid or ambiguous, such as two @ or quotation
    marks."""
    found = written.strip().lower()
    return found if len(found) <= LONGEST and _ADDRESS.fullmatch(found) else ""


@lru_cache(maxsize=4)
def parse_allow_list(written: str, where: str) -> AllowList:
    """Parse addresses and domains separated by commas: "ana@x.org, @lab.example, lab.example". where: the name of the
    setting, for errors. Raises InputError for an entry that is neither."""
    addresses, domains = set(), set()
    for entry in filter(None, (part.strip().lower() for part in written.split(","))):
        if _WHOLE_DOMAIN.fullmatch(entry):
            domains.add(entry.removeprefix("@"))
        elif plain_address(entry):
            addresses.add(entry)
        else:
            raise InputError(
                f"{where} holds “{entry[:60]}”, which is neither an address nor a domain.",
                "Give addresses (ana@x.org) and whole domains (lab.example), with commas between them.",
            )
    return AllowList(frozenset(addresses), frozenset(domains))


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


class AccessMode(StrEnum):
    """The way in which people sign in.

    LOCAL: only from this computer, as its owner. INVITE: by a personal link. PROXY: by the name that a trusted proxy
    sends. OIDC: through an OpenID Connect provider, if their address is on a list.
    """

    LOCAL = "local"
    INVITE = "invite"
    PROXY = "proxy"
    OIDC = "oidc"


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
