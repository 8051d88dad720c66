"""Sign-ins: whose browser it is that asks, from its cookie or from a proxy that is trusted."""

from datetime import UTC, datetime, timedelta

from app.domain.name import checked_name
from app.domain.people.actor import NOBODY, Actor, Right
from app.domain.people.person import SIGNED_IN_DAYS, Person
from app.domain.people.trail import PendingAct
from app.services.people.tokens import new_token, signed_cookie, token_hash, token_in
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from db.unit_of_work import UnitOfWork

PROXY = "proxy"
SEEN = timedelta(minutes=1)
"""How exactly it is kept when somebody was last there: not every click is worth a write."""


@use_case(Right.ARRIVE)
def actor_of_cookie(workbench: Workbench, cookie: str) -> Actor:
    """Who is signed in with this cookie, with their part in each project as it is now; NOBODY for no good cookie."""
    with workbench.database.read() as work:
        person = person_signed_in(work, cookie)
        actor = work.people.actor(person.id) if person else NOBODY
    if person and _unseen(person):
        with workbench.database.write() as work:
            work.people.note_seen(person.id)
    return actor


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
    if token := token_in(cookie):
        with workbench.database.write() as work:
            if person := person_signed_in(work, cookie):
                work.trail.add(PendingAct(None, person.id, person.name, "signed out"))
            work.sign_ins.end(token_hash(token))


def begin_sign_in(work: UnitOfWork, person: Person) -> str:
    """The cookie for the browser of this person."""
    token = new_token()
    work.sign_ins.begin(person.id, token_hash(token), datetime.now(UTC) + timedelta(days=SIGNED_IN_DAYS))
    return signed_cookie(token)


def _unseen(person: Person) -> bool:
    return person.seen_at is None or datetime.now(UTC) - person.seen_at > SEEN


def person_signed_in(work: UnitOfWork, cookie: str) -> Person | None:
    token = token_in(cookie) if cookie else ""
    person_id = work.sign_ins.person(token_hash(token)) if token else None
    return work.people.get(person_id) if person_id is not None else None
