"""A provider on this machine, and a workbench that people sign in to with it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.oidc.documents import forget_documents
from app.services.runtime.workbench import Workbench, open_workbench
from app.settings import settings
from tests.support.oidc_browser import HOST
from tests.support.oidc_provider import (
    CLIENT,
    SECRET,
    OidcProviderServer,
    oidc_provider,
)
from tests.support.projects import ready_to_score

Set = Callable[..., None]


@pytest.fixture
def provider() -> Iterator[OidcProviderServer]:
    forget_documents()
    with oidc_provider() as found:
        yield found
    forget_documents()


@pytest.fixture
def set_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: OidcProviderServer) -> Iterator[Set]:
    """Sets the server's variables, in a data folder of the test's own."""

    def changed(**variables: str) -> None:
        for name, value in variables.items():
            monkeypatch.setenv(f"INTERACTEVAL_{name.upper()}", value)
        settings.cache_clear()

    changed(home=str(tmp_path / "home"), access="oidc", address=HOST, contact="the office")
    changed(oidc_discovery=provider.discovery, oidc_client=CLIENT, oidc_secret=SECRET, oidc_allowed="lab.example")
    yield changed
    settings.cache_clear()


@pytest.fixture
def bench(set_up: Set) -> Workbench:
    found = open_workbench()
    ready_to_score(found)
    return found
