"""The pages of the reference about screens, prompts and errors."""

import re

from app import errors
from app.domain.roles_and_rights import RIGHTS, Right
from app.errors import ProviderError, TransientError, UnsupportedError
from app.prompting import load_prompt
from app.prompting.library import available_prompts
from pages.components.shell.navigation.screens import NAVIGATION, RESEARCH, SET_UP, Screen
from tests.support.guide.markdown import code, markdown_table, plain_words

_SCREENS = """# Screens

Behind which door a screen lies, its address, and who can open it on a team's server. On your own computer you open
all of them. Experts open what shows the words of others only once they are done on the dimension.

"""
_PROMPTS = """# Prompts

What models are told. `interacteval prompts show NAME` prints one word for word; the screen Prompts shows it, and
words it anew for a project.

"""
_FAILURES = """# When a model doesn't answer

Each text without a score has a kind of failure. What was scored stays, and what failed can be tried again alone: “Try
the failures again” on Scores, or `interacteval score --resume RUN`. Nothing that was answered is paid twice.

"""
_BY_ITSELF = "Such a request was tried again several times before you saw this."
_IN_VAIN = "Trying again alone doesn't help: something has to be changed first."
_KEYS = "[Models and keys](../administrators.md#models-and-keys) says where keys, addresses and models are set."
_STATUS = """
## Exit status of commands

| status | means |
| --- | --- |
| 0 | done |
| 1 | a fault of the program |
| 2 | something that you can mend: the message says what |
| 3 | some requests to models failed: trying again may help |
| 130 | interrupted; what was done is kept |
"""


def screens_page() -> str:
    rows = [
        (door.title, screen.title, code("/" if screen.name == "overview" else f"/{screen.name}"), _who(screen))
        for door in (*NAVIGATION, RESEARCH, SET_UP)
        for screen in door.screens
    ]
    return _SCREENS + markdown_table(["door", "screen", "address", "opened by"], rows)


def prompts_page() -> str:
    templates = [load_prompt(name) for name in available_prompts()]
    rows = [
        (code(each.name), str(each.version), plain_words(each.description), ", ".join(map(code, each.variables)))
        for each in templates
    ]
    return _PROMPTS + markdown_table(["name", "version", "does", "is given"], rows)


def failures_page() -> str:
    return _FAILURES + "".join(map(_failure, (ProviderError, *_below(ProviderError)))) + _STATUS


def told_of_errors() -> dict[str, str]:
    """Class -> what it is, as the tree in app/errors.py says it in its first line."""
    return dict(re.findall(r"^[ │]*[├└]── (\w+Error) +(\S.*)$", str(errors.__doc__), re.MULTILINE))


def _failure(kind: type[ProviderError]) -> str:
    said = re.sub(r"[;(:].*", "", told_of_errors()[kind.__name__]).strip()
    words = f"{said[0].upper()}{said[1:]}. {kind.default_hint}".strip()
    again = _BY_ITSELF if issubclass(kind, TransientError) else "" if kind.exit_status == 3 else _IN_VAIN
    keys = _KEYS if again == _IN_VAIN and not issubclass(kind, UnsupportedError) else ""
    return f"## {kind.kind}\n\n{' '.join(filter(None, (plain_words(words), again, keys)))}\n\n"


def _below(error: type[ProviderError]) -> list[type[ProviderError]]:
    return [each for child in error.__subclasses__() for each in (child, *_below(child))]


def _who(screen: Screen) -> str:
    roles = [role.value for role, rights in RIGHTS.items() if screen.right in rights]
    return "everybody" if screen.right is Right.SEE else ", ".join(roles)
