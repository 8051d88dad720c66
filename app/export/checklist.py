"""A checklist as a file: JSON and YAML with lineage, Markdown to read, CSV for a spreadsheet; and back again."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import yaml

from app.domain.attribute import Attribute
from app.domain.checklist import Checklist, ChecklistStatus, Component, Question, QuestionKind, QuestionOrigin
from app.domain.project import Project
from app.domain.task import Dimension
from app.errors import FileFormatError
from app.export.spreadsheet import csv_bytes

FORMATS = ("json", "yaml", "md", "csv")
BY_HAND = "added by hand"
RULES = "rules"
NOT_AN_LLM = "“rules” is a set of fixed text rules, not an LLM."
_COLUMNS = ("id", "dimension", "version", "component", "key_question", "text", "weight", "origin", "attributes")


def export_checklist(
    project: Project,
    dimension: Dimension,
    checklist: Checklist,
    attributes: Mapping[int, Attribute],
    format_name: str,
) -> str:
    """The questions a judge is asked, each with the attributes behind it."""
    document = checklist_document(project, dimension, checklist, attributes)
    match format_name:
        case "json":
            return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
        case "yaml":
            return yaml.safe_dump(document, allow_unicode=True, sort_keys=False, width=100)
        case "md":
            return _markdown(document)
        case "csv":
            return _csv(document)
    raise FileFormatError(f"“{format_name}” is not a format for checklists.", f"Use {', '.join(FORMATS)}.")


def checklist_document(
    project: Project, dimension: Dimension, checklist: Checklist, attributes: Mapping[int, Attribute]
) -> dict[str, Any]:
    """The command line's fixed JSON form."""
    said = [attributes[i] for q in checklist.asked for i in q.attributes if i in attributes]
    made_by_rules = RULES in {checklist.model, *(a.contributor for a in said)}
    return {
        "project": project.name,
        "task": project.task.text_name,
        "dimension": dimension.name,
        "version": checklist.version,
        "status": checklist.status.value,
        "condition": checklist.condition,
        "model": checklist.model,
        **({"notice": NOT_AN_LLM} if made_by_rules else {}),
        "rubric": dimension.rubric,
        "low": dimension.low,
        "high": dimension.high,
        "questions": [
            {
                "id": question.id,
                "component": question.component,
                "key_question": question.key_question,
                "text": question.text,
                "weight": question.weight,
                "origin": question.origin.value,
                "attributes": [
                    {"text": a.text, "contributor": a.contributor, "kind": a.kind.value}
                    for a in (attributes[i] for i in question.attributes if i in attributes)
                ],
            }
            for question in checklist.asked
        ],
    }


def import_checklist(content: str, dimension: str) -> Checklist:
    """A draft from an exported JSON or YAML file. Lineage to attributes of another project can't be kept.

    Raises FileFormatError where it holds no questions.
    """
    try:
        document = yaml.safe_load(content)  # JSON is YAML
    except yaml.YAMLError as error:
        raise FileFormatError("The checklist file is neither JSON nor YAML.", "Export one to see the form.") from error
    questions = document.get("questions") if isinstance(document, dict) else None
    if not isinstance(questions, list) or not questions:
        raise FileFormatError("The checklist file has no list “questions”.", "Export one to see the form.")
    read = [_question(number, item) for number, item in enumerate(questions, start=1)]
    names = [name for name in dict.fromkeys(q.component for q in read) if name]
    components = [Component(name, position=position) for position, name in enumerate(names)]
    keys = {q.key_question: q.component for q in read if q.key_question}
    key_questions = [
        Question(text, component, QuestionKind.KEY, origin=QuestionOrigin.ADDED, reason=BY_HAND)
        for text, component in keys.items()
    ]
    ordered = [*key_questions, *read]
    return Checklist(
        dimension=dimension,
        version=0,
        status=ChecklistStatus.DRAFT,
        condition="imported",
        model="",
        components=tuple(components),
        questions=tuple(_placed(question, position) for position, question in enumerate(ordered)),
    )


def _question(number: int, item: object) -> Question:
    fields = {"text": item} if isinstance(item, str) else item
    if not isinstance(fields, dict) or not str(fields.get("text") or "").strip():
        raise FileFormatError(f"Question {number} of the checklist file has no text.", "Give each a “text”.")
    try:
        weight = float(fields.get("weight", 1.0))
    except (TypeError, ValueError) as error:
        raise FileFormatError(
            f"The weight of question {number} is no number.", "Give a number, or leave it out."
        ) from error
    return Question(
        text=" ".join(str(fields["text"]).split()),
        component=str(fields.get("component") or ""),
        key_question=str(fields.get("key_question") or ""),
        weight=weight,
        origin=QuestionOrigin.ADDED,
        reason=BY_HAND,
    )


def _placed(question: Question, position: int) -> Question:
    return replace(question, position=position)


def _who(name: str, kind: str = "") -> str:
    if name == RULES:
        return "rules, not an LLM"
    return f"{name}, {kind}" if kind else name


def _markdown(document: Mapping[str, Any]) -> str:
    lines = [
        f"# {document['dimension']}: checklist version {document['version']}",
        "",
        f"{document['project']}, {document['status']}, from the attributes of “{document['condition']}”, "
        f"built by {_who(document['model']) or 'hand'}. Scores run from {document['low']:g} to {document['high']:g}.",
        "",
        *(f"> {line}" for line in str(document["rubric"]).splitlines()),
    ]
    component = None
    for question in document["questions"]:
        if question["component"] != component:
            component = question["component"]
            lines += ["", f"## {component or 'Without a component'}", ""]
            if question["key_question"]:
                lines += [f"*{question['key_question']}*", ""]
        lines.append(f"- [ ] {question['text']}")
        lines += [f"  - {a['text']} ({_who(a['contributor'], a['kind'])})" for a in question["attributes"]]
        if not question["attributes"]:
            lines.append(f"  - {BY_HAND}")
    return "\n".join(lines) + "\n"


def _csv(document: Mapping[str, Any]) -> str:
    rows = (
        {
            "id": q["id"],
            "dimension": document["dimension"],
            "version": document["version"],
            "component": q["component"],
            "key_question": q["key_question"],
            "text": q["text"],
            "weight": q["weight"],
            "origin": q["origin"],
            "attributes": " | ".join(f"{a['text']} ({_who(a['contributor'])})" for a in q["attributes"]),
        }
        for q in document["questions"]
    )
    return csv_bytes(_COLUMNS, rows, for_spreadsheets=False).decode()
