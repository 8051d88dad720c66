"""Task and dimensions: the names of the texts that are judged, and the qualities they are rated on."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Task:
    """What the texts are. Its words go into every prompt and every screen."""

    text_name: str = "text"
    source_name: str = "source"
    description: str = ""
    language: str = "English"


@dataclass(frozen=True, slots=True)
class Dimension:
    """One quality to rate. `id` is 0 until it is stored; `low` and `high` bound the scores."""

    name: str
    rubric: str = ""
    low: float = 1.0
    high: float = 5.0
    position: int = 0
    id: int = 0
