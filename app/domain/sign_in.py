"""Ways to sign in, how long sign-ins, links and tokens last, and the list of people who may sign in."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from app.errors import InputError

LINK_DAYS, TOKEN_DAYS, MOST_DAYS = 14, 90, 365
"""Days until an unopened link or an API token expires, by default and at most."""
SIGNED_IN_DAYS = 30
"""Days that a browser stays signed in."""
OIDC_DAYS = 7
"""The same for sign-in by a provider, shorter so that the provider confirms again (one click) who may sign in."""

LONGEST = 254
"""Characters of an email address, the limit of mail servers."""
_LOCAL = r"[^@\s\x00-\x1f\x7f-\x9f\"]+"
_DOMAIN = r"[^@\s\x00-\x1f\x7f-\x9f\".*,;/\\]+(\.[^@\s\x00-\x1f\x7f-\x9f\".*,;/\\]+)+"
_ADDRESS = re.compile(f"{_LOCAL}@{_DOMAIN}")
_WHOLE_DOMAIN = re.compile(f"@?{_DOMAIN}")


@dataclass(frozen=True, slots=True)
class AllowList:
    """The list of people who may sign in: email addresses and domains (without @), all in lower case."""

    addresses: frozenset[str]
    domains: frozenset[str]

    def allows(self, address: str) -> bool:
        """Return whether the address or its exact domain is listed. A domain doesn't include its subdomains."""
        found = plain_address(address)
        return bool(found) and (found in self.addresses or found.rpartition("@")[2] in self.domains)


def plain_address(written: str) -> str:
    """Return the email address in lower case; "" for anything invalid or ambiguous, such as two @ or quotation
    marks."""
    found = written.strip().lower()
    return found if len(found) <= LONGEST and _ADDRESS.fullmatch(found) else ""


@lru_cache(maxsize=4)
def parse_allow_list(written: str, where: str) -> AllowList:
    """Parse addresses and domains separated by commas: "ana@x.org, @lab.example, lab.example". where: the name of the
    setting, for errors. Raises InputError for an entry that is neither."""
    addresses, domains = set(), set()
    for entry in filter(None, (part.strip().lower() for part in written.split(","))):
        if _WHOLE_DOMAIN.fullmatch(entry):
            domains.add(entry.removeprefix("@"))
        elif plain_address(entry):
            addresses.add(entry)
        else:
            raise InputError(
                f"{where} holds “{entry[:60]}”, which is neither an address nor a domain.",
                "Give addresses (ana@x.org) and whole domains (lab.example), with commas between them.",
            )
    return AllowList(frozenset(addresses), frozenset(domains))


class AccessMode(StrEnum):
    """The way in which people sign in.

    LOCAL: only from this computer, as its owner. INVITE: by a personal link. PROXY: by the name that a trusted proxy
    sends. OIDC: through an OpenID Connect provider, if their address is on a list.
    """

    LOCAL = "local"
    INVITE = "invite"
    PROXY = "proxy"
    OIDC = "oidc"
