"""An LLM that builds checklists by counting: it reads the numbers in the prompt and answers each stage as asked.

Three components; notes dealt out in turn, every seventh left out; two sub-questions a component; the validator merges
the first two questions, rewords the third, drops the fourth; fewer than five it leaves alone.
"""

import json
import re
from typing import Any

from tests.support.fake_llm.behaviour import Answer
from tests.support.fake_llm.server import Received

_COMPONENT = re.compile(r"^Component (\d+): (.*?)(?: \(.*\))?$", re.MULTILINE)
_NOTE = re.compile(r"^\[(\d+)\]", re.MULTILINE)
_QUESTION = re.compile(r"^\[(\d+)\] \((.*?)\) (.*)$", re.MULTILINE)
_STAGES = {
    "Which components": "components",
    "Under which component": "clusters",
    "Write the key question": "key-questions",
    "Write the sub-questions": "sub-questions",
    "Review these questions": "validation",
}


def stage_of(received: Received) -> str:
    return stage_in(received.wire.said_by_user(received.body))


def stage_in(said: str) -> str:
    """The stage that a prompt belongs to; "" for another prompt."""
    return next((stage for line, stage in _STAGES.items() if line in said), "")


def build_answer(received: Received) -> Answer:
    return Answer(json.dumps(built(received.wire.said_by_user(received.body))))


def built(said: str) -> dict[str, Any]:
    """What a stage is answered with."""
    return _ANSWERS[stage_in(said)](said)


def _components(said: str) -> dict[str, Any]:
    names = ("Order", "Links", "Focus")
    return {"components": [{"name": name, "description": f"What belongs to {name.lower()}."} for name in names]}


def _clusters(said: str) -> dict[str, Any]:
    first, _, second = said.partition("end components")
    components = [int(number) for number in _NOTE.findall(first)]
    notes = [int(number) for number in _NOTE.findall(second)]
    placed: dict[int, list[int]] = {component: [] for component in components}
    for note in notes:
        if note % 7:
            placed[components[note % len(components)]].append(note)
    dropped = [{"attribute": note, "reason": "too vague"} for note in notes if not note % 7]
    return {"clusters": [{"component": c, "attributes": n} for c, n in placed.items()], "dropped": dropped}


def _by_component(said: str) -> list[tuple[int, str, list[int]]]:
    parts = _COMPONENT.split(said)[1:]
    found = zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    return [(int(number), name, [int(note) for note in _NOTE.findall(rest)]) for number, name, rest in found]


def _key_questions(said: str) -> dict[str, Any]:
    return {
        "questions": [
            {"component": number, "question": f"Is the {name.lower()} of the text good?", "attributes": notes}
            for number, name, notes in _by_component(said)
        ]
    }


def _sub_questions(said: str) -> dict[str, Any]:
    return {
        "questions": [
            {"component": number, "question": f"Is the {name.lower()} {word}?", "attributes": some}
            for number, name, notes in _by_component(said)
            for word, some in (("clear", notes[::2]), ("steady", notes[1::2]))
        ]
    }


def _validation(said: str) -> dict[str, Any]:
    questions = {int(number): text for number, _, text in _QUESTION.findall(said)}
    few = len(questions) < 5
    kept = [{"sources": [n], "question": text, "reason": ""} for n, text in questions.items() if n > 4 or few]
    if few:
        return {"questions": kept, "dropped": []}
    changed = [
        {"sources": [1, 2], "question": f"{questions[1].rstrip('?')} and steady?", "reason": "the same point"},
        {"sources": [3], "question": questions[3].replace("clear", "plain"), "reason": "plainer"},
    ]
    return {"questions": [*changed, *kept], "dropped": [{"question": 4, "reason": "off topic"}]}


_ANSWERS = {
    "components": _components,
    "clusters": _clusters,
    "key-questions": _key_questions,
    "sub-questions": _sub_questions,
    "validation": _validation,
}
