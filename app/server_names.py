"""The names under which a server of the workbench answers.

A page elsewhere can have its own name point at this machine (DNS rebinding); its requests then come from the browser of
a person who may use the server, and only the Host they name gives them away. So no unknown name is answered.
"""

import ipaddress
import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from app.errors import InputError

LOOPBACK = ("localhost", "127.0.0.1", "::1")
ANY = "*"
_NAME = re.compile(r"(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*")


@dataclass(frozen=True, slots=True)
class ServerNames:
    """`names`: host names and addresses without port, `*.` for all names below one, `*` for every name.

    any_address: it listens on all of the machine's addresses, so it answers to each that is written as a number, which
    no name can be made to point at.
    """

    names: tuple[str, ...]
    any_address: bool = False

    def knows(self, host: str | None) -> bool:
        """Whether a request with this Host (with or without a port) is meant for this server."""
        name = _without_port(host or "")
        if not name:
            return False
        if self.any_address and _is_address(name):
            return True
        return any(known in (ANY, name) or (known[:2] == "*." and name.endswith(known[1:])) for known in self.names)


def names_of_server(host: str, more: Iterable[str]) -> ServerNames:
    """What a server that listens on `host` is known by, and `more`. Raises InputError for what is no name."""
    names = [*LOOPBACK, *(written_name(name) for name in more)]
    listens_anywhere = _is_address(host) and ipaddress.ip_address(host).is_unspecified
    if listens_anywhere:
        machine = socket.gethostname().lower()
        names += [machine, f"{machine}.local"]
    else:
        names.append(host.lower())
    return ServerNames(tuple(dict.fromkeys(names)), listens_anywhere)


def written_name(typed: str) -> str:
    """A name as browsers send it: small letters, no brackets, other scripts encoded."""
    name = typed.strip().strip("[]").rstrip(".").lower()
    if name == ANY or _is_address(name):
        return name
    try:
        encoded = name if name.isascii() else name.encode("idna").decode()
    except UnicodeError:
        encoded = ""
    if not _NAME.fullmatch(encoded):
        raise InputError(
            f"“{typed.strip()[:100]}” is no name of a server.",
            "Give the name alone, without http:// and port: workbench.example.org",
        )
    return encoded


def _without_port(host: str) -> str:
    """ "" for what is no host."""
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port  # asking for it raises where it is none
    except ValueError:
        return ""
    if parts.netloc != host or "@" in host:
        return ""
    return (parts.hostname or "").rstrip(".")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
