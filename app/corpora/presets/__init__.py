"""Ready-made tasks with the rubrics of their dimensions."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from app.domain.project import Dimension, Task
from app.errors import NotFoundError

PRESETS: tuple[str, ...] = (
    "news summaries",
    "learner essays",
    "dialogue",
    "stories",
    "data to text",
    "factual consistency",
    "translation",
)


@dataclass(frozen=True, slots=True)
class Preset:
    """Names, dimensions and rubrics for a kind of texts. The wording is a start: people adapt it to their data."""

    name: str
    task: Task
    dimensions: tuple[Dimension, ...]


OF_DATA_SETS: tuple[str, ...] = ("turns and dialogues",)
"""Presets of known data sets only; they aren't offered to people."""


@cache
def load_preset(name: str) -> Preset:
    """Return one of PRESETS, or of a known data set. Raises NotFoundError for another name."""
    if name not in (*PRESETS, *OF_DATA_SETS):
        raise NotFoundError(f"There is no preset {name!r}.", f"Choose one of: {', '.join(PRESETS)}.")
    file = files(__package__).joinpath(f"{name.replace(' ', '_')}.yaml")
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    dimensions = tuple(
        Dimension(entry["name"], entry["rubric"].strip(), float(entry["low"]), float(entry["high"]), position)
        for position, entry in enumerate(content["dimensions"])
    )
    return Preset(name, Task(**content["task"]), dimensions)


@cache
def paper_definitions(paper: str) -> dict[str, str]:
    """Return a paper's definitions of dimensions: lower-case name -> definition, also by its other names.

    Raises NotFoundError for a paper that isn't in PAPERS.
    """
    if paper not in PAPERS:
        raise NotFoundError(f"There are no definitions of {paper!r}.", f"Choose one of: {', '.join(PAPERS)}.")
    aspects = _definitions()[paper]["aspects"]
    return {name: each["definition"] for each in aspects for name in (each["name"], *each.get("also", ()))}


def _definitions() -> dict[str, Any]:
    content = files(__package__).joinpath("definitions.yaml").read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.safe_load(content)
    return found


PAPERS: dict[str, str] = {name: entry["title"] for name, entry in _definitions().items()}
"""Papers whose definitions can replace a preset's rubrics -> their titles."""

__all__ = ["PAPERS", "PRESETS", "Preset", "load_preset", "paper_definitions"]
