"""Identity: who a provider says somebody is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.domain.name import NAME_LIMIT, checked_name
from app.domain.people.allow_list import plain_address
from app.domain.storable_text import is_storable
from app.errors import InputError, SignInError

_LONGEST_SUBJECT = 255


@dataclass(frozen=True, slots=True)
class Identity:
    """`subject` stays a person's own for ever, addresses and names don't. address: in small letters, "" where the
    provider gives none, or gives one of which it says that nobody has shown it to be theirs."""

    issuer: str
    subject: str
    name: str
    address: str


def identity_of(claims: Mapping[str, Any]) -> Identity:
    """Of claims that were checked. Raises SignInError where nobody is named."""
    issuer, subject = claims["iss"], claims["sub"]
    if not isinstance(subject, str) or not 0 < len(subject) <= _LONGEST_SUBJECT or not is_storable(subject):
        raise SignInError("The provider doesn't say who you are.", "Tell whoever runs this server.")
    address = _address(claims)
    return Identity(issuer, subject, _name(claims.get("name")) or address[:NAME_LIMIT] or "Somebody", address)


def _address(claims: Mapping[str, Any]) -> str:
    """Some providers write true and false as words, and some say nothing of it."""
    verified, written = claims.get("email_verified"), claims.get("email")
    shown = verified is None or str(verified).lower() == "true"
    return plain_address(written) if shown and isinstance(written, str) else ""


def _name(written: Any) -> str:
    try:
        return checked_name(written, "person") if isinstance(written, str) else ""
    except InputError:
        return ""
