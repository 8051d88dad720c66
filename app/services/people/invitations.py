"""Invitations of people by links that work once, and the message that goes with a link."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from app.domain.attribute import ContributorKind
from app.domain.people import Invitation, InvitedPerson, LinkState, PendingAct, Person, ProjectMember
from app.domain.roles_and_rights import NOBODY, Actor, Right, Role
from app.domain.sign_in import LINK_DAYS, MOST_DAYS
from app.domain.storable_text import checked_name, quoted, suspicious_characters
from app.errors import InputError, NotAllowedError, NotFoundError, WorkbenchError
from app.services.people.sign_ins import begin_sign_in, new_token, token_hash
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import UnitOfWork

ISSUER, OWNER = "invite", "owner"
_ASK = "Ask the person who sent it for a new one."
_REFUSALS = {
    LinkState.USED: "This link has been used already; it lets in once.",
    LinkState.EXPIRED: "This link is too old.",
    LinkState.REVOKED: "This link is revoked.",
}


@dataclass(frozen=True, slots=True)
class NewInvitationLink:
    """A new link. `token` is stored nowhere, so that a lost link has to be replaced. `remarks`: what is odd about the
    name, such as that it looks like another's."""

    name: str
    token: str
    expires_at: datetime
    remarks: tuple[str, ...] = ()


@use_case(Right.FACILITATE, act="invited somebody", about="name")
def invite(
    workbench: Workbench, project_id: int, name: str, role: Role, days: int = LINK_DAYS, who: str = ""
) -> NewInvitationLink:
    """Make a link for somebody to join a project, replacing an earlier link of theirs.

    Raises InputError for no name, an invalid number of days, or a change of one's own role, ConflictError if an LLM has
    the name, NotAllowedError if the link would give more rights than its maker has.
    """
    called = checked_name(name, "person", "Say who the link is for.")
    with workbench.database.write() as work:
        work.projects.by_id(project_id)
        remarks = tuple(suspicious_characters(called, work.names.taken(project_id)))
        if role is Role.EXPERT:
            work.think_aloud.contributor(project_id, called, ContributorKind.HUMAN)
        there = work.people.member(project_id, called)
        if there is not None:
            _check_renewal(work, workbench.actor, there, role)
        person = there.person if there else work.people.add(ISSUER, uuid.uuid4().hex, called)
        work.people.join(person.id, project_id, role, called)
        return replace(_link(work, person, project_id, days, who), remarks=remarks)


@use_case(Right.FACILITATE, act="invited several people")
def invite_several(
    workbench: Workbench, project_id: int, people: Sequence[InvitedPerson], days: int = LINK_DAYS, who: str = ""
) -> tuple[list[tuple[InvitedPerson, NewInvitationLink]], list[str]]:
    """Make a link for each person as `invite` does; returns (person, link) pairs and the reasons for those without
    one."""
    made: list[tuple[InvitedPerson, NewInvitationLink]] = []
    refused: list[str] = []
    for one in people:
        try:
            made.append((one, invite(workbench, project_id, one.name, one.role, days, who)))
        except WorkbenchError as error:
            refused.append(f"{one.name}: {error}")
    return made, refused


def message_for(name: str, project: str, role: Role, link: str, expires_at: datetime) -> str:
    """Return the message to send to a person with their link."""
    todo = {
        Role.EXPERT: "to say what you look for in its texts",
        Role.FACILITATOR: "to run it together",
        Role.READER: "to see its results",
    }[role]
    return (
        f"Hello {name},\n\nyou are invited to the project “{project}” in InteractEval Workbench, {todo}. Open this "
        f"link to come in; it works once, until {expires_at:%d %b %Y}, and is for you alone:\n\n{link}\n"
    )


@use_case(Right.SERVE, act="made a link for the owner")
def invite_owner(workbench: Workbench, days: int = LINK_DAYS) -> NewInvitationLink:
    """Make a link for the owner of the server, who may do everything. Their earlier unopened links are revoked."""
    with workbench.database.write() as work:
        return _link(work, _owner(work), None, days, "")


@use_case(Right.SERVE, act="made a link for the owner")
def offer_owner_link(workbench: Workbench) -> NewInvitationLink:
    """Make a link that a server prints at its start. Links of other processes stay valid until one is opened."""
    with workbench.database.write() as work:
        return _link(work, _owner(work), None, LINK_DAYS, "", beside=True)


@use_case(Right.SERVE)
def owner_has_signed_in(workbench: Workbench) -> bool:
    """Return whether the owner has ever signed in."""
    with workbench.database.read() as work:
        return any(owner.seen_at is not None for owner in work.people.owners())


@use_case(Right.FACILITATE)
def members_of(workbench: Workbench, project_id: int) -> list[ProjectMember]:
    """Return the project's members, each with their newest link."""
    with workbench.database.read() as work:
        return [
            replace(member, invitation=work.invitations.newest(member.person.id, project_id))
            for member in work.people.members(project_id)
        ]


@use_case(Right.FACILITATE, act="removed a member", about="name")
def revoke_access(workbench: Workbench, project_id: int, name: str) -> None:
    """Remove a member from the project; their attributes stay. Raises NotFoundError, and InputError for oneself."""
    with workbench.database.write() as work:
        member = work.people.member(project_id, name)
        if member is None:
            raise NotFoundError(f"Nobody called {quoted(name)} has a part in this project.")
        if member.person.id == workbench.actor.person:
            raise InputError("You can't take your own part away.", "Another facilitator can.")
        work.invitations.revoke(member.person.id, project_id)
        work.people.leave(member.person.id, project_id)
        if not member.person.owner and not work.people.actor(member.person.id).memberships:
            work.sign_ins.end_all(member.person.id)


@use_case(Right.ARRIVE)
def read_invitation(workbench: Workbench, token: str, here: Actor = NOBODY) -> Invitation:
    """Return the invitation of an open link. Raises NotAllowedError, with the reason, if it doesn't admit this
    person."""
    with workbench.database.read() as work:
        link = _open_one(work, token)
        _who_enters(work, link, here)
        return link


@use_case(Right.ARRIVE)
def used_invitation(workbench: Workbench, token: str, here: Actor) -> bool:
    """Return whether the person who is signed in here has already used this link."""
    with workbench.database.read() as work:
        link = work.invitations.find(token_hash(token))
    return link is not None and link.used_at is not None and link.person == here.person


@use_case(Right.ARRIVE)
def accept_invitation(workbench: Workbench, token: str, here: Actor = NOBODY) -> tuple[str, str]:
    """Sign in the person who opens the link; `here` is who is signed in at the browser. Returns the name and a new
    cookie, "" for people whom a proxy signs in. Raises as `read_invitation`."""
    with workbench.database.write() as work:
        link = _open_one(work, token)
        if not work.invitations.use(link.id):
            raise NotAllowedError(_REFUSALS[LinkState.USED], _ASK)
        work.invitations.revoke(link.person, link.project)  # another that a second web process printed
        person = _who_enters(work, link, here)
        if person.id != link.person:
            work.invitations.reassign_link(link.id, person.id)
            work.people.merge_into(link.person, person.id)
            work.invitations.revoke_all(person.id)  # an old link would open what is theirs from now on
        work.people.note_seen(person.id)
        work.audit_log.add(PendingAct(link.project, person.id, person.name, "came in by a link"))
        return person.name, "" if person.issuer != ISSUER else begin_sign_in(work, person)


def _owner(work: UnitOfWork) -> Person:
    return work.people.find(ISSUER, OWNER) or work.people.add(ISSUER, OWNER, "Owner", owner=True)


def _link(
    work: UnitOfWork, person: Person, project_id: int | None, days: int, who: str, beside: bool = False
) -> NewInvitationLink:
    if not 1 <= days <= MOST_DAYS:
        raise InputError(f"A link can't last {days} days.", f"Give 1 to {MOST_DAYS}.")
    token, expires_at = new_token(), datetime.now(UTC) + timedelta(days=days)
    work.invitations.add(person.id, project_id, token_hash(token), who, expires_at, beside)
    return NewInvitationLink(person.name, token, expires_at)


def _check_renewal(work: UnitOfWork, actor: Actor, member: ProjectMember, role: Role) -> None:
    """Raise InputError for a change of one's own role, NotAllowedError if the member's link would open projects that
    its maker doesn't run."""
    if member.person.id == actor.person and role is not member.role:
        raise InputError("You can't change your own role.", "Another facilitator can.")
    theirs = work.people.actor(member.person.id)
    if not actor.owner and (theirs.owner or not all(actor.has(Right.FACILITATE, one) for one in theirs.memberships)):
        raise NotAllowedError(
            f"{quoted(member.name)} has a part in other projects too, which a link from here would open.",
            "The server's owner can make one.",
        )


def _who_enters(work: UnitOfWork, link: Invitation, here: Actor) -> Person:
    """Return the person who enters: the one the link is for, or the one who is signed in here and takes over the link.

    The second is possible only if the link's person was never here, or came by links alone in a mode without links, so
    that no link moves what belongs to somebody.
    """
    person = work.people.get(link.person)
    known = work.people.get(here.person) if here.person is not None else None
    if known is None or known.id == person.id:
        return person
    if person.seen_at is None and (known.issuer != ISSUER or (known.name == person.name and not person.owner)):
        return known
    if known.issuer != ISSUER:
        if person.issuer == ISSUER and not _meet(work, known, person):
            return known
        raise NotAllowedError(f"This link is for {quoted(person.name)}, who was here before.", _ASK)
    return person


def _meet(work: UnitOfWork, one: Person, other: Person) -> bool:
    """Return whether both are members of the same project, so that merging them would lose one membership."""
    return not work.people.actor(one.id).memberships.keys().isdisjoint(work.people.actor(other.id).memberships)


def _open_one(work: UnitOfWork, token: str) -> Invitation:
    found = work.invitations.find(token_hash(token))
    if found is None:
        raise NotAllowedError("This link isn't one of this server's.", "Copy it whole, or ask for a new one.")
    state = found.state(datetime.now(UTC))
    if state is not LinkState.OPEN:
        raise NotAllowedError(_REFUSALS[state], _ASK)
    return found
