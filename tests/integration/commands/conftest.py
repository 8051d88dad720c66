"""The command line as a shell runs it."""

import sys
from collections.abc import Callable

import pytest

from app import cli


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """The console entry with these words: (exit status, stdout, stderr)."""

    def invoke(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["interacteval", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            cli.run()
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return invoke
