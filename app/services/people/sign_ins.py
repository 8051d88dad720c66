"""Sign-ins and their tokens."""

import hashlib
import os
import secrets
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlencode

from itsdangerous import BadData, URLSafeSerializer, URLSafeTimedSerializer

from app.domain.people import PendingAct, Person
from app.domain.roles_and_rights import NOBODY, Actor, Right
from app.domain.sign_in import OIDC_DAYS, SIGNED_IN_DAYS, AllowList
from app.domain.storable_text import checked_name
from app.oidc import Identity
from app.services.runtime.workbench import Workbench, use_case
from app.settings import START_TOKEN, set_variable, settings
from db.unit_of_work import UnitOfWork

BYTES = 32
KEPT_IN = "cookie.secret"
_PURPOSE = "interacteval sign-in"


def new_token() -> str:
    return secrets.token_urlsafe(BYTES)


def token_hash(token: str) -> str:
    """Return the sha256 of a token. Tokens are random and as long as the hash, so salt or a slow hash add nothing."""
    return hashlib.sha256(token.encode()).hexdigest()


def signed_cookie(token: str) -> str:
    return str(URLSafeSerializer(_secret(), salt=_PURPOSE).dumps(token))


def token_in(cookie: str) -> str:
    """Return the token in a cookie; "" for a cookie that this server didn't sign."""
    try:
        token = URLSafeSerializer(_secret(), salt=_PURPOSE).loads(cookie)
    except BadData:
        return ""
    return token if isinstance(token, str) else ""


def signed_words(words: list[str], purpose: str) -> str:
    """Return the words signed, for a cookie. Its browser can read but not change them."""
    return str(URLSafeTimedSerializer(_secret(), salt=purpose).dumps(words))


def words_in(cookie: str, purpose: str, seconds: int) -> list[str]:
    """Return the words in a cookie; [] unless this server signed it for this purpose within `seconds`."""
    try:
        words = URLSafeTimedSerializer(_secret(), salt=purpose).loads(cookie, max_age=seconds)
    except BadData:
        return []
    return words if isinstance(words, list) and all(isinstance(word, str) for word in words) else []


def _secret() -> str:
    """Return the configured secret, which several servers can share, else one stored on this computer."""
    return settings().provider_variable("INTERACTEVAL_COOKIE_SECRET") or _stored_secret(settings().home / KEPT_IN)


@lru_cache(maxsize=4)
def _stored_secret(file: Path) -> str:
    """Return the secret in the file, which is created once, readable by this user only."""
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        return file.read_text(encoding="ascii")
    with os.fdopen(descriptor, "w", encoding="ascii") as written:
        made = secrets.token_urlsafe(BYTES)
        written.write(made)
    return made


PROXY = "proxy"
SEEN = timedelta(minutes=1)
"""Resolution of a person's last visit, so that not every click is a write."""
_OIDC = "interacteval sign-in with a provider"
_OIDC_SECONDS = OIDC_DAYS * 24 * 3600


@use_case(Right.ARRIVE)
def actor_of_cookie(workbench: Workbench, cookie: str) -> Actor:
    """Return who is signed in with this cookie, with their current roles; NOBODY for an invalid one."""
    return _actor_of_token(workbench, token_in(cookie) if cookie else "")


@use_case(Right.ARRIVE)
def actor_of_oidc_cookie(workbench: Workbench, cookie: str, allowed: AllowList, issuer: str) -> Actor:
    """Return who is signed in by a provider with this cookie, which holds only for this provider and while their
    address is on the list; else NOBODY. issuer: the address of the discovery document."""
    token, address, said_by = _oidc_words(cookie)
    return _actor_of_token(workbench, token) if said_by == issuer and allowed.allows(address) else NOBODY


@use_case(Right.ARRIVE)
def actor_of_proxy(workbench: Workbench, subject: str) -> Actor:
    """Return the person whom a trusted proxy names, added at the first visit without any project."""
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
    """Sign this browser out."""
    if token := token_in(cookie) or _oidc_words(cookie)[0]:
        with workbench.database.write() as work:
            if person := _person_signed_in(work, token):
                work.audit_log.add(PendingAct(None, person.id, person.name, "signed out"))
            work.sign_ins.end(token_hash(token))


def begin_sign_in(work: UnitOfWork, person: Person) -> str:
    """Sign a person in; returns the cookie for their browser."""
    token = new_token()
    work.sign_ins.begin(person.id, token_hash(token), datetime.now(UTC) + timedelta(days=SIGNED_IN_DAYS))
    return signed_cookie(token)


def begin_oidc_sign_in(work: UnitOfWork, identity: Identity, issuer: str) -> str:
    """Sign in a person identified by a provider; returns their cookie. They are stored at their first sign-in, without
    any project."""
    person = work.people.ensure(identity.issuer, identity.subject, identity.name)
    work.people.note_seen(person.id)
    work.audit_log.add(PendingAct(None, person.id, person.name, "signed in"))
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


PARAMETER = "token"


def start_link(host: str, port: int, token: str) -> str:
    """Return the server's address to open in a browser. token: "" if none is required."""
    named = f"[{host}]" if ":" in host else host
    return f"http://{named}:{port}/" + (f"?{urlencode({PARAMETER: token})}" if token else "")


def begin_start_token() -> str:
    """Return the start token: the configured one, else a new one, which is put into the settings of this process."""
    token = settings().provider_variable("INTERACTEVAL_START_TOKEN") or new_token()
    set_variable(START_TOKEN, token)
    return token
