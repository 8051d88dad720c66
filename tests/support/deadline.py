"""A pytest plugin (`-p tests.support.deadline`): skips the tests that would start after a deadline."""

import os
import time

import pytest

UNTIL = "TESTS_START_UNTIL"
"""The variable that holds the deadline, in seconds since the epoch."""
REASON = "no time was left"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip before any fixture is made."""
    if time.time() >= float(os.environ[UNTIL]):
        pytest.skip(f"{REASON} for {item.nodeid}")
