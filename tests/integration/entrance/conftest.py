"""A server's variables, set for one test, and a workbench with a project on it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.services.runtime.workbench import Workbench, open_workbench
from app.settings import settings
from tests.support.projects import ready_to_score

Set = Callable[..., None]


@pytest.fixture
def set_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Set]:
    """Sets the server's variables, in a data folder of the test's own."""

    def changed(**variables: str) -> None:
        for name, value in variables.items():
            monkeypatch.setenv(f"INTERACTEVAL_{name.upper()}", value)
        settings.cache_clear()

    changed(home=str(tmp_path / "home"), access="invite")
    yield changed
    settings.cache_clear()


@pytest.fixture
def bench(set_up: Set) -> Workbench:
    found = open_workbench()
    ready_to_score(found)
    return found
