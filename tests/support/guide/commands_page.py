"""The page of the reference about commands: each with what it does, how it is written and all of its options."""

import re
from collections.abc import Iterator
from typing import Any

import typer

from app.cli import build
from tests.support.guide.markdown import anchor_of, code, markdown_table, plain_words

_ABOUT = """# Commands

Everything that the screens do can be done in a terminal. `interacteval --help` lists the commands, and each says with
`--help` what stands here. With `--json` a command prints one [JSON document](documents.md) and nothing else.

"""


_EXAMPLE = re.compile(r"(?:^|\s)([A-Z][\w ]*): (?=interacteval )")


def all_commands() -> list[tuple[str, Any]]:
    """(its words, the command), in the order in which they are listed."""
    return list(_inside(typer.main.get_command(build()), ""))


def commands_page() -> str:
    return _ABOUT + "".join(f"## {words}\n\n{_about(words, command)}" for words, command in all_commands())


def _inside(group: Any, words: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _inside(command, f"{words} {name}".strip())
        elif not command.hidden:
            yield f"{words} {name}".strip(), command


def _about(words: str, command: Any) -> str:
    said, examples = examples_of(command.help or "")
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    given = "".join(f" {_of_argument(each)}" for each in arguments)
    options = " [OPTIONS]" if len(arguments) < len(command.params) else ""
    usage = f"```text\ninteracteval {words}{given}{options}\n```\n\n"
    shown = "".join(f"{of}:\n\n```sh\n{line}\n```\n\n" for of, line in examples)
    rows = [(_names(each), _default(each), plain_words(each.help or "")) for each in command.params]
    table = markdown_table(["option", "without it", "is"], rows) if rows else ""
    document = f"[What `--json` prints](documents.md#{anchor_of(words)})\n\n" if prints_json(command) else ""
    return f"{plain_words(said.strip())}\n\n{usage}{shown}{table}{document}"


def examples_of(said: str) -> tuple[str, list[tuple[str, str]]]:
    """(what it does, (of what, command) of each example), each command on one line that can be copied."""
    about, *parts = _EXAMPLE.split(said)
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return about, [("For example" if of == "Example" else of, " ".join(line.split())) for of, line in pairs]


def prints_json(command: Any) -> bool:
    return any("--json" in each.opts for each in command.params)


def _of_argument(argument: Any) -> str:
    name = (argument.metavar or argument.name).rstrip("_").upper()
    return (name if argument.required else f"[{name}]") + ("..." if argument.nargs != 1 else "")


def _names(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return code(_of_argument(parameter))
    return ", ".join(map(code, [*parameter.opts, *parameter.secondary_opts]))


def _default(parameter: Any) -> str:
    value = parameter.default
    if parameter.required:
        return "needed"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or callable(value) or value in ("", [], ()):
        return "–"
    return code(str(value))
