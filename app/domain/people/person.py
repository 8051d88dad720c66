"""People a server knows, the links that let them in, and how long they stay."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.domain.people.actor import Role

LINK_DAYS = 14
"""How long a link waits to be opened."""
SIGNED_IN_DAYS = 30
"""How long a browser stays signed in."""
OIDC_DAYS = 7
"""The same where a provider says who people are: it is asked again, by one click, whether they are still its own."""


class AccessMode(StrEnum):
    """How people come in. LOCAL: only from this computer, and whoever is at it owns it. INVITE: by a link of one's own.
    PROXY: by the name that a trusted proxy says. OIDC: as whom an OpenID Connect provider says, if their address is on
    a list."""

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
