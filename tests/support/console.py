"""The command line as a person starts it, in the tests' own process."""

import sys
from collections.abc import Callable
from functools import cache

import pytest
import typer

from app import cli

Run = Callable[..., tuple[int, str, str]]
"""Words of a command -> (exit status, stdout, stderr)."""


@cache
def _commands() -> Callable[..., int | None]:
    """Built once; a person's process builds them each time, which takes longer than most of the tests' commands."""
    return typer.main.get_command(cli.build())


def console(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The console entry."""
    commands = _commands()
    monkeypatch.setattr(cli, "build", lambda: commands)

    def invoke(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["interacteval", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            cli.run()
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return invoke
