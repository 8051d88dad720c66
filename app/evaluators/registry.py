"""The registry of methods by name, for command line, screens and runs."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from app.errors import InputError
from app.evaluators import check_eval, checklist, coascore, g_eval, llm_score, reference_metrics
from app.evaluators.check_eval import OWN_SEEDS, SEEDS
from app.evaluators.coascore import ASPECTS
from app.evaluators.g_eval import STEPS
from app.evaluators.method import Method
from app.evaluators.neural import bartscore, bertscore, gptscore, moverscore, unieval

_ALL = (
    checklist.METHOD,
    check_eval.METHOD,
    g_eval.METHOD,
    coascore.METHOD,
    *llm_score.METHODS,
    gptscore.METHOD,
    *reference_metrics.METHODS,
    bertscore.METHOD,
    moverscore.METHOD,
    bartscore.METHOD,
    unieval.METHOD,
)
METHODS: dict[str, Method] = {method.name: method for method in _ALL}


def method_named(name: str) -> Method:
    """Return the method. Raises InputError for an unknown name."""
    if name not in METHODS:
        raise InputError(f"“{name}” is not an evaluator of this version.", f"It has: {', '.join(METHODS)}.")
    return METHODS[name]


@dataclass(frozen=True, slots=True)
class OutputLines:
    """Editing of a stage's stored output as lines: `write` turns it into lines, `read` turns lines into it; `read`
    raises InputError."""

    title: str
    how: str
    write: Callable[[dict[str, Any]], list[str]]
    read: Callable[[list[str]], dict[str, Any]]


def as_lines(stage: str, output: str) -> str:
    return "\n".join(STAGE_OUTPUTS[stage].write(json.loads(output)))


def from_lines(stage: str, lines: str) -> str:
    """Return the stage's output from lines, as JSON to store. Raises InputError that names the line that can't be
    read."""
    given = [" ".join(line.split()) for line in lines.splitlines()]
    kept = [line for line in given if line]
    if not kept:
        raise InputError("There is nothing to keep: all lines are empty.", "Write at least one.")
    return json.dumps(STAGE_OUTPUTS[stage].read(kept), ensure_ascii=False)


def _aspect(line: str) -> dict[str, str]:
    name, colon, description = (part.strip() for part in line.partition(":"))
    if not (name and colon and description):
        raise InputError(f"“{line[:60]}” is no aspect.", "Write it as name: what it is.")
    return {"name": name, "description": description}


def _aspects(lines: list[str]) -> dict[str, Any]:
    aspects = [_aspect(line) for line in lines]
    if len({aspect["name"].casefold() for aspect in aspects}) < len(aspects):
        raise InputError("Two aspects have the same name.", "Give each a name of its own.")
    return {"aspects": aspects}


def _seeds(lines: list[str]) -> dict[str, Any]:
    found: list[dict[str, Any]] = []
    for line in lines:
        if not line.startswith("-"):
            found.append({"name": line.rstrip(":"), "questions": []})
        elif not found:
            raise InputError(f"“{line[:60]}” stands before any sub-aspect.", "Write the sub-aspect in a line above it.")
        elif line.lstrip("- "):
            found[-1]["questions"].append(line.lstrip("- "))
    empty = [entry["name"] for entry in found if not entry["questions"]]
    if empty:
        raise InputError(f"The sub-aspect “{empty[0][:60]}” has no question.", "Write one below it, behind a dash.")
    return {"sub_aspects": found}


def _seed_lines(value: dict[str, Any]) -> list[str]:
    return [line for entry in value["sub_aspects"] for line in (entry["name"], *(f"- {q}" for q in entry["questions"]))]


_SEED_HOW = "A line for each sub-aspect; below it its yes/no questions, each behind a dash, with yes = good."
STAGE_OUTPUTS: dict[str, OutputLines] = {
    STEPS: OutputLines(
        "G-Eval: evaluation steps",
        "One step per line.",
        lambda value: [str(step) for step in value["steps"]],
        lambda lines: {"steps": lines},
    ),
    ASPECTS: OutputLines(
        "CoAScore: related aspects",
        "One aspect per line, as name: what it is.",
        lambda value: [f"{entry['name']}: {entry['description']}" for entry in value["aspects"]],
        _aspects,
    ),
    SEEDS: OutputLines("CheckEval: proposed seeds", _SEED_HOW, _seed_lines, _seeds),
    OWN_SEEDS: OutputLines("CheckEval: your own seeds", _SEED_HOW, _seed_lines, _seeds),
}
