"""Unit tests open no database and serve nothing."""

from collections.abc import Iterator

import pytest

from tests.support.unit_guard import guarded


@pytest.fixture(autouse=True)
def opened_in_unit_test() -> Iterator[list[str]]:
    """What the test tried to open; it fails unless the list is empty at its end, also if it caught the refusal."""
    with guarded() as opened:
        yield opened
    if opened:
        pytest.fail(opened[0])
