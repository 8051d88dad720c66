"""Tokens: what a link or a cookie holds. Nobody can guess one, and only what it comes to is stored.

A cookie's token is signed too, so that made-up ones are refused without a look into the database.
"""

import hashlib
import os
import secrets
from functools import lru_cache
from pathlib import Path

from itsdangerous import BadData, URLSafeSerializer, URLSafeTimedSerializer

from app.settings import settings

BYTES = 32
KEPT_IN = "cookie.secret"
_PURPOSE = "interacteval sign-in"


def new_token() -> str:
    return secrets.token_urlsafe(BYTES)


def token_hash(token: str) -> str:
    """sha256: a token is as long as the hash, so that no salt and no slow hash make it safer."""
    return hashlib.sha256(token.encode()).hexdigest()


def signed_cookie(token: str) -> str:
    return str(URLSafeSerializer(_secret(), salt=_PURPOSE).dumps(token))


def token_in(cookie: str) -> str:
    """ "" for a cookie that this server didn't make."""
    try:
        token = URLSafeSerializer(_secret(), salt=_PURPOSE).loads(cookie)
    except BadData:
        return ""
    return token if isinstance(token, str) else ""


def signed_words(words: list[str], purpose: str) -> str:
    """For a cookie. Its browser can read them, and change none of them."""
    return str(URLSafeTimedSerializer(_secret(), salt=purpose).dumps(words))


def words_in(cookie: str, purpose: str, seconds: int) -> list[str]:
    """[] for a cookie that this server didn't make for this purpose, or made longer ago."""
    try:
        words = URLSafeTimedSerializer(_secret(), salt=purpose).loads(cookie, max_age=seconds)
    except BadData:
        return []
    return words if isinstance(words, list) and all(isinstance(word, str) for word in words) else []


def _secret() -> str:
    """The one given, so that several servers know each other's cookies, else one of this computer's own."""
    return settings().provider_variable("INTERACTEVAL_COOKIE_SECRET") or _kept_secret(settings().home / KEPT_IN)


@lru_cache(maxsize=4)
def _kept_secret(file: Path) -> str:
    """Made once, readable by this user alone."""
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        return file.read_text(encoding="ascii")
    with os.fdopen(descriptor, "w", encoding="ascii") as written:
        made = secrets.token_urlsafe(BYTES)
        written.write(made)
    return made
