"""Task and dimensions: the names of the texts that are judged, and the qualities they are rated on."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Task:
    """What the texts are. Its words go into every prompt and every screen, `writer_name` into screens alone."""

    text_name: str = "text"
    source_name: str = "source"
    description: str = ""
    language: str = "English"
    writer_name: str = "system"

    @property
    def texts_name(self) -> str:
        """What several texts are called: essays, stories."""
        return _several(self.text_name)

    @property
    def sources_name(self) -> str:
        """What several sources are called: articles, assignments."""
        return _several(self.source_name)

    @property
    def writers_name(self) -> str:
        """What those who wrote the texts are called: systems, agents, students."""
        return _several(self.writer_name)


def _several(word: str) -> str:
    ends_in_y = word[-1:] == "y" and word[-2:-1] not in tuple("aeiou")
    return f"{word[:-1]}ies" if ends_in_y else f"{word}s"


@dataclass(frozen=True, slots=True)
class Dimension:
    """One quality to rate. `id` is 0 until it is stored; `low` and `high` bound the scores."""

    name: str
    rubric: str = ""
    low: float = 1.0
    high: float = 5.0
    position: int = 0
    id: int = 0
