"""Sign-ins: whose browser it is that asks, from its cookie or from a proxy that is trusted."""

from datetime import UTC, datetime, timedelta

from app.domain.name import checked_name
from app.domain.people.actor import NOBODY, Actor, Right
from app.domain.people.allow_list import AllowList
from app.domain.people.person import OIDC_DAYS, SIGNED_IN_DAYS, Person
from app.domain.people.trail import PendingAct
from app.oidc.identity import Identity
from app.services.people.tokens import new_token, signed_cookie, signed_words, token_hash, token_in, words_in
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from db.unit_of_work import UnitOfWork

PROXY = "proxy"
SEEN = timedelta(minutes=1)
"""How exactly it is kept when somebody was last there: not every click is worth a write."""
_OIDC = "interacteval sign-in with a provider"
_OIDC_SECONDS = OIDC_DAYS * 24 * 3600


@use_case(Right.ARRIVE)
def actor_of_cookie(workbench: Workbench, cookie: str) -> Actor:
    """Who is signed in with this cookie, with their part in each project as it is now; NOBODY for no good cookie."""
    return _actor_of_token(workbench, token_in(cookie) if cookie else "")


@use_case(Right.ARRIVE)
def actor_of_oidc_cookie(workbench: Workbench, cookie: str, allowed: AllowList, issuer: str) -> Actor:
    """The same where a provider said who somebody is: their address is looked for in the list at each look, and the
    cookie is good for this provider alone. issuer: the address of its document."""
    token, address, said_by = _oidc_words(cookie)
    return _actor_of_token(workbench, token) if said_by == issuer and allowed.allows(address) else NOBODY


@use_case(Right.ARRIVE)
def actor_of_proxy(workbench: Workbench, subject: str) -> Actor:
    """Who a trusted proxy says is there; kept under that name from their first time on, with no part in any project."""
    called = checked_name(subject, "person")
    with workbench.database.read() as work:
        person = work.people.find(PROXY, called.casefold())
    if person is None or _unseen(person):
        with workbench.database.write() as work:
            person = work.people.ensure(PROXY, called.casefold(), called)
            work.people.note_seen(person.id)
    with workbench.database.read() as work:
        return work.people.actor(person.id)


@use_case(Right.ARRIVE)
def end_sign_in(workbench: Workbench, cookie: str) -> None:
    """This browser isn't signed in any more."""
    if token := token_in(cookie) or _oidc_words(cookie)[0]:
        with workbench.database.write() as work:
            if person := _person_signed_in(work, token):
                work.trail.add(PendingAct(None, person.id, person.name, "signed out"))
            work.sign_ins.end(token_hash(token))


def begin_sign_in(work: UnitOfWork, person: Person) -> str:
    """The cookie for the browser of this person."""
    token = new_token()
    work.sign_ins.begin(person.id, token_hash(token), datetime.now(UTC) + timedelta(days=SIGNED_IN_DAYS))
    return signed_cookie(token)


def begin_oidc_sign_in(work: UnitOfWork, identity: Identity, issuer: str) -> str:
    """The cookie for the browser of somebody whom a provider vouches for; they are kept from their first time on, with
    no part in any project."""
    person = work.people.ensure(identity.issuer, identity.subject, identity.name)
    work.people.note_seen(person.id)
    work.trail.add(PendingAct(None, person.id, person.name, "signed in"))
    token = new_token()
    work.sign_ins.begin(person.id, token_hash(token), datetime.now(UTC) + timedelta(days=OIDC_DAYS))
    return signed_words([token, identity.address, issuer], _OIDC)


def _oidc_words(cookie: str) -> tuple[str, str, str]:
    words = words_in(cookie, _OIDC, _OIDC_SECONDS) if cookie else []
    return (words[0], words[1], words[2]) if len(words) == 3 else ("", "", "")


def _actor_of_token(workbench: Workbench, token: str) -> Actor:
    with workbench.database.read() as work:
        person = _person_signed_in(work, token)
        actor = work.people.actor(person.id) if person else NOBODY
    if person and _unseen(person):
        with workbench.database.write() as work:
            work.people.note_seen(person.id)
    return actor


def _person_signed_in(work: UnitOfWork, token: str) -> Person | None:
    person_id = work.sign_ins.person(token_hash(token)) if token else None
    return work.people.get(person_id) if person_id is not None else None


def _unseen(person: Person) -> bool:
    return person.seen_at is None or datetime.now(UTC) - person.seen_at > SEEN
