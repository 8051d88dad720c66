"""Command lines in documents: what in them the program doesn't know, of commands, options and values that are names."""

import re
import shlex
import typing
from enum import Enum
from functools import cache
from itertools import pairwise
from typing import Any

import typer

from app.cli import build
from app.corpora.formats.registry import KNOWN_FORMATS
from app.corpora.presets import PRESETS
from app.domain.roles_and_rights import Role
from app.evaluators.registry import METHODS

CODE = re.compile(r"```\w*\n(.*?)```|`([^`\n]+(?:\n[^`\n]+)?)`", re.DOTALL)
_NAMES = {"--evaluator": METHODS, "--preset": PRESETS, "--role": [role.value for role in Role]}
_LISTED_IN_HELP = ("--format", "what")
_OF_DASK = {"--tls-ca-file", "--tls-cert", "--tls-key"}
"""Options of another program that a document names alone."""
_PLACEHOLDER = re.compile(r"[A-Z]+|\.\.\.")


def code_in(text: str) -> list[str]:
    """Code in a document, a line each; what goes on behind a backslash is one line."""
    found = [block or span for block, span in CODE.findall(text)]
    return [line.strip() for text in found for line in text.replace("\\\n", " ").splitlines()]


def spans_in(text: str) -> list[str]:
    """Code inside sentences and cells of tables, a line each."""
    return [" ".join(span.split()).replace("\\|", "|") for _, span in CODE.findall(text) if span]


def unknown_commands(text: str) -> list[str]:
    """Of the lines that call the program, of the spans that name a command or an option alone."""
    shown = [re.sub(r"^\S*/(?=interacteval)", "", line) for line in code_in(text)]
    lines = [line for line in shown if line.startswith("interacteval ")]
    named = [span for span in spans_in(text) if _names_a_command(span)]
    lines += [f"interacteval {line}" for span in named for line in _alternatives(span)]
    bare = [span for span in spans_in(text) if span.startswith("--")]
    return [unknown for line in lines for unknown in unknown_words(line)] + [
        unknown for span in bare for unknown in _unknown_option(span)
    ]


def unknown_words(line: str) -> list[str]:
    """The words of a command line that the program doesn't know."""
    bare = line.replace("[", "").replace("]", "")
    words = shlex.split(bare.partition(" #")[0].partition(" | ")[0])[1:]
    command, spoken = _commands(), []
    while words and isinstance(command, typer.core.TyperGroup):
        if words[0].startswith("-"):
            break
        spoken.append(words.pop(0))
        if spoken[-1] not in command.commands:
            return [" ".join(spoken)]
        command = command.commands[spoken[-1]]
    options = _options_of(command)
    asked = {word.partition("=")[0] for word in words if word.startswith("--")}
    unknown = [option for option in asked if option not in options and option != "--help"]
    given = [(options[name], name, value) for name, value in pairwise(words) if name in options]
    if words and not words[0].startswith("-"):
        arguments = [each for each in command.params if each.param_type_name == "argument"]
        given += [(each, str(each.name), words[0]) for each in arguments[:1]]
    unknown += [f"{name} {value}" for parameter, name, value in given if _is_unknown(parameter, name, value)]
    return [f"{' '.join(spoken)} {each}" for each in unknown]


@cache
def _commands() -> typer.core.TyperGroup:
    tree = typer.main.get_command(build())
    assert isinstance(tree, typer.core.TyperGroup)
    return tree


def _options_of(command: Any) -> dict[str, Any]:
    return {option: each for each in command.params for option in (*each.opts, *each.secondary_opts)}


@cache
def _all_options() -> dict[str, list[Any]]:
    """Option -> what each command that has it takes."""
    found: dict[str, list[Any]] = {}
    waiting: list[Any] = [_commands()]
    while waiting:
        command = waiting.pop()
        waiting += getattr(command, "commands", {}).values()
        for option, parameter in _options_of(command).items():
            found.setdefault(option, []).append(parameter)
    return found


def _names_a_command(span: str) -> bool:
    """`checklist export`, `attributes edit|move`; a formula that begins with such a word is none."""
    first, _, rest = span.partition(" ")
    group = _commands().commands.get(first)
    return group is not None and bool(rest) and re.match(r"[\w-]", rest) is not None


def _alternatives(span: str) -> list[str]:
    """`edit|move` is two commands."""
    place = next((word for word in span.split() if "|" in word and not word.startswith("-")), "")
    return [span.replace(place, each) for each in place.split("|")] if place else [span]


def _unknown_option(span: str) -> list[str]:
    option, _, value = span.partition(" ")
    takers = _all_options().get(option.partition("=")[0], [])
    if not takers:
        return [option] if option not in {*_OF_DASK, "--help"} else []
    first = value.split(" ")[0]
    return [span] if first and all(_is_unknown(each, option, first) for each in takers) else []


def _is_unknown(parameter: Any, name: str, value: str) -> bool:
    """Only of values that are names out of a list."""
    if _PLACEHOLDER.fullmatch(value):
        return False
    if name in _NAMES:
        return value not in _NAMES[name]
    if name in _LISTED_IN_HELP:
        return value not in re.findall(r"[\w-]+", parameter.help) and value not in KNOWN_FORMATS
    choices = _choices(parameter.type_descriptor.annotation)
    return bool(choices) and value not in choices


def _choices(annotation: Any) -> set[Any]:
    if typing.get_origin(annotation) is typing.Literal:
        return set(typing.get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return {each.value for each in annotation}
    return {choice for part in typing.get_args(annotation) for choice in _choices(part)}
