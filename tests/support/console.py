"""The command line as a person starts it, in the tests' own process."""

import sys
from collections.abc import Callable

import pytest

from app import cli

Run = Callable[..., tuple[int, str, str]]
"""Words of a command -> (exit status, stdout, stderr)."""


def console(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The console entry."""

    def invoke(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["interacteval", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            cli.run()
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return invoke
