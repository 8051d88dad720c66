"""Checklists read from files: the program's own formats, other tools' and plain lists of questions."""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import yaml

from app.domain.checklist import (
    LONGEST_COMMENT,
    LONGEST_EXAMPLE,
    MOST_EXAMPLES,
    Checklist,
    ChecklistStatus,
    Component,
    Example,
    Question,
    QuestionKind,
    QuestionOrigin,
)
from app.domain.improvement import DECIDABLE
from app.domain.storable_text import is_storable, storable
from app.errors import FileFormatError
from app.export.checklist import BY_HAND, NO_COMPONENT
from app.input_file import read_yaml

EXAMPLE_ANSWERS = tuple(answer.value for answer in DECIDABLE)
Known = Mapping[tuple[str, str], int]
"""(contributor, text) -> id of an attribute in the project: a file's lineage is restored where both match."""


_SWITCH = {"": False, **dict.fromkeys(("no", "false", "0"), False), **dict.fromkeys(("yes", "true", "1"), True)}


def read_question(name: str, item: object, known: Known) -> Question:
    """Return an item's question. `name` is its place for messages, such as "Row 3". Raises FileFormatError."""
    fields = {"text": item} if isinstance(item, str) else item
    if not isinstance(fields, Mapping):
        raise FileFormatError(f"{name} of the checklist file is no question.", "Give each a “text”.")
    text = _words(name, fields, "text")
    if not text:
        raise FileFormatError(f"{name} of the checklist file has no text.", "Give each question a “text”.")
    attributes = read_attributes(fields.get("attributes"), known)
    origin = _origin(fields) if attributes else QuestionOrigin.ADDED
    value = fields.get("weight", 1.0)
    weight = _number(value)
    if not math.isfinite(weight) or weight < 0:
        raise FileFormatError(f"The weight of {name} is no number from 0.", "Give 0 or more, or leave it out.")
    return Question(
        text=text,
        component=_words(name, fields, "component"),
        key_question=_words(name, fields, "key_question"),
        guidance=_words(name, fields, "guidance"),
        weight=weight,
        may_not_apply=_switch(name, fields, "may_not_apply"),
        not_apply_reason=_words(name, fields, "not_apply_reason"),
        must_not=_switch(name, fields, "must_not"),
        cap=_cap(name, fields.get("cap")),
        grade=_words(name, fields, "grade"),
        examples=read_examples(name, fields.get("examples")),
        attributes=attributes,
        origin=origin,
        original=_words(name, fields, "original") if attributes else "",
        reason=_words(name, fields, "reason") if attributes else BY_HAND,
    )


def read_component(item: object, position: int, known: Known) -> Component | None:
    """Return the component of a file's item; None without a name."""
    if not isinstance(item, Mapping):
        return None
    name = f"Component {position + 1}"
    called = _words(name, item, "name")
    attributes = read_attributes(item.get("attributes"), known)
    return Component(called, _words(name, item, "description"), attributes, position) if called else None


def read_attributes(items: object, known: Known) -> tuple[int, ...]:
    """Return the ids of the items that the project has as attributes, from the same contributor in the same words."""
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


def read_examples(name: str, items: object) -> tuple[Example, ...]:
    """Return one question's examples. Raises FileFormatError for too many, too long, or one without text or answer."""
    if items is None or items == "":
        return ()
    if isinstance(items, str):  # a table's cell
        with suppress(ValueError, RecursionError):
            items = json.loads(items)
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
    """Return the cap; None if the file has none, which in tables is an empty cell."""
    if value is None or value == "":
        return None
    cap = _number(value)
    if not math.isfinite(cap):
        raise FileFormatError(f"The cap of {name} is no number.", "Give a score, or leave it out.")
    return cap


def _switch(name: str, fields: Mapping[object, object], field: str) -> bool:
    """Return the field as a Boolean, False if missing. In tables it is a word."""
    value = fields.get(field)
    said = _SWITCH.get(str(value if value is not None else "").strip().lower())
    if said is None:
        raise FileFormatError(f"“{field}” of {name} is neither yes nor no.", "Write yes or no, or leave it out.")
    return said


def _origin(fields: Mapping[object, object]) -> QuestionOrigin:
    found = str(fields.get("origin"))
    return QuestionOrigin(found) if found in set(QuestionOrigin) else QuestionOrigin.EDITED


Named = tuple[str, object]
"""An item's place for messages ("Question 3", "Row 3"), and the item."""


@dataclass(frozen=True, slots=True)
class ImportedComment:
    """A comment in a file. `at` is None if the file doesn't say when."""

    who: str
    text: str
    resolved: bool
    at: datetime | None

    @classmethod
    def of(cls, item: object) -> "ImportedComment | None":
        if not isinstance(item, Mapping) or not isinstance(item.get("text"), str) or not item["text"].strip():
            return None
        try:
            at = datetime.fromisoformat(str(item.get("at")))
        except ValueError:
            at = None
        at = at.replace(tzinfo=UTC) if at and at.tzinfo is None else at
        text = storable(item["text"].strip())[:LONGEST_COMMENT]
        return cls(storable(str(item.get("who") or "")), text, item.get("resolved") is True, at)


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """What a document says beside the questions: settings of the judge's request, and about itself; None where missing.

    `prompts`: name of a judge's prompt -> own wording; {} if the built-in ones are used.
    """

    dimension: str | None = None
    rubric: str | None = None
    low: float | None = None
    high: float | None = None
    text_name: str | None = None
    source_name: str | None = None
    description: str | None = None
    language: str | None = None
    prompts: Mapping[str, str] | None = None
    version: int | None = None


def read_settings(content: str) -> ReadSettings:
    """Return the settings in a document of `read_document`. Raises FileFormatError for a setting that can't be one."""
    document = _parsed(content)
    if not isinstance(document, Mapping):
        return ReadSettings()
    words = {
        name: _setting(document, field, str)
        for name, field in {
            "dimension": "dimension",
            "rubric": "rubric",
            "text_name": "task",
            "source_name": "source_name",
            "description": "description",
            "language": "language",
        }.items()
    }
    low, high = _setting(document, "low", (int, float)), _setting(document, "high", (int, float))
    prompts = _setting(document, "prompts", Mapping)
    if prompts is not None and not all(isinstance(each, str) for pair in prompts.items() for each in pair):
        raise FileFormatError("The checklist file has a prompt that is no text.", _HINT)
    told = words["language"] is not None  # files of older programs say nothing about prompts
    return ReadSettings(
        **words,
        low=None if low is None else float(low),
        high=None if high is None else float(high),
        prompts=dict(prompts) if prompts is not None else {} if told else None,
        version=_setting(document, "version", int),
    )


def _setting(document: Mapping[str, Any], field: str, kind: Any) -> Any:
    value = document.get(field)
    if value is None:
        return None
    if not isinstance(value, kind) or isinstance(value, bool):
        raise FileFormatError(f"The checklist file's “{field}” can't be read.", _HINT)
    return storable(value) if isinstance(value, str) else value


_MOST_STRUCTURES = 300_000  # objects and lists of a JSON document
_HINT = "Export a checklist to see the form."
_LIST_MARK = re.compile(r"^(?:[-*•]\s+(?:\[[ xX]?\]\s*)?|\d+[.)]\s+)")


def read_document(content: str, dimension: str, known: Known | None = None) -> Checklist:
    """Return a draft from JSON or YAML, a list of questions or a list “questions”. Raises FileFormatError."""
    document = _parsed(content)
    questions = document.get("questions") if isinstance(document, dict) else document
    if not isinstance(questions, list) or not questions:
        raise FileFormatError("The checklist file has no list “questions”.", _HINT)
    described = document.get("components") if isinstance(document, dict) else None
    named: list[Named] = [(f"Question {number}", item) for number, item in enumerate(questions, start=1)]
    return _checklist(named, dimension, known or {}, described if isinstance(described, list) else [])


def read_comments(content: str) -> dict[tuple[str, str], list[ImportedComment]]:
    """Return (component, question) -> comments of the document; malformed ones are skipped."""
    document = _parsed(content)
    questions = document.get("questions") if isinstance(document, dict) else document
    found: dict[tuple[str, str], list[ImportedComment]] = {}
    for item in questions if isinstance(questions, list) else []:
        if isinstance(item, Mapping) and isinstance(item.get("comments"), list):
            place = tuple(" ".join(str(item.get(field) or "").split()) for field in ("component", "text"))
            said = (ImportedComment.of(comment) for comment in item["comments"])
            found.setdefault((place[0], place[1]), []).extend(comment for comment in said if comment)
    return found


def read_rows(rows: Sequence[tuple[int, Mapping[str, Any]]], dimension: str) -> Checklist:
    """Return a draft from a table's numbered rows, with the columns of an exported CSV; only “text” is required. Raises
    FileFormatError."""
    if not any("text" in row for _, row in rows):
        raise FileFormatError("The table has no column “text”.", "Name the column with the questions “text”.")
    cells = ((number, {name: str(cell) for name, cell in row.items()}) for number, row in rows)
    # Attributes are one cell to read, in no form that says whose they are for certain.
    named: list[Named] = [
        (f"Row {number}", {**row, "attributes": [], "weight": row.get("weight") or 1}) for number, row in cells
    ]
    return _checklist(named, dimension, {}, [])


def read_lines(content: str, dimension: str) -> Checklist:
    """Return a draft from one question a line; a heading of the second level (##) names the component of the following
    questions.

    If lines have list marks, only those are questions, not the lines between or under them: so exported Markdown can be
    imported. In the text of a paper with a table of questions for each dimension (InteractEval, Tables 8 and 12 to 21)
    the questions are those of the dimension's table. Raises FileFormatError.
    """
    if printed := _printed_checklists(content):
        questions = printed.get(dimension.strip().casefold())
        if not questions:
            raise FileFormatError(
                f"The file has no checklist of {dimension}.",
                f"It has those of: {', '.join(printed)}. Name one with --dimension.",
            )
        return _checklist([(f"Question {n}", {"text": text}) for n, text in enumerate(questions, 1)], dimension, {}, [])
    lines = [(number, line.rstrip()) for number, line in enumerate(content.splitlines(), start=1)]
    marked = any(_LIST_MARK.match(line) for _, line in lines)
    named: list[Named] = []
    component = ""
    for number, line in lines:
        if line.startswith("#"):
            heading = line.removeprefix("##").strip()
            component = heading if line.startswith("## ") and heading != NO_COMPONENT else ""
        elif _LIST_MARK.match(line) if marked else line.strip():
            named.append((f"Line {number}", {"text": _LIST_MARK.sub("", line), "component": component}))
    if not named:
        raise FileFormatError("The file has no question.", "Write one question per line.")
    return _checklist(named, dimension, {}, [])


_TABLE_HEADING = re.compile(r"^\|\s*Dimension\s*\|\s*Questions\s*\|\s*$", re.MULTILINE)
_TABLE_CELL = re.compile(r"\s*(?:\|[\s:|-]+\|\s*)?\|([^|]{1,100})\|([^|]{1,20000})\|")


def _printed_checklists(content: str) -> dict[str, list[str]]:
    """Return lower-case dimension -> its questions, from tables headed Dimension and Questions, one below another."""
    found: dict[str, list[str]] = {}
    for heading in _TABLE_HEADING.finditer(content):
        cell = _TABLE_CELL.match(content, heading.end())
        if cell is not None:
            questions = [" ".join(part.split()) for part in re.split(r"(?:^|\s)[-•]\s", cell[2])]
            found.setdefault(cell[1].strip().casefold(), [question for question in questions if question])
    return found


def _parsed(content: str) -> object:
    try:
        if not content.lstrip().startswith(("{", "[")):
            return read_yaml(content)
        if content.count("{") + content.count("[") > _MOST_STRUCTURES:
            raise FileFormatError("The checklist file has too many parts.", _HINT)
        return json.loads(content)
    except json.JSONDecodeError as error:
        problem, line = "JSON", error.lineno
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = "YAML" if mark or not error.__cause__ else "YAML with sensible dates and numbers"
        line = mark.line + 1 if mark else 0
    except RecursionError:
        problem, line = "JSON or YAML of a sensible depth", 0
    except ValueError:  # a day that no calendar has, a number of thousands of digits
        problem, line = "JSON or YAML with sensible dates and numbers", 0
    where = f" (line {line})" if line else ""
    raise FileFormatError(f"The checklist file can't be read as {problem}{where}.", _HINT)


def _checklist(named: Iterable[Named], dimension: str, known: Known, described: Sequence[object]) -> Checklist:
    read = [read_question(name, item, known) for name, item in named]
    keys: dict[str, str] = {}
    for question in read:
        if question.key_question:
            keys.setdefault(question.key_question, question.component)
    key_questions = [
        Question(text, component, QuestionKind.KEY, origin=QuestionOrigin.ADDED, reason=BY_HAND)
        for text, component in keys.items()
    ]
    return Checklist(
        dimension=dimension,
        version=0,
        status=ChecklistStatus.DRAFT,
        condition="imported",
        model="",
        components=_components(read, described, known),
        questions=tuple(_placed([*key_questions, *read])),
    )


def _components(read: Sequence[Question], described: Sequence[object], known: Known) -> tuple[Component, ...]:
    """Return the components that the file describes, then those that its questions name, each once."""
    found = (read_component(item, position, known) for position, item in enumerate(described))
    by_name = {component.name: component for component in found if component}
    for question in read:
        if question.component:
            by_name.setdefault(question.component, Component(question.component))
    return tuple(replace(component, position=position) for position, component in enumerate(by_name.values()))


def _placed(questions: Iterable[Question]) -> Iterable[Question]:
    return (replace(question, position=position) for position, question in enumerate(questions))
