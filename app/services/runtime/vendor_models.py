"""The models that a key can use, asked of its vendor when a person wants to know, and kept while the program runs."""

import threading
from collections.abc import Sequence

from app.domain.people.actor import Right
from app.providers.credentials import Access, Credentials
from app.providers.registry import sold_names
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

SECONDS = 20.0
_lock = threading.Lock()
# By vendor, address and key, in the memory of this process only.
_listed: dict[tuple[str, Access], tuple[str, ...]] = {}


@use_case(Right.SET_UP)
def ask_vendor_models(workbench: Workbench, prefix: str) -> Sequence[str]:
    """As provider:name, newest first; from now on choices offer these. Raises a ProviderError that says why nobody
    knows: what was known stays."""
    names = tuple(sold_names(prefix, workbench.credentials, SECONDS))
    with _lock:
        _listed[prefix, workbench.credentials.of(prefix)] = names
    return names


def vendor_models(credentials: Credentials, prefix: str) -> Sequence[str]:
    """What the vendor said last of this key; nothing where it wasn't asked."""
    return _listed.get((prefix, credentials.of(prefix)), ())
