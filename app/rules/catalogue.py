"""The rules of the built-in judge, and the themes they belong to: rules.yaml and themes.yaml."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from importlib.resources import files
from typing import Any

import numpy as np
import yaml

from app.rules import measures
from app.rules.rule_input import Measure, Reading

STRONG, WEAK = 3.0, 1.0


class GoodDirection(StrEnum):
    """The good direction of a measured value."""

    MORE = "more"
    LESS = "less"


class Unit(StrEnum):
    """The unit in which a limit is written."""

    SHARE = "share"
    COUNT = "count"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class Theme:
    """A topic of several rules, which names components. `question` is its key question, with {text} and {source} to
    fill; themes of one family are about the same side of quality."""

    id: str
    family: str
    name: str
    description: str
    question: str


@dataclass(frozen=True)
class Rule:
    """One documented text rule.

    description: what it looks at, in plain words.
    strong, weak: words that tie a question, an attribute or a rubric to it, separated by semicolons; a final * stands
        for any ending.
    limits: five limits of the measured value from lenient to strict, spread over what real texts show (SummEval,
        Topical-Chat, ELLIPSE), so that they tell texts apart.
    allowed: how a limit is said, with {limit}.
    questions, attributes: phrasings with {text} and {source}; yes is good.
    """

    id: str
    theme: str
    description: str
    strong: str
    weak: str
    measure: Measure
    better: GoodDirection
    limits: tuple[float, float, float, float, float]
    unit: Unit
    allowed: str
    questions: tuple[str, ...]
    attributes: tuple[str, ...]

    def limit(self, strictness: float) -> float:
        """Return the limit at a strictness from 0 (lenient) to 1 (strict), interpolated linearly between the five."""
        return float(np.interp(strictness, (0.0, 0.25, 0.5, 0.75, 1.0), self.limits))

    def passes(self, reading: Reading, limit: float) -> bool:
        """Return whether the value is on the good side of the limit; a rule that doesn't apply passes."""
        if not reading.applies:
            return True
        return reading.value >= limit if self.better is GoodDirection.MORE else reading.value <= limit

    def reason(self, reading: Reading, limit: float) -> str:
        """Return the finding and the limit in words."""
        if not reading.applies:
            return f"Nothing to object: {reading.finding}."
        finding = self._apart(reading, limit)
        return f"{finding[:1].upper()}{finding[1:]}; {self.allowed.format(limit=self._said(limit))}."

    def _apart(self, reading: Reading, limit: float) -> str:
        """Return the finding, with enough decimals to differ from the limit: 2 of 3 are 66.7 %, not at least 67 %."""
        rounded = f"{100 * reading.value:.0f} %"
        if self.unit is not Unit.SHARE or reading.value == limit:
            return reading.finding
        exact = (f"{100 * reading.value:.{digits}f} %" for digits in range(4))
        shown = next((words for words in exact if words != self._said(limit)), rounded)
        return reading.finding.replace(rounded, shown, 1)

    def _said(self, limit: float) -> str:
        if self.unit is Unit.SHARE:
            return f"{100 * limit:.3g} %"
        return f"{limit:.2g}" if limit < 10 else f"{limit:.0f}"

    @cached_property
    def patterns(self) -> tuple[tuple[re.Pattern[str], float], ...]:
        """Return the keywords as patterns with their weights: 3 for strong, 1 for weak."""
        weighed = ((self.strong, STRONG), (self.weak, WEAK))
        return tuple((_pattern(word.strip()), weight) for listed, weight in weighed for word in listed.split(";"))


def _pattern(keyword: str) -> re.Pattern[str]:
    ending = r"\w*\b" if keyword.endswith("*") else r"\b"
    return re.compile(r"\b" + re.escape(keyword.rstrip("*")) + ending)


def _entries(name: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = yaml.safe_load(files(__package__).joinpath(name).read_text(encoding="utf-8"))
    return entries


def _rule(entry: Mapping[str, Any]) -> Rule:
    read = {
        "measure": getattr(measures, entry["measure"]),
        "better": GoodDirection(entry["better"]),
        "unit": Unit(entry["unit"]),
        **{name: tuple(entry[name]) for name in ("limits", "questions", "attributes")},
    }
    return Rule(**{**entry, **read})


THEMES = {theme.id: theme for theme in (Theme(**entry) for entry in _entries("themes.yaml"))}
RULES = tuple(_rule(entry) for entry in _entries("rules.yaml"))
BY_ID = {rule.id: rule for rule in RULES}
