"""A checklist as a file: JSON and YAML with lineage, Markdown to read, CSV for a spreadsheet."""

import json
from collections.abc import Mapping
from typing import Any

import yaml

from app.errors import FileFormatError
from app.export.checklist_document import RULES
from app.export.spreadsheet import csv_bytes

FORMATS = ("json", "yaml", "md", "csv")
BY_HAND = "added by hand"
NO_COMPONENT = "Without a component"
_COLUMNS = (
    "id",
    "dimension",
    "version",
    "component",
    "key_question",
    "text",
    "guidance",
    "weight",
    "origin",
    "attributes",
)


def checklist_file(format_name: str, document: Mapping[str, Any]) -> str:
    """The document of `checklist_document` in one of FORMATS. Raises FileFormatError."""
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
            lines += ["", f"## {component or NO_COMPONENT}", ""]
            if question["key_question"]:
                lines += [f"*{question['key_question']}*", ""]
        lines.append(f"- [ ] {question['text']}")
        if question["guidance"]:
            lines.append(f"  - How to decide: {question['guidance']}")
        if question.get("may_not_apply"):
            lines.append("  - May not apply")
        lines += [f"  - {a['text']} ({_who(a['contributor'], a['kind'])})" for a in question["attributes"]]
        if not question["attributes"]:
            lines.append(f"  - {BY_HAND}")
    return "\n".join(lines) + "\n"


def _csv(document: Mapping[str, Any]) -> str:
    """“may_not_apply” is a column only where a question may not."""
    about = {name: document[name] for name in ("dimension", "version")}
    may_not = any(question.get("may_not_apply") for question in document["questions"])
    rows = (
        {
            **about,
            **{name: question[name] for name in _COLUMNS if name not in (*about, "attributes")},
            **({"may_not_apply": "yes" if question.get("may_not_apply") else "no"} if may_not else {}),
            "attributes": " | ".join(f"{a['text']} ({_who(a['contributor'])})" for a in question["attributes"]),
        }
        for question in document["questions"]
    )
    columns = (*_COLUMNS, *(["may_not_apply"] if may_not else []))
    return csv_bytes(columns, rows, for_spreadsheets=False).decode()
