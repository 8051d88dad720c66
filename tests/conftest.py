"""Shared by all tests: none reaches beyond this machine, none sees the developer's keys or database."""

import gc
import os
from collections.abc import Generator, Iterator
from functools import cache
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from typer import testing

from app.evaluators.reference_metrics import compute_in_this_process
from app.providers.adapters.request_style import forget_styles
from app.providers.specs import KNOWN_PROVIDERS
from app.settings import Settings, settings
from db import engine, foreign_file, unit_of_work
from tests.support import migrated, network_guard, shared_statements

_HOMES = count()
CHILD_PROCESSES = Path(__file__).parent / "support" / "child_processes"

network_guard.install()

# A terminal of this width without colours, and no proxy before servers of this machine, in processes of tests too.
os.environ["COLUMNS"] = "80"
for _name in ("FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "TERMINAL_WIDTH", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
    os.environ.pop(_name, None)
    os.environ.pop(_name.lower(), None)

# A busy machine is no reason to fail: `interacteval bench` measures speed. Cases are the same each time, so that
# a test fails only by a change; with NEW_CASES=1 they are new.
hypothesis_settings.register_profile(
    "same cases",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="NEW_CASES" not in os.environ,
    database=None,
)
hypothesis_settings.load_profile("same cases")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect garbage rarely, and never among modules and collected tests: Python's default thresholds cost 5 % of the
    time. Set them before the imports, because the app reads them when it is imported."""
    gc.disable()
    gc.set_threshold(20_000, 20, 100)
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _fresh_machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Holds for fixtures of any scope, which run before those of a test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(CHILD_PROCESSES))
        _clear_settings(patch, tmp_path_factory.mktemp("home"))
        patch.setattr(unit_of_work, "create_private_file", migrated.create_private_file)
        patch.setattr(foreign_file, "create_empty", migrated.create_empty)
        patch.setattr(engine, "create_engine", shared_statements.create_engine)
        patch.setattr(testing, "_get_command", cache(testing._get_command))  # Typer makes 120 commands each time
        compute_in_this_process()  # other processes for metrics take seconds to start
        yield
    settings.cache_clear()


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test has a home folder of its own, not yet made: most need none, and no folder of their own either."""
    _clear_settings(monkeypatch, tmp_path_factory.getbasetemp() / f"home-{next(_HOMES)}")
    forget_styles()  # a server of another test may have had the same port
    yield
    settings.cache_clear()


@pytest.fixture(autouse=True)
def network_attempts() -> Iterator[list[str]]:
    """Where the test tried to go beyond this machine; it fails unless the list is empty at its end."""
    network_guard.attempts.clear()
    yield network_guard.attempts
    if network_guard.attempts:
        pytest.fail(f"The test reached beyond this machine: {', '.join(network_guard.attempts)}")


def _clear_settings(patch: pytest.MonkeyPatch, home: Path) -> None:
    """None of the variables that the settings read, but a home away from the developer's."""
    names = {str(field.validation_alias) for field in Settings.model_fields.values()}
    names |= {name for spec in KNOWN_PROVIDERS.values() for name in (*spec.key_variables, spec.url_variable)}
    for name in os.environ.keys() & names:
        patch.delenv(name)
    patch.setenv("INTERACTEVAL_HOME", str(home))
    patch.setenv("INTERACTEVAL_LOCAL_PORTS", "none")  # the developer may run a model server
    settings.cache_clear()
