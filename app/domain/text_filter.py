"""Which texts a run or a result is about: by system, source and other marks."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeVar

from app.errors import InputError


class _OfSystem(Protocol):
    @property
    def system_id(self) -> str: ...


OfSystem = TypeVar("OfSystem", bound=_OfSystem)


@dataclass(frozen=True, slots=True)
class SystemChoice:
    """The systems whose texts are scored or compared: those in `only`, or all if it is empty, except those in
    `without`."""

    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def of(self, texts: Sequence[OfSystem]) -> list[OfSystem]:
        """Return the texts of the chosen systems, in their order."""
        only, without = set(self.only), set(self.without)
        return [text for text in texts if text.system_id not in without and (not only or text.system_id in only)]

    def check(self, there: Collection[str]) -> None:
        """Raise InputError if a chosen name isn't in `there`, the systems of the texts, or if no system is left."""
        if unknown := [name for name in (*self.only, *self.without) if name not in there]:
            known = ", ".join(sorted(filter(None, there))[:20]) or "none"
            raise InputError(f"No text here is by the system “{unknown[0]}”.", f"Systems of these texts: {known}.")
        if self != EVERY_SYSTEM and not (set(self.only) or set(there)) - set(self.without):
            raise InputError("Every system is left out, so no text is left.", "Leave out fewer of them.")

    def params(self) -> dict[str, Any]:
        """Return the choice as stored with a run."""
        lists = {"systems": list(self.only), "without_systems": list(self.without)}
        return {name: names for name, names in lists.items() if names}

    @property
    def words(self) -> tuple[str, ...]:
        """Return the choice as parts of labels and signatures: ("system=A", "without=B")."""
        return (*(f"system={name}" for name in self.only), *(f"without={name}" for name in self.without))


EVERY_SYSTEM = SystemChoice()


@dataclass(frozen=True, slots=True)
class TextFilter:
    """The filter of texts for a run. new: only texts that no run of the same method, judge and checklist has scored.
    since: only texts imported at or after this time. matching: (part of a text's name or column of its file, pattern
    with * and ?); all of them have to match."""

    new: bool = False
    since: datetime | None = None
    matching: tuple[tuple[str, str], ...] = ()

    def params(self) -> dict[str, Any]:
        """Return the filter as stored with a run."""
        return {
            **({"new": True} if self.new else {}),
            **({"since": self.since.isoformat()} if self.since else {}),
            **({"matching": [list(pair) for pair in self.matching]} if self.matching else {}),
        }

    @classmethod
    def of_run(cls, params: Mapping[str, Any]) -> "TextFilter":
        """Return the filter stored with a run."""
        since = params.get("since")
        matching = tuple((str(name), str(pattern)) for name, pattern in params.get("matching", ()))
        return cls(bool(params.get("new")), datetime.fromisoformat(since) if since else None, matching)

    @property
    def words(self) -> tuple[str, ...]:
        """Return the filter as parts of labels and signatures: ("new", "since=2026-11-26", "doc_id=night-*")."""
        since = (f"since={self.since.date().isoformat()}",) if self.since else ()
        return (*(("new",) if self.new else ()), *since, *(f"{name}={pattern}" for name, pattern in self.matching))


EVERY_TEXT = TextFilter()
