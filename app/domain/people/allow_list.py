"""Allow list: the addresses and domains of those who may come in where a provider says who somebody is."""

import re
from dataclasses import dataclass
from functools import lru_cache

from app.errors import InputError

LONGEST = 254
"""Characters of an address, as mail servers take them."""
_LOCAL = r"[^@\s\x00-\x1f\x7f-\x9f\"]+"
_DOMAIN = r"[^@\s\x00-\x1f\x7f-\x9f\".*,;/\\]+(\.[^@\s\x00-\x1f\x7f-\x9f\".*,;/\\]+)+"
_ADDRESS = re.compile(f"{_LOCAL}@{_DOMAIN}")
_WHOLE_DOMAIN = re.compile(f"@?{_DOMAIN}")


@dataclass(frozen=True, slots=True)
class AllowList:
    """All in small letters; domains without @."""

    addresses: frozenset[str]
    domains: frozenset[str]

    def allows(self, address: str) -> bool:
        """A domain stands for itself alone: neither for those below it nor for those that end or begin like it."""
        found = plain_address(address)
        return bool(found) and (found in self.addresses or found.rpartition("@")[2] in self.domains)


def plain_address(written: str) -> str:
    """The address in small letters; "" for what is none, such as one with two @ or quotation marks, which programs read
    in different ways."""
    found = written.strip().lower()
    return found if len(found) <= LONGEST and _ADDRESS.fullmatch(found) else ""


@lru_cache(maxsize=4)
def parse_allow_list(written: str, where: str) -> AllowList:
    """Addresses and domains with commas between them, "ana@x.org, @lab.example, lab.example". where: what holds them,
    for the sentence. Raises InputError for an entry that is neither."""
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
