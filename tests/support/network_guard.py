"""Keeps tests on this machine: a connection or look-up beyond it is refused, and remembered so that the test fails.

Refusing alone isn't enough: code that takes a refused connection for an outage and goes on would pass. The guard
listens to the interpreter's own audit events, which no library and no other plugin can patch away.
"""

import ipaddress
import os
import socket
import sys
from typing import Any

LOCAL_NAMES = frozenset({"", "localhost", "localhost.localdomain", socket.gethostname().lower()})
CONNECTIONS = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
LOOK_UPS = frozenset({"socket.getaddrinfo", "socket.gethostbyname"})
WATCHED = CONNECTIONS | LOOK_UPS

attempts: list[str] = []
"""Where code tried to go since the list was last emptied, in any thread of this process."""
LOG = "NETWORK_ATTEMPTS"
"""The variable that names a file to which a process writes its attempts too, for whoever started it."""


class NetworkRefusedError(OSError):
    """What code under test gets: an OSError, as on a machine that is offline."""


def install() -> None:
    """Guard this process from now on; an audit hook can't be taken away again."""
    sys.addaudithook(_audit)


def is_local(host: object) -> bool:
    """Whether this host is the machine itself: loopback by number or name, or nothing (all own addresses)."""
    name = host.decode() if isinstance(host, bytes) else "" if host is None else str(host)
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return name.lower() in LOCAL_NAMES
    return address.is_loopback or address.is_unspecified


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if event not in WATCHED:  # Python calls this millions of times
        return
    if event in LOOK_UPS:
        _refuse_unless_local(arguments[0])
    else:
        sock, address = arguments
        # sendmsg on a connected socket has no address: its connection was judged when it was made
        if address is not None and sock.family in {socket.AF_INET, socket.AF_INET6}:
            _refuse_unless_local(address[0])


def _refuse_unless_local(host: object) -> None:
    if not is_local(host):
        attempts.append(str(host))
        if log := os.environ.get(LOG):
            with open(log, "a", encoding="utf-8") as file:  # noqa: PTH123 - pathlib isn't loaded this early
                file.write(f"{host}\n")
        raise NetworkRefusedError(f"tests stay on this machine; refused: {host}")
