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

    ARRIVE: nothing, not even to be signed in. ENTER: to be signed in. SEE: any role in the project. TAKE_PART: a task
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
    """`memberships`: project -> role and name there. `owner`: the server's owner, on a laptop the person at it.

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


LONGEST = 254
"""Characters of an address, as mail servers take them."""
_LOCAL = r"[^@\s\x00-\x1f\x7f-\x9f\"]+"
_DOMAIN = r"[^@\s\x00-\x1f\x7f-\x9f\".*,;/\\]+(\.[^@\s\x00-\x1f\x7f-\x9f\".*,;/\\]+)+"
_ADDRESS = re.compile(f"{_LOCAL}@{_DOMAIN}")
_WHOLE_DOMAIN = re.compile(f"@?{_DOMAIN}")


@dataclass(frozen=True, slots=True)
class AllowList:
    """All in small letters; domains without @."""

    addresses: frozenset[str]
    domains: frozenset[str]

    def allows(self, address: str) -> bool:
        """A domain stands for itself alone: neither for those below it nor for those that end or begin like it."""
        found = plain_address(address)
        return bool(found) and (found in self.addresses or found.rpartition("@")[2] in self.domains)


def plain_address(written: str) -> str:
    """The address in small letters; "" for what is none, such as one with two @ or quotation marks, which programs read
    in different ways."""
    found = written.strip().lower()
    return found if len(found) <= LONGEST and _ADDRESS.fullmatch(found) else ""


@lru_cache(maxsize=4)
def parse_allow_list(written: str, where: str) -> AllowList:
    """Addresses and domains with commas between them, "ana@x.org, @lab.example, lab.example". where: what holds them,
    for the sentence. Raises InputError for an entry that is neither."""
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
    """`email` is "" where none is given; it is shown beside the link and stored nowhere."""

    name: str
    role: Role
    email: str = ""


def read_invited(pasted: str, role: Role) -> list[InvitedPerson]:
    """The people of a list, one a line: name, then email address and role in any order, between commas, semicolons or
    tabs; also `Name <address>`. `role` is for those without one of their own.

    Raises InputError with the number of the line for a line without a name, for a word that is no role, and for a name
    that is there twice.
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


LINK_DAYS = 14
"""How long a link waits to be opened."""
SIGNED_IN_DAYS = 30
"""How long a browser stays signed in."""
OIDC_DAYS = 7
"""The same where a provider says who people are: it is asked again, by one click, whether they are still its own."""


class AccessMode(StrEnum):
    """How people sign in.

    LOCAL: only from this computer, as its owner. INVITE: by a link of one's own. PROXY: by the name that a trusted
    proxy says. OIDC: as whom an OpenID Connect provider says, if their address is on a list.
    """

    LOCAL = "local"
    INVITE = "invite"
    PROXY = "proxy"
    OIDC = "oidc"


@dataclass(frozen=True, slots=True)
class Person:
    """`issuer` says who vouches for them ("invite", "proxy", or a provider's address), and `subject` is what it knows
    them by."""

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
    """A link for one person to one project, or for the owner to the server (`project` None); it lets in once."""

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
    """What is kept of a token with which a program asks one project. `person`: who made it, None for the server's
    owner; `used_at`: when a program last came with it. US dollars; `spent_usd` includes what is set aside for requests
    under way."""

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
        """OPEN, EXPIRED or REVOKED."""
        if self.revoked_at is not None:
            return LinkState.REVOKED
        return LinkState.EXPIRED if now >= self.expires_at else LinkState.OPEN


@dataclass(frozen=True, slots=True)
class ProjectMember:
    """A person's part in one project. `name`: what they are called there; `seen_at`: when they were last there."""

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
    """The first of “Expert 1”, “Expert 2” ... that nobody has, however it is spelt."""
    known = {name.casefold() for name in taken}
    names = (f"{_FIRST} {number}" for number in range(1, len(known) + 2))
    return next(name for name in names if name.casefold() not in known)


def is_said_in(text: str, name: str) -> bool:
    """Whether the name stands there as words of their own."""
    return _words(name).search(text) is not None


def put_in_words(text: str, name: str, pseudonym: str) -> str:
    """The text with the pseudonym wherever the name stood as words of their own."""
    return _words(name).sub(lambda _: pseudonym, text)


def put_in_values(value: Any, name: str, pseudonym: str) -> Any:
    """What is kept as JSON, with the pseudonym for each string that is the name or a condition about it."""
    match value:
        case str():
            return pseudonym if value == name else renamed(value, name, pseudonym)
        case dict():
            return {key: put_in_values(one, name, pseudonym) for key, one in value.items()}
        case list():
            return [put_in_values(one, name, pseudonym) for one in value]
        case _:
            return value


def _words(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")


@dataclass(frozen=True, slots=True)
class TrailEntry:
    """`project` is its name, which stays when it is deleted; "" for what is about the server. `who` is "" for the owner
    of the computer, who gave no name."""

    at: datetime
    who: str
    act: str
    about: str = ""
    project: str = ""


@dataclass(slots=True)
class PendingAct:
    """An act under way: the first change that it keeps takes its entry along, so that neither stands without the other.

    project: its id, None for what is about the server.
    """

    project: int | None
    person: int | None
    who: str
    act: str
    about: str = ""
    kept: bool = False


PENDING: ContextVar[PendingAct | None] = ContextVar("pending_act", default=None)
"""What the use case that is running is called in the trail."""
