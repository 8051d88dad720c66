"""One question, component or attribute of a checklist file, checked."""

import math
from collections.abc import Mapping, Sequence

from app.domain.checklist import LONGEST_EXAMPLE, MOST_EXAMPLES, Component, Example, Question, QuestionOrigin
from app.domain.improvement import DECIDABLE
from app.domain.storable_text import is_storable
from app.errors import FileFormatError
from app.export.checklist import BY_HAND

EXAMPLE_ANSWERS = tuple(answer.value for answer in DECIDABLE)
Known = Mapping[tuple[str, str], int]
"""(contributor, text) -> the id of an attribute that the project has: lineage is taken up again where it fits."""


_SWITCH = {"": False, **dict.fromkeys(("no", "false", "0"), False), **dict.fromkeys(("yes", "true", "1"), True)}


def read_question(name: str, item: object, known: Known) -> Question:
    """`name` is what a person calls its place, such as "Row 3". Raises FileFormatError."""
    fields = {"text": item} if isinstance(item, str) else item
    if not isinstance(fields, Mapping):
        raise FileFormatError(f"{name} of the checklist file is no question.", "Give each a “text”.")
    text = _words(name, fields, "text")
    if not text:
        raise FileFormatError(f"{name} of the checklist file has no text.", "Give each question a “text”.")
    attributes = read_attributes(fields.get("attributes"), known)
    origin = _origin(fields) if attributes else QuestionOrigin.ADDED
    return Question(
        text=text,
        component=_words(name, fields, "component"),
        key_question=_words(name, fields, "key_question"),
        guidance=_words(name, fields, "guidance"),
        weight=_weight(name, fields.get("weight", 1.0)),
        may_not_apply=_switch(name, fields, "may_not_apply"),
        not_apply_reason=_words(name, fields, "not_apply_reason"),
        must_not=_switch(name, fields, "must_not"),
        cap=_cap(name, fields.get("cap")),
        grade=_words(name, fields, "grade"),
        examples=_examples(name, fields.get("examples")),
        attributes=attributes,
        origin=origin,
        original=_words(name, fields, "original") if attributes else "",
        reason=_words(name, fields, "reason") if attributes else BY_HAND,
    )


def read_component(item: object, position: int, known: Known) -> Component | None:
    """None for what isn't named."""
    if not isinstance(item, Mapping):
        return None
    name = f"Component {position + 1}"
    called = _words(name, item, "name")
    attributes = read_attributes(item.get("attributes"), known)
    return Component(called, _words(name, item, "description"), attributes, position) if called else None


def read_attributes(items: object, known: Known) -> tuple[int, ...]:
    """The ids of those that the project has, from the same contributor in the same words."""
    listed = items if isinstance(items, Sequence) and not isinstance(items, str) else []
    pairs = ((str(item.get("contributor")), str(item.get("text"))) for item in listed if isinstance(item, Mapping))
    return tuple(dict.fromkeys(known[pair] for pair in pairs if pair in known))


def _words(name: str, fields: Mapping[object, object], field: str) -> str:
    value = fields.get(field)
    if value is None:
        return ""
    if not isinstance(value, str | int | float):
        raise FileFormatError(f"“{field}” of {name} is no text.", "Write it as one piece of text.")
    said = " ".join(str(value).split())
    if not is_storable(said):
        raise FileFormatError(f"“{field}” of {name} holds a damaged character.", "Type it again, or save it as UTF-8.")
    return said


def _examples(name: str, items: object) -> tuple[Example, ...]:
    if items is None or items == "":
        return ()
    if not isinstance(items, Sequence) or isinstance(items, str) or len(items) > MOST_EXAMPLES:
        raise FileFormatError(
            f"The examples of {name} are no list of up to {MOST_EXAMPLES}.", "Give each a “text” and an “answer”."
        )
    return tuple(_example(f"An example of {name}", item) for item in items)


def _example(name: str, item: object) -> Example:
    fields = dict(item) if isinstance(item, Mapping) else {}
    if isinstance(said := fields.get("answer"), bool):  # YAML takes a bare yes for one
        fields["answer"] = EXAMPLE_ANSWERS[0] if said else EXAMPLE_ANSWERS[1]
    found = Example(*(_words(name, fields, field) for field in ("text", "answer", "reason")))
    if not found.text or found.answer not in EXAMPLE_ANSWERS:
        raise FileFormatError(f"{name} has no text or no answer.", f"The answer is {', '.join(EXAMPLE_ANSWERS)}.")
    if max(len(found.text), len(found.reason)) > LONGEST_EXAMPLE:
        raise FileFormatError(f"{name} is too long.", f"Give text and reason up to {LONGEST_EXAMPLE:,} characters.")
    return found


def _number(value: object) -> float:
    try:
        return float(value) if isinstance(value, str | int | float) else math.nan
    except ValueError:
        return math.nan


def _cap(name: str, value: object) -> float | None:
    """None where the file has none, which in tables is an empty cell."""
    if value is None or value == "":
        return None
    cap = _number(value)
    if not math.isfinite(cap):
        raise FileFormatError(f"The cap of {name} is no number.", "Give a score, or leave it out.")
    return cap


def _weight(name: str, value: object) -> float:
    weight = _number(value)
    if not math.isfinite(weight) or weight < 0:
        raise FileFormatError(f"The weight of {name} is no number from 0.", "Give 0 or more, or leave it out.")
    return weight


def _switch(name: str, fields: Mapping[object, object], field: str) -> bool:
    """Off where the file doesn't say it. In tables it is a word."""
    value = fields.get(field)
    said = _SWITCH.get(str(value if value is not None else "").strip().lower())
    if said is None:
        raise FileFormatError(f"“{field}” of {name} is neither yes nor no.", "Write yes or no, or leave it out.")
    return said


def _origin(fields: Mapping[object, object]) -> QuestionOrigin:
    found = str(fields.get("origin"))
    return QuestionOrigin(found) if found in set(QuestionOrigin) else QuestionOrigin.EDITED
