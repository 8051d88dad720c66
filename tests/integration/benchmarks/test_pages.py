"""The benchmark of the screens runs, with a browser and without, and names what was measured."""

import json

import pytest

from app.services.demo import prepare_demo
from pages.components.shell.navigation.screens import SCREENS
from tests.benchmarks import pages, screens_in_browser
from tests.benchmarks.__main__ import run_benchmark

pytestmark = pytest.mark.long


def test_pages_says_what_it_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "TEXTS", 40)
    monkeypatch.setattr(pages, "run_demo", prepare_demo)
    monkeypatch.setattr(screens_in_browser, "ROUNDS", 2)
    monkeypatch.setattr(screens_in_browser, "QUIET_MS", 20)
    measured = run_benchmark("pages")
    json.dumps(measured, allow_nan=False)
    assert (measured["scores"], measured["judgments"]) == (160, 1600)
    if isinstance(measured["screens"], dict):  # a sentence where there is no browser
        assert measured["screens"].keys() == {"every screen", *SCREENS}
        assert all(times["first"] and times["warm"] for times in measured["screens"].values())
    assert "without a browser" in measured["measured"]["screen"]
    assert {"results, opened", "texts, one system"} <= measured["screen"].keys()
    assert all(times["cpu_seconds"] > 0 for times in measured["screen"].values())
    assert all(set(times) == {"first", "again"} for times in measured["seconds"].values())
