"""Every test here runs once for each adapter, against the same local provider."""

from collections.abc import Iterator

import pytest

from tests.support.adapter_cases import ADAPTERS, AdapterCase
from tests.support.fake_llm.server import FakeLlm
from tests.support.modern_vendors import ModernVendors, modern_vendors


@pytest.fixture(params=sorted(ADAPTERS))
def case(request: pytest.FixtureRequest) -> AdapterCase:
    return ADAPTERS[request.param]


@pytest.fixture
def server() -> Iterator[FakeLlm]:
    with FakeLlm() as running:
        yield running


@pytest.fixture(scope="session")
def modern() -> Iterator[ModernVendors]:
    with modern_vendors() as running:
        yield running
