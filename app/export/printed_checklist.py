"""A checklist as it stands on paper: what the printed page and the Word file both show, in the same order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.export.checklist import NO_COMPONENT, counting_words

MOST_EXAMPLES = 3
"""Of what people and LLMs said, under a question: a sheet of paper is to be filled in, not studied."""


@dataclass(frozen=True, slots=True)
class Making:
    """Who edited the checklist, and when it was made or, once it is, published."""

    editors: tuple[str, ...] = ()
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PrintedQuestion:
    """`examples` are attributes that the question came from, in the words of those who thought aloud, each
    with its passage in brackets where it has one."""

    number: int
    text: str
    guidance: str
    weight: float
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PrintedComponent:
    name: str
    description: str
    key_question: str
    questions: tuple[PrintedQuestion, ...]


@dataclass(frozen=True, slots=True)
class PrintedChecklist:
    """`made` are lines on who made it, of what and when."""

    title: str
    project: str
    task: str
    rubric: str
    scoring: str
    made: tuple[str, ...]
    components: tuple[PrintedComponent, ...]


def printed_checklist(document: Mapping[str, Any], making: Making) -> PrintedChecklist:
    """From the document of `checklist_document`; questions are numbered as on the screen."""
    described = {component["name"]: component for component in document["components"]}
    listed: dict[str, list[PrintedQuestion]] = {}
    for number, question in enumerate(document["questions"], start=1):
        examples = tuple(dict.fromkeys(_example(attribute) for attribute in question["attributes"]))[:MOST_EXAMPLES]
        printed = PrintedQuestion(number, question["text"], _guidance(question), question["weight"], examples)
        listed.setdefault(question["component"], []).append(printed)
    return PrintedChecklist(
        f"{document['dimension']}: checklist, version {document['version']}",
        document["project"],
        document["task"],
        document["rubric"],
        f"Answer every question with yes or no; yes is good{_unless(document)}. Score: {document['low']:g} + "
        f"{document['high'] - document['low']:g} × number of {_points(document)} ÷ {_counted(document)}.",
        tuple(_made(document, making)),
        tuple(_component(name, questions, described.get(name, {})) for name, questions in listed.items()),
    )


def _example(attribute: Mapping[str, Any]) -> str:
    quote = " ".join(attribute.get("quote", "").split())
    return f"{attribute['text']} (“{quote}”)" if quote else attribute["text"]


def _guidance(question: Mapping[str, Any]) -> str:
    """With what to do on paper, which has two boxes, where the question may not apply."""
    also = "Where it does not apply, write n/a." if question.get("may_not_apply") else ""
    counts = ". ".join([*counting_words(question), ""]).strip()
    return " ".join(filter(None, (question["guidance"], also, counts)))


def _unless(document: Mapping[str, Any]) -> str:
    return " unless it says otherwise" if _has_bad_yes(document) else ""


def _points(document: Mapping[str, Any]) -> str:
    return "points" if _has_bad_yes(document) else "yes"


def _has_bad_yes(document: Mapping[str, Any]) -> bool:
    return any(question.get("must_not") for question in document["questions"])


def _counted(document: Mapping[str, Any]) -> str:
    may_not = any(question.get("may_not_apply") for question in document["questions"])
    return "number of yes and no" if may_not else "number of answers"


def _component(name: str, questions: Sequence[PrintedQuestion], described: Mapping[str, Any]) -> PrintedComponent:
    texts = (described.get("description", ""), described.get("key_question", ""))
    return PrintedComponent(name or NO_COMPONENT, *texts, tuple(questions))


def _made(document: Mapping[str, Any], making: Making) -> list[str]:
    said = {(a["kind"] != "human", a["contributor"]) for q in document["questions"] for a in q["attributes"]}
    when = f"{making.at:%d %B %Y}" if making.at else ""
    lines = [f"{document['status'].capitalize()}{f', {when}' if when else ''}"]
    if said:
        lines.append(f"From what these said to look for: {', '.join(name for _, name in sorted(said))}")
    if document["model"]:
        lines.append(f"Built by {document['model']}")
    if making.editors:
        lines.append(f"Edited by {', '.join(making.editors)}")
    return [*lines, *([document["notice"]] if "notice" in document else [])]
