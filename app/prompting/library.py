"""The prompts that come with the program, their variables, projects' own wordings, and example values."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from app.domain.project import Dimension, Task
from app.errors import PromptError
from app.prompting.template import PromptTemplate


@dataclass(frozen=True, slots=True)
class PromptWording:
    """A project's own wording of a prompt. `number` counts them from 1; `source` is the whole prompt file as text."""

    number: int
    source: str


_IN_FORCE: ContextVar[Mapping[str, PromptWording] | None] = ContextVar("wordings", default=None)
_VERSIONS: ContextVar[Mapping[str, int] | None] = ContextVar("versions", default=None)


@contextmanager
def worded(own: Mapping[str, PromptWording], versions: Mapping[str, int] | None = None) -> Iterator[None]:
    """Within the block, load prompts in a project's wordings (`own`), others in these `versions` or else the newest."""
    tokens = _IN_FORCE.set(own), _VERSIONS.set(versions)
    try:
        yield
    finally:
        _IN_FORCE.reset(tokens[0])
        _VERSIONS.reset(tokens[1])


def own_wording(name: str) -> PromptWording | None:
    return (_IN_FORCE.get() or {}).get(name)


def prompt_version(name: str) -> int | None:
    """Return the version that `worded` set; None for the newest."""
    return (_VERSIONS.get() or {}).get(name)


_FILE = re.compile(r"v([1-9][0-9]*)\.md")


@cache
def available_prompts() -> dict[str, tuple[int, ...]]:
    """Return name -> versions, ascending."""
    found: dict[str, tuple[int, ...]] = {}
    for folder in sorted(files("prompts").iterdir(), key=lambda entry: entry.name):
        if folder.is_dir():
            matches = (_FILE.fullmatch(entry.name) for entry in folder.iterdir())
            versions = tuple(sorted(int(match[1]) for match in matches if match))
            if versions:
                found[folder.name] = versions
    return found


def load_prompt(name: str, version: int | None = None, source: str | None = None) -> PromptTemplate:
    """Return the prompt of that name in the given version, else in the version in force (the newest outside of
    `worded`).

    `source` is a project's own wording; without a source and a version the wording that `worded` set is used. An own
    wording must keep the built-in prompt's name, variables and output, because the code that asks and the code that
    reads the answer rely on them. Raises PromptError.
    """
    if source is not None:
        return _own(name, version, source)
    wording = own_wording(name) if version is None else None
    if wording:
        return replace(_own(name, None, wording.source), own=wording.number)
    return _builtin(name, prompt_version(name) if version is None else version)


@lru_cache(maxsize=256)
def _own(name: str, version: int | None, source: str) -> PromptTemplate:
    """Return the wording's template; raise PromptError if name, variables or output differ from the built-in's. Cached,
    as a run asks once for every text."""
    builtin, own = _builtin(name, version), PromptTemplate.parse(source)
    for what in ("name", "variables", "output_schema"):
        ours, theirs = getattr(builtin, what), getattr(own, what)
        if (sorted(ours) != sorted(theirs)) if what == "variables" else (ours != theirs):
            raise PromptError(
                f"The project's wording of the prompt {name} changes its {what.replace('_', ' ')}.",
                "Keep the front matter of the built-in prompt and change the wording below it.",
            )
    return own


@cache
def _builtin(name: str, version: int | None) -> PromptTemplate:
    versions = available_prompts().get(name)
    if versions is None:
        raise PromptError(f"There is no prompt {name!r}.", f"There are: {', '.join(available_prompts())}.")
    wanted = versions[-1] if version is None else version
    if wanted not in versions:
        raise PromptError(f"The prompt {name} has no version {wanted}.", f"It has: {', '.join(map(str, versions))}.")
    text = files("prompts").joinpath(name, f"v{wanted}.md").read_text(encoding="utf-8")
    template = PromptTemplate.parse(text)
    if (template.name, template.version) != (name, wanted):
        raise PromptError(f"The prompt file {name}/v{wanted}.md calls itself {template.label}.")
    return template


def task_variables(task: Task) -> dict[str, Any]:
    return {
        "text_name": task.text_name,
        "source_name": task.source_name,
        "description": task.description,
        "language": task.language,
    }


def dimension_variables(dimension: Dimension) -> dict[str, Any]:
    return {"name": dimension.name, "rubric": dimension.rubric, "low": dimension.low, "high": dimension.high}


_NOTES = [{"id": 1, "text": "Facts come in order."}, {"id": 2, "text": "Names are introduced."}]
_COMPONENT = {"id": 1, "name": "Order", "description": "What comes when."}
_ASPECT = {"key": "a1", "name": "Order", "description": "What comes when."}
_JUDGED = [{"key": "q1", "question": "Is it in order?", "guidance": "Look at the dates."}]
_EXAMPLE = {"text": "First it rained, then it cleared.", "answer": "yes", "reason": "One thing after the other."}
_JUDGED_OPEN = [{**_JUDGED[0], "may_not_apply": True}]
_SUB_ASPECTS = [{"id": 1, "name": "Order", "questions": ["Is it in order?"]}]
_ITEM = {"source": "The source.", "text": "The text."}

_SHARED: Mapping[str, Any] = {
    "task": {"text_name": "summary", "source_name": "article", "description": "News.", "language": "English"},
    "dimension": {"name": "coherence", "rubric": "Sentences build on each other.", "low": 1.0, "high": 5.0},
    "samples": [{"number": 1, "source": "The source.", "text": "The text.", "score": 2.5}],
    "attributes": _NOTES,
    "max_components": 5,
    "count": 10,
    "item": _ITEM,
    "pairs": [{"number": 1, "source": "The source.", "better": "The text.", "worse": "A text."}],
    "attribute": "The order is clear.",
    "transcript": "I look at the order first.",
    "sub_aspects": _SUB_ASPECTS,
    "steps": ["Read the text."],
    "definitions": [{"name": "coherence", "rubric": "Sentences build on each other."}],
    "demonstrations": [{"before": "A source.", "given": "A text."}],
    "others": ["Are names introduced?"],
    "from_source": True,
    "cannot_tell": True,
    "reasons": True,
    "evidence": True,
    "before": "A source.",
    "kind": "summary",
}
# The same name stands for other fields in other prompts.
_BY_PROMPT: Mapping[str, Mapping[str, Any]] = {
    "clusters": {"components": [_COMPONENT]},
    "key-questions": {"components": [{**_COMPONENT, "attributes": _NOTES}]},
    "sub-questions": {
        "components": [{"id": 1, "name": "Order", "key_question": "Is it in order?", "attributes": _NOTES}]
    },
    **{
        f"question-{action}": {"questions": [{"component": "Order", "question": "Is it in order?", "must_not": False}]}
        for action in ("merge", "rephrase", "simpler", "split")
    },
    "validation": {"questions": [{"id": 1, "component": "Order", "question": "Is it in order?"}]},
    "question-applicability": {"questions": [{"id": 1, "question": "Is it in order?"}]},
    "checklist-coverage": {
        "questions": [{"id": 1, "question": "Is it in order?"}],
        "attributes": [{"id": 1, "text": "What comes first stands first."}],
    },
    "question-improve": {
        "question": {
            "component": "Order",
            "question": "Is it in order?",
            "guidance": "Look at the dates.",
            "must_not": False,
        },
        "errors": [
            {
                "number": 1,
                "said": "yes",
                "reason": "It begins at the beginning.",
                "decided": "no",
                "why": "The end comes first.",
                "source": "The source.",
                "text": "The text.",
            }
        ],
    },
    "judge-checklist": {"questions": _JUDGED},
    "judge-checklist-reasons": {"questions": _JUDGED},
    "judge-checklist-open": {"questions": _JUDGED_OPEN},
    "judge-checklist-open-reasons": {"questions": _JUDGED_OPEN},
    "judge-checklist-evidence": {"questions": _JUDGED_OPEN},
    "judge-checklist-examples": {"questions": [{**_JUDGED_OPEN[0], "examples": [_EXAMPLE]}]},
    "check-eval-filter": {"questions": [{"id": 1, "question": "Is it in order?"}]},
    "gptscore-question": {
        "definitions": [{"name": "coherence", "rubric": "Does it hang together?", "question": "Does it hang together?"}]
    },
    "coascore-scores": {"aspects": [_ASPECT]},
    "coascore-target": {"aspects": [{**_ASPECT, "score": 3}]},
}


def example_variables(template: PromptTemplate) -> dict[str, Any] | None:
    """Return an example value for each of its variables; None if one has no example."""
    known = {**_SHARED, **_BY_PROMPT.get(template.name, {})}
    if not set(template.variables) <= known.keys():
        return None
    return {name: known[name] for name in template.variables}
