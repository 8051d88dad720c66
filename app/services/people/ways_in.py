"""Ways in: how people reach this server, and who they are, as its settings say."""

import ipaddress
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from app.domain.people.actor import LOCAL_OWNER, NOBODY, Actor, Right
from app.domain.people.allow_list import AllowList, parse_allow_list
from app.domain.people.person import AccessMode
from app.errors import InputError, NotAllowedError
from app.oidc.client import oidc_client
from app.server_names import written_name
from app.services.people.sign_ins import actor_of_cookie, actor_of_oidc_cookie, actor_of_proxy
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.settings import settings

SIGN_IN_COOKIE, BROWSER_COOKIE = "interacteval_sign_in", "interacteval_browser"
"""Their names where the address isn't https; `cookie_name` says the one in use."""
_MODES = ", ".join(AccessMode)


def access_mode() -> AccessMode:
    """Raises InputError for a setting that is none."""
    wished = settings().access.strip().lower()
    if wished not in list(AccessMode):
        raise InputError(f"INTERACTEVAL_ACCESS is “{wished[:60]}”.", f"Set it to one of: {_MODES}.")
    return AccessMode(wished)


def check_way_in(host: str, names: Iterable[str] = ()) -> AccessMode:
    """names: further ones that the server is to answer to.

    Raises InputError where people would get in without being known, or where what the mode needs isn't set."""
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
    """A name that others reach the server by means a proxy before it, and to the proxy's requests everybody is here."""
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
        f"{why}, and nobody would have to sign in: whoever gets there could read and change everything.",
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
    """Who may come in with a provider. Raises InputError for an entry that is neither address nor domain."""
    return parse_allow_list(settings().oidc_allowed, "INTERACTEVAL_OIDC_ALLOWED")


def proxies() -> frozenset[str]:
    """The addresses whose word is taken for who somebody is. Raises InputError for what is no address."""
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
    """Where browsers reach the server, "" where that isn't set. Raises InputError for what is no address."""
    written = settings().address.strip()
    return whole_address(written, "INTERACTEVAL_ADDRESS") if written else ""


def whole_address(written: str, where: str) -> str:
    """where: what names it, for the sentence. Raises InputError for what is no address of a web server."""
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
    """Whether browsers reach the server by https, so that cookies never travel without."""
    return set_address().startswith("https://")


def cookie_name(plain: str) -> str:
    """Where cookies travel by https alone, one that no neighbouring name (evil.example.org) can set for this server."""
    return f"__Host-{plain}" if is_secure() else plain


def link_of(token: str, seen_at: str) -> str:
    """What is sent to a person. seen_at: the server's address as whoever makes the link sees it; the one that is set
    goes before."""
    return f"{set_address() or seen_at}/enter?key={token}"


def whom_to_ask() -> str:
    """In words, for those who stand at the door."""
    return settings().contact.strip() or "whoever runs this server"


@use_case(Right.ARRIVE)
def who_asks(workbench: Workbench, cookies: Mapping[str, str], headers: Mapping[str, str]) -> Actor:
    """Who a browser belongs to. Only ask where the request came through the door, which checks the proxy's address."""
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
    """Whom the proxy says a request is from; "" for nobody, and in other modes.

    Raises NotAllowedError for two such headers: a proxy that adds its own to the browser's lets people choose.
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
