"""A workbench on a database of the test's own, whose `llama:` models a server on this machine answers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.services.runtime.workbench import Workbench
from tests.support.fake_llm.behaviour import Answer
from tests.support.fake_llm.server import FakeLlm, Usual
from tests.support.modern_vendors import ModernVendors, modern_vendors
from tests.support.projects import ready_to_score, workbench_at


@pytest.fixture
def usual() -> Usual:
    """What the LLM answers; a file of tests with another answer in mind overrides this fixture alone."""
    return Answer()


@pytest.fixture
def llm(usual: Usual) -> Iterator[FakeLlm]:
    with FakeLlm(usual=usual) as server:
        yield server


@pytest.fixture(scope="session")
def vendors() -> Iterator[ModernVendors]:
    """A stand-in of the vendors' APIs; each test asks it with options of its own, which tell the tests apart."""
    with modern_vendors() as running:
        yield running


@pytest.fixture
def workbench(llm: FakeLlm, tmp_path: Path) -> Iterator[Workbench]:
    """An empty one."""
    made = workbench_at(tmp_path, f"{llm.url}/v1")
    yield made
    made.database.close()


@pytest.fixture
def bench(workbench: Workbench) -> Workbench:
    """One with project 1, "Ready": twelve rated texts and a checklist of three questions."""
    ready_to_score(workbench)
    return workbench
