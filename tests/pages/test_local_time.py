"""Moments are shown by the clock of whoever looks."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
import streamlit as st

from pages.components.shell import labels

NOON = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "shown"),
    [("Asia/Tokyo", "01 Jul, 21:00"), ("America/New_York", "01 Jul, 08:00"), ("UTC", "01 Jul, 12:00")],
)
def test_a_moment_is_shown_in_the_browsers_zone(monkeypatch: pytest.MonkeyPatch, zone: str, shown: str) -> None:
    monkeypatch.setattr(st, "context", SimpleNamespace(timezone=zone))
    assert labels.said(NOON) == shown
    assert labels.clock(NOON).strftime(labels.SHORT) == shown
    assert labels.clock(NOON).tzinfo is None


@pytest.mark.parametrize("zone", [None, "", "Mars/Olympus", "../etc/passwd"])
def test_without_a_zone_that_is_known_it_is_this_machines(monkeypatch: pytest.MonkeyPatch, zone: str | None) -> None:
    monkeypatch.setattr(st, "context", SimpleNamespace(timezone=zone))
    assert labels.local(NOON) == NOON
    assert labels.said(NOON) == NOON.astimezone().strftime(labels.SHORT)
