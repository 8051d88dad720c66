"""A project's own wordings, in force for the length of a block (docs/adr/0008-own-prompts.md).

Every method loads its prompts by name. Inside the block they get the project's wording, outside the built-in one. What
is begun inside, tasks and threads of asyncio included, sees the same. What was planned with earlier versions of the
built-in prompts gets those.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PromptWording:
    """`number` counts a project's wordings of one prompt from 1; `source` is the whole prompt file as text."""

    number: int
    source: str


_IN_FORCE: ContextVar[Mapping[str, PromptWording] | None] = ContextVar("wordings", default=None)
_VERSIONS: ContextVar[Mapping[str, int] | None] = ContextVar("versions", default=None)


@contextmanager
def worded(own: Mapping[str, PromptWording], versions: Mapping[str, int] | None = None) -> Iterator[None]:
    """Prompts of these names are loaded in these wordings; all others are built-in, of these versions, else the
    newest."""
    tokens = _IN_FORCE.set(own), _VERSIONS.set(versions)
    try:
        yield
    finally:
        _IN_FORCE.reset(tokens[0])
        _VERSIONS.reset(tokens[1])


def own_wording(name: str) -> PromptWording | None:
    return (_IN_FORCE.get() or {}).get(name)


def version_in_force(name: str) -> int | None:
    """None for the newest."""
    return (_VERSIONS.get() or {}).get(name)
