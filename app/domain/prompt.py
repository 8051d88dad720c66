"""A prompt ready to be sent, with what it was made from."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """`system` holds the part that stays the same from text to text (providers cache it), `user` the rest.

    `variables` are the values it was rendered from: a model that is no LLM reads them instead of prose.
    `digest` is the content hash of the template, so a reply can be traced to the exact wording. `own` is the number
    of a project's own wording, 0 for the built-in one.
    """

    name: str
    version: int
    digest: str
    system: str
    user: str
    variables: Mapping[str, Any]
    own: int = 0

    @property
    def label(self) -> str:
        return prompt_label(self.name, self.version, self.own)


@dataclass(frozen=True, slots=True)
class OwnPrompt:
    """A project's own wording of a prompt: the whole prompt file as text. The one in use counts, if any."""

    name: str
    number: int
    source: str
    digest: str
    in_use: bool
    created_at: datetime


def prompt_label(name: str, version: int, own: int) -> str:
    """As stored with every output: name@version of the built-in prompt, +ownN where a project worded it anew."""
    return f"{name}@{version}" + (f"+own{own}" if own else "")
