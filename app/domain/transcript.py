"""What an expert said aloud, and the attributes proposed from it."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Transcript:
    """`audio` is the name of the kept recording, "" for a pasted text; `error` says why it isn't text yet.

    `waiting` counts the proposals from it that nobody has decided on.
    """

    id: int
    dimension_id: int
    expert: str
    text: str
    audio: str = ""
    model: str = ""
    error: str = ""
    created_at: datetime | None = None
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class ProposedAttribute:
    """`words` are the part of the transcript it came from. It counts for nothing until the expert accepts it.

    `attribute_id`: what it became; None while nobody has decided, or where it was declined.
    """

    text: str
    words: str
    id: int = 0
    attribute_id: int | None = None
    declined: bool = False

    @property
    def open(self) -> bool:
        return self.attribute_id is None and not self.declined
