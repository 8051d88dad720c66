"""The command line as a shell runs it."""

import pytest

from tests.support.console import Run, console


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The console entry with these words: (exit status, stdout, stderr)."""
    return console(monkeypatch, capsys)
