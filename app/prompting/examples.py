"""Values to fill a prompt with on trial, so that a wording which can't be filled in is refused when it is saved."""

from collections.abc import Mapping
from typing import Any

from app.prompting.template import PromptTemplate

_NOTES = [{"id": 1, "text": "Facts come in order."}, {"id": 2, "text": "Names are introduced."}]
_COMPONENT = {"id": 1, "name": "Order", "description": "What comes when."}
_ASPECT = {"key": "a1", "name": "Order", "description": "What comes when."}
_JUDGED = [{"key": "q1", "question": "Is it in order?", "guidance": "Look at the dates."}]
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
    "transcript": "I look at the order first.",
    "sub_aspects": _SUB_ASPECTS,
    "steps": ["Read the text."],
    "definitions": [{"name": "coherence", "rubric": "Sentences build on each other."}],
    "demonstrations": [{"before": "A source.", "given": "A text."}],
    "others": ["Are names introduced?"],
    "from_source": True,
    "cannot_tell": True,
    "reasons": True,
    "before": "A source.",
}
# The same name stands for other fields in other prompts.
_BY_PROMPT: Mapping[str, Mapping[str, Any]] = {
    "clusters": {"components": [_COMPONENT]},
    "key-questions": {"components": [{**_COMPONENT, "attributes": _NOTES}]},
    "sub-questions": {
        "components": [{"id": 1, "name": "Order", "key_question": "Is it in order?", "attributes": _NOTES}]
    },
    **{
        f"question-{action}": {"questions": [{"component": "Order", "question": "Is it in order?"}]}
        for action in ("merge", "rephrase", "simpler", "split")
    },
    "validation": {"questions": [{"id": 1, "component": "Order", "question": "Is it in order?"}]},
    "question-applicability": {"questions": [{"id": 1, "question": "Is it in order?"}]},
    "question-improve": {
        "question": {"component": "Order", "question": "Is it in order?", "guidance": "Look at the dates."},
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
    "check-eval-filter": {"questions": [{"id": 1, "question": "Is it in order?"}]},
    "coascore-scores": {"aspects": [_ASPECT]},
    "coascore-target": {"aspects": [{**_ASPECT, "score": 3}]},
}


def example_variables(template: PromptTemplate) -> dict[str, Any] | None:
    """A value for each of its variables, None where one has no example."""
    known = {**_SHARED, **_BY_PROMPT.get(template.name, {})}
    if not set(template.variables) <= known.keys():
        return None
    return {name: known[name] for name in template.variables}
