"""What errors advise can be done: each option that one names is an option of some command."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import typer

from app import errors
from app.cli import build
from tests.support.repository import name_of, parsed, python_files

_RAISED = {name for name, kind in vars(errors).items() if isinstance(kind, type)}


def options(command: Any) -> Iterator[str]:
    for parameter in command.params:
        yield from (*parameter.opts, *parameter.secondary_opts)
    for inner in getattr(command, "commands", {}).values():
        yield from options(inner)


@cache
def known_options() -> frozenset[str]:
    return frozenset(options(typer.main.get_command(build())))


def advice(tree: ast.AST) -> Iterator[str]:
    """The strings that errors are made of, and the hints that stand for a whole kind of them."""
    for node in ast.walk(tree):
        made = isinstance(node, ast.Call) and getattr(node.func, "id", "") in _RAISED
        usual = isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "default_hint"
        for inner in ast.walk(node) if made or usual else ():
            if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                yield inner.value


def test_every_option_that_an_error_names_exists(subtests: pytest.Subtests) -> None:
    for file in python_files("app"):
        if "--" in file.read_text(encoding="utf-8"):
            with subtests.test(name_of(file)):
                named = re.findall(
                    r"(?<![\w-])--[a-z][a-z-]*", re.sub(r"`pg_[^`]*`", "", "\n".join(advice(parsed(file))))
                )
                assert set(named) <= known_options()


@pytest.mark.parametrize("error", [errors.CutOffError, errors.ModelTimeoutError])
@pytest.mark.parametrize("command", ["score", "think-aloud", "build", "conditions run"])
def test_the_usual_hint_names_an_option_of_the_very_command_that_asks_a_model(
    command: str, error: type[errors.ProviderError]
) -> None:
    asked: Any = typer.main.get_command(build())
    for name in command.split():
        asked = asked.commands[name]
    (named,) = re.findall(r"--[a-z-]+", error("It failed.").hint)
    assert named in set(options(asked))
