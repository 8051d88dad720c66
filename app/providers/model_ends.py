"""When a vendor removes a model: what its list says, else a table with sources (model_ends.yaml)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

import yaml

from app.providers.known_prices import today
from app.providers.pricing import SNAPSHOT

_TABLE = Path(__file__).with_name("model_ends.yaml")
_LISTED: dict[str, date] = {}
"""What vendors' lists said in this process, by provider:name."""


@dataclass(frozen=True, slots=True)
class ModelEnd:
    """The last day of a model. successor: the model that the vendor names in its place, "" where nobody knows one."""

    day: date
    successor: str = ""

    @property
    def past(self) -> bool:
        return self.day <= today()


def note_ends(prefix: str, ends: Mapping[str, date]) -> None:
    """Remember what a vendor's list says of its models, for this process."""
    _LISTED.update({f"{prefix}:{name}": day for name, day in ends.items()})


def end_of(model: str) -> ModelEnd | None:
    """Return when the model (provider:name) ends; None where nothing is known of an end."""
    known = known_ends().get(model) or known_ends().get(SNAPSHOT.sub("", model))
    listed = _LISTED.get(model)
    if listed is not None:
        return ModelEnd(listed, known.successor if known else "")
    return known


def end_label(model: str) -> str:
    """Return what stands behind a model's name in a list: "until 14 Jan 2027", "removed 23 Oct 2026", or ""."""
    end = end_of(model)
    return "" if end is None else f"{'removed' if end.past else 'until'} {end.day.day} {end.day:%b %Y}"


def end_warning(model: str) -> str:
    """Return a sentence that warns of the end of a model, or "" where none is known."""
    end = end_of(model)
    if end is None:
        return ""
    ends = "was removed" if end.past else "will be removed"
    instead = f" Its vendor names {end.successor} in its place." if end.successor else ""
    return f"{model} {ends} by its vendor on {end.day.day} {end.day:%B %Y}.{instead}"


@cache
def known_ends() -> Mapping[str, ModelEnd]:
    """Return the table, by provider:name."""
    table = yaml.safe_load(_TABLE.read_text(encoding="utf-8"))["ends"]
    return {model: ModelEnd(day, successor) for day, models in table.items() for model, successor in models.items()}
