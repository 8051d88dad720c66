"""The values that every prompt carries, read from a request's variables."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Context:
    """What the texts are and which dimension is looked at."""

    text_name: str
    source_name: str
    dimension: str
    rubric: str
    language: str = "English"

    def fill(self, template: str) -> str:
        """A catalogue phrase with the task's own words for text and source."""
        return template.replace("{text}", self.text_name).replace("{source}", self.source_name)


def context_of(variables: Mapping[str, Any]) -> Context:
    """Read task and dimension; empty names become "text" and "source"."""
    task, dimension = variables["task"], variables["dimension"]
    return Context(
        text_name=_spoken(task["text_name"]) or "text",
        source_name=_spoken(task["source_name"]) or "source",
        dimension=dimension["name"],
        rubric=dimension["rubric"],
        language=str(task.get("language") or "English"),
    )


def _spoken(name: str) -> str:
    """A name as it stands inside a sentence: one line, no article, small letters unless an acronym."""
    line = " ".join(str(name).split()).removeprefix("the ").removeprefix("The ")
    if line[:2].isupper():
        return line
    return line.lower() if line.istitle() else line[:1].lower() + line[1:]
