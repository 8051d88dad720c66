"""How people sign in (local, invite, proxy, OpenID Connect)."""

import hmac
import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import astuple
from urllib.parse import urlsplit

from app.domain.roles_and_rights import LOCAL_OWNER, NOBODY, Actor, Right
from app.domain.sign_in import AccessMode, AllowList, parse_allow_list
from app.errors import InputError, NotAllowedError, NotListedError, SignInError
from app.oidc import CALLBACK, Attempt, address_to_sign_in, identity_by_code, new_attempt, oidc_client
from app.services.people.sign_ins import (
    actor_of_cookie,
    actor_of_oidc_cookie,
    actor_of_proxy,
    begin_oidc_sign_in,
    signed_words,
    words_in,
)
from app.services.runtime.workbench import Workbench, use_case
from app.settings import settings, written_name

SIGN_IN_COOKIE, BROWSER_COOKIE = "interacteval_sign_in", "interacteval_browser"
"""Names of cookies without https; `cookie_name` returns the one in use."""
_MODES = ", ".join(AccessMode)


def access_mode() -> AccessMode:
    """Return the configured mode. Raises InputError for an invalid setting."""
    wished = settings().access.strip().lower()
    if wished not in list(AccessMode):
        raise InputError(f"INTERACTEVAL_ACCESS is “{wished[:60]}”.", f"Set it to one of: {_MODES}.")
    return AccessMode(wished)


def check_access_mode(host: str, names: Iterable[str] = ()) -> AccessMode:
    """Return the access mode after checking the settings. names: further names of the server.

    Raises InputError if unknown people could get in, or a setting that the mode needs is missing.
    """
    mode = access_mode()
    address = set_address()
    if mode is AccessMode.LOCAL:
        _check_local(host, urlsplit(address).hostname or "", names)
    if mode is AccessMode.PROXY and not (settings().proxy_header and proxies()):
        raise InputError(
            "A proxy that says who people are has to be named.",
            "Set INTERACTEVAL_PROXY_HEADER to the header it sets and INTERACTEVAL_PROXY_ADDRESSES to its addresses.",
        )
    if mode is AccessMode.OIDC:
        _check_oidc()
    return mode


def _check_local(host: str, address: str, names: Iterable[str]) -> None:
    """Raise InputError unless only this computer can reach the server. A public name means a proxy, all of whose
    requests would count as the owner's."""
    if not _is_loopback(host):
        raise InputError(
            f"On {host} everybody who reaches this computer could read and change everything.",
            "Listen on 127.0.0.1, or set INTERACTEVAL_ACCESS=invite: then each person comes in by a link of their own.",
        )
    if address and not _is_loopback(address):
        raise _open_to_all(f"INTERACTEVAL_ADDRESS is for others to come by ({address})")
    for name in names:
        if not _is_loopback(written_name(name)):
            raise _open_to_all(f"“{name.strip()}” is a name for others to come by")


def _open_to_all(why: str) -> InputError:
    return InputError(
        f"{why}, and nobody would have to sign in: anybody who reaches it could read and change everything.",
        "Set INTERACTEVAL_ACCESS to invite, proxy or oidc; for this computer alone, leave the name out.",
    )


def _check_oidc() -> None:
    oidc_client()
    if not set_address():
        raise InputError(
            "INTERACTEVAL_ADDRESS isn't set.",
            "The provider sends people back to it: give the server's address, such as https://workbench.example.org.",
        )
    if not (allow_list().addresses or allow_list().domains):
        raise InputError(
            "INTERACTEVAL_OIDC_ALLOWED isn't set, so nobody could come in.",
            "Give addresses (ana@x.org) and whole domains (lab.example), with commas between them.",
        )


def allow_list() -> AllowList:
    """Return who may sign in with a provider. Raises InputError for an entry that is neither address nor domain."""
    return parse_allow_list(settings().oidc_allowed, "INTERACTEVAL_OIDC_ALLOWED")


def proxies() -> frozenset[str]:
    """Return the addresses of trusted proxies. Raises InputError for an invalid address."""
    found = set()
    for written in filter(None, (part.strip() for part in settings().proxy_addresses.split(","))):
        try:
            found.add(str(ipaddress.ip_address(written)))
        except ValueError as error:
            raise InputError(
                f"INTERACTEVAL_PROXY_ADDRESSES names “{written[:60]}”, which is no address.",
                "Give addresses such as 10.0.0.2, with commas between them.",
            ) from error
    return frozenset(found)


def set_address() -> str:
    """Return the server's configured address for browsers, "" for none. Raises InputError for an invalid one."""
    written = settings().address.strip()
    return whole_address(written, "INTERACTEVAL_ADDRESS") if written else ""


def whole_address(written: str, where: str) -> str:
    """Return the address of a web server without a trailing slash. where: the setting's name, for errors. Raises
    InputError for an invalid address."""
    try:
        parts = urlsplit(written.strip())
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(
            f"{where} is “{written[:60]}”, which is no address of a web server.",
            "Give it whole, such as https://workbench.example.org.",
        )
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def is_secure() -> bool:
    """Return whether browsers reach the server by https, so that cookies need it too."""
    return set_address().startswith("https://")


def cookie_name(plain: str) -> str:
    """Return the cookie's name; with https one that a neighbouring site (evil.example.org) can't set for this
    server."""
    return f"__Host-{plain}" if is_secure() else plain


def link_of(token: str, seen_at: str) -> str:
    """Return the link for a person. seen_at: the server's address in the link maker's browser, used if none is
    configured."""
    return f"{set_address() or seen_at}/enter?key={token}"


def remarks_on_link(link: str) -> tuple[str, ...]:
    """Return what the maker of a link must know: whether it opens on the server's own computer only."""
    if not _is_loopback(urlsplit(link).hostname or ""):
        return ()
    return (
        "This link opens only on the computer where the app runs. For links that colleagues can open, set "
        "INTERACTEVAL_ADDRESS to the address by which they reach the app, or open the app by that address yourself.",
    )


def access_contact() -> str:
    """Return a phrase on whom to ask for access."""
    return settings().contact.strip() or "this server's owner"


@use_case(Right.ARRIVE)
def person_at_browser(workbench: Workbench, cookies: Mapping[str, str], headers: Mapping[str, str]) -> Actor:
    """Return the person at a browser. Call it only behind the gate, which checks the proxy's address."""
    match access_mode():
        case AccessMode.LOCAL:
            return LOCAL_OWNER
        case AccessMode.INVITE:
            return actor_of_cookie(workbench, cookies.get(cookie_name(SIGN_IN_COOKIE), ""))
        case AccessMode.OIDC:
            cookie = cookies.get(cookie_name(SIGN_IN_COOKIE), "")
            return actor_of_oidc_cookie(workbench, cookie, allow_list(), oidc_client().discovery)
        case AccessMode.PROXY:
            subject = proxy_subject(headers)
            return actor_of_proxy(workbench, subject) if subject else NOBODY


def proxy_subject(headers: Mapping[str, str]) -> str:
    """Return the name that the proxy gives for a request; "" for none, and in other modes.

    Raises NotAllowedError for two such headers, since a proxy that adds its own to the browser's lets people choose
    their name.
    """
    if access_mode() is not AccessMode.PROXY:
        return ""
    name = settings().proxy_header.lower()
    said = [value.strip() for one, value in headers.items() if one.lower() == name]
    if len(said) > 1:
        raise NotAllowedError(
            f"The request says twice who it is from (two headers {settings().proxy_header}).",
            "Have the proxy replace the header that browsers send, instead of adding another.",
        )
    return said[0] if said else ""


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost" or host.lower().endswith(".localhost")


ATTEMPT_SECONDS = 600
"""Seconds that a person has to sign in at the provider."""
_ATTEMPT = "interacteval attempt to sign in"
_AGAIN = "Sign in again."
_REFUSED = ("access_denied", "login_required", "interaction_required", "consent_required", "account_selection_required")


def begin_attempt(back: str, other: bool) -> tuple[str, str]:
    """Start a sign-in; returns the provider's address and a cookie. back: the path to open afterwards. other: as
    another person than last time. Raises SignInError if the provider can't be reached."""
    attempt = new_attempt(back)
    return address_to_sign_in(oidc_client(), attempt, _redirect(), other), signed_words([*astuple(attempt)], _ATTEMPT)


def attempt_in(cookie: str, state: str) -> Attempt:
    """Return the sign-in that this browser started. Raises NotAllowedError for another one, or after
    ATTEMPT_SECONDS."""
    words = words_in(cookie, _ATTEMPT, ATTEMPT_SECONDS)
    attempt = Attempt(*words) if len(words) == len(Attempt.__slots__) else None
    if attempt is None or not hmac.compare_digest(attempt.state.encode(), state.encode("utf-8", "replace")):
        raise NotAllowedError(
            "This sign-in wasn't begun in this browser, or another one took its place, or it took more than "
            f"{ATTEMPT_SECONDS // 60} minutes.",
            _AGAIN,
        )
    return attempt


def check_answer(error: str) -> None:
    """Raise NotAllowedError or SignInError for the provider's error code, if there is one ("" for none)."""
    if error in _REFUSED:
        raise NotAllowedError("The provider didn't let you in, or you said no there.", _AGAIN)
    if error in ("server_error", "temporarily_unavailable"):
        raise SignInError(f"{oidc_client().host}, the sign-in provider, can't sign anybody in now.", "Try again later.")
    if error:
        raise SignInError(
            f"{oidc_client().host}, the sign-in provider, refuses this server's request.",
            "This server's owner checks how it is entered there.",
        )


@use_case(Right.ARRIVE)
def sign_in_with_code(workbench: Workbench, attempt: Attempt, code: str, said_by: str = "") -> str:
    """Return a cookie for the person with this authorization code, if they are on the list. said_by: the issuer that
    the browser names, "" for none.

    Raises NotListedError for people who aren't on the list, NotAllowedError for a code of another sign-in, SignInError
    if the provider can't be reached or trusted.
    """
    client = oidc_client()
    identity = identity_by_code(client, attempt, code, _redirect(), said_by)
    if not identity.address:
        raise NotListedError(
            f"{client.host} gives no address of yours that it knows to be yours.",
            f"Confirm it there, or ask {access_contact()}.",
        )
    if not allow_list().allows(identity.address):
        raise NotListedError(
            f"{identity.address} isn't on the list of those who may come in.",
            f"Ask {access_contact()} to put it there, or sign in as somebody else.",
        )
    with workbench.database.write() as work:
        return begin_oidc_sign_in(work, identity, client.discovery)


def _redirect() -> str:
    return set_address() + CALLBACK
