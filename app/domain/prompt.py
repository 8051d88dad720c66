"""A prompt ready to be sent, with what it was made from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """`system` holds the part that stays the same from text to text (providers cache it), `user` the rest.

    `variables` are the values it was rendered from: a model that is no LLM reads them instead of prose.
    `digest` is the content hash of the template, so a reply can be traced to the exact wording.
    """

    name: str
    version: int
    digest: str
    system: str
    user: str
    variables: Mapping[str, Any]

    @property
    def label(self) -> str:
        return f"{self.name}@{self.version}"
