"""A provider on this machine, and a workbench that people sign in to with it."""

from collections.abc import Callable, Iterator

import pytest

from app.oidc import forget_documents
from tests.support.oidc_browser import HOST
from tests.support.oidc_provider import (
    CLIENT,
    SECRET,
    OidcProviderServer,
    oidc_provider,
)

Set = Callable[..., None]


@pytest.fixture
def provider() -> Iterator[OidcProviderServer]:
    forget_documents()
    with oidc_provider() as found:
        yield found
    forget_documents()


@pytest.fixture
def set_up(set_up: Set, provider: OidcProviderServer) -> Set:
    """As elsewhere, where people sign in with this provider."""
    set_up(access="oidc", address=HOST, contact="the office", oidc_discovery=provider.discovery)
    set_up(oidc_client=CLIENT, oidc_secret=SECRET, oidc_allowed="lab.example")
    return set_up
