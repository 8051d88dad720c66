"""Origins: whether a request comes from a page of this server's own, by scheme, host and port."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from app.server_names import ServerNames

_PORTS = {"http": 80, "https": 443}
Origin = tuple[str, str, int]
"""Scheme, host in small letters, port."""


@dataclass(frozen=True, slots=True)
class OwnAddresses:
    """Where browsers reach this server.

    port: the one it listens on, without TLS. address: the one that is set (INTERACTEVAL_ADDRESS), "" for none.
    """

    names: ServerNames
    port: int
    address: str = ""

    def owns(self, origin: str, host: str | None) -> bool:
        """Whether a page at this Origin is one of ours. host: the Host that its request names.

        A proxy may name another host than browsers do: then the address that is set counts. Otherwise the browser's
        Host is where it connected to, so that a page of another port or scheme never has the same.
        """
        said = read_origin(origin)
        if said is None:
            return False
        return said == read_origin(self.address, path=True) or said in self._asked_at(host)

    def _asked_at(self, host: str | None) -> set[Origin]:
        if not self.names.knows(host):
            return set()
        parts = urlsplit(f"//{host}")
        name = (parts.hostname or "").rstrip(".")
        if parts.port == self.port:
            return {("http", name, self.port)}
        # Another port is a proxy's, or one that a container's is mapped to. Without a port either scheme is possible.
        set_scheme = urlsplit(self.address).scheme
        schemes = [set_scheme] if set_scheme and parts.port is None else list(_PORTS)
        return {(scheme, name, parts.port or _PORTS[scheme]) for scheme in schemes}


def read_origin(origin: str, path: bool = False) -> Origin | None:
    """None for what is none, such as "null". path: whether one may follow, as in an address."""
    try:
        parts = urlsplit(origin)
        port = parts.port
    except ValueError:
        return None
    more = parts.query or parts.fragment or "@" in parts.netloc or (parts.path and not path)
    if parts.scheme not in _PORTS or not parts.hostname or more:
        return None
    return parts.scheme, parts.hostname.rstrip("."), port or _PORTS[parts.scheme]
