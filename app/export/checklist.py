"""A checklist as a file: the JSON document with lineage and its schema, YAML, Markdown and CSV."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from app.domain.attribute import Attribute
from app.domain.checklist import Checklist, Question, QuestionComment, QuestionKind
from app.domain.condition import StudyCondition, named_in
from app.domain.project import Dimension, Project
from app.domain.storable_text import shown_directions
from app.errors import FileFormatError
from app.export.spreadsheet import csv_bytes

RULES = "rules"
NOT_AN_LLM = "“rules” is a set of fixed text rules, not an LLM."
_SCHEMA = Path(__file__).with_name("checklist.schema.json")


@cache
def schema_text() -> str:
    """Return the published JSON Schema of the document."""
    return _SCHEMA.read_text(encoding="utf-8")


def checklist_document(
    project: Project,
    dimension: Dimension,
    checklist: Checklist,
    attributes: Mapping[int, Attribute],
    comments: Mapping[int, Sequence[QuestionComment]] | None = None,
    prompts: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the command line's JSON form, with lineage: question, key question, component, attributes, contributors.

    It holds all that the judge's request is made of, so that another project asks exactly the same. comments: people's,
    by question; a question without any has no such field. prompts: name of a judge's prompt -> the project's own
    wording, the whole prompt file.
    """
    said = [attributes[i] for q in checklist.asked for i in q.attributes if i in attributes]
    made_by_rules = RULES in {*checklist.model.split(", "), *(a.contributor for a in said)}
    return {
        "project": project.name,
        "task": project.task.text_name,
        "source_name": project.task.source_name,
        "description": project.task.description,
        "language": project.task.language,
        "dimension": dimension.name,
        "version": checklist.version,
        "status": checklist.status.value,
        "condition": checklist.condition,
        "model": checklist.model,
        **({"notice": NOT_AN_LLM} if made_by_rules else {}),
        "rubric": dimension.rubric,
        "low": dimension.low,
        "high": dimension.high,
        **({"prompts": dict(prompts)} if prompts else {}),
        "components": _components(checklist, attributes),
        "questions": [
            {**_question(question, attributes), **_comments((comments or {}).get(question.id, ()))}
            for question in checklist.asked
        ],
        "dropped": [
            {**_attribute(attributes[d.attribute]), "stage": d.stage, "reason": d.reason}
            for d in checklist.dropped
            if d.attribute in attributes
        ],
    }


def _components(checklist: Checklist, attributes: Mapping[int, Attribute]) -> list[dict[str, Any]]:
    keys = {q.component: q.text for q in checklist.questions if q.kind is QuestionKind.KEY and q.enabled}
    return [
        {
            "name": component.name,
            "description": component.description,
            "key_question": keys.get(component.name, ""),
            "attributes": _attributes(component.attributes, attributes),
        }
        for component in checklist.components
    ]


def _question(question: Question, attributes: Mapping[int, Attribute]) -> dict[str, Any]:
    return {
        "id": question.id,
        "component": question.component,
        "key_question": question.key_question,
        "text": question.text,
        "guidance": question.guidance,
        "weight": question.weight,
        **({"may_not_apply": True} if question.may_not_apply else {}),
        **({"not_apply_reason": question.not_apply_reason} if question.not_apply_reason else {}),
        **marks_of(question),
        "origin": question.origin.value,
        "original": question.original or question.text,
        "reason": question.reason,
        "attributes": _attributes(question.attributes, attributes),
    }


def marks_of(question: Question) -> dict[str, Any]:
    """Return a question's examples and how its answer counts, weight excluded, where not as by default."""
    return {
        **({"must_not": True} if question.must_not else {}),
        **({"cap": question.cap} if question.cap is not None else {}),
        **({"grade": question.grade} if question.grade else {}),
        **({"examples": [asdict(example) for example in question.examples]} if question.examples else {}),
    }


def _comments(said: Sequence[QuestionComment]) -> dict[str, Any]:
    listed = [{"who": c.who, "at": c.at.isoformat(), "text": c.text, "resolved": c.resolved} for c in said]
    return {"comments": listed} if listed else {}


def _attributes(ids: Iterable[int], attributes: Mapping[int, Attribute]) -> list[dict[str, Any]]:
    return [_attribute(attributes[i]) for i in ids if i in attributes]


def _attribute(attribute: Attribute) -> dict[str, Any]:
    said = {"text": attribute.text, "contributor": attribute.contributor, "kind": attribute.kind.value}
    return said | ({"quote": attribute.passage.quote} if attribute.passage else {})


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


class _YamlDumper(yaml.SafeDumper):
    pass


# Outside of double quotes YAML reads U+0085, which is in texts decoded wrongly, as a line break.
_YamlDumper.add_representer(
    str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, '"' if "\x85" in text else None)
)


def checklist_file(format_name: str, document: Mapping[str, Any]) -> str:
    """Return the document of `checklist_document` in one of FORMATS. Raises FileFormatError."""
    match format_name:
        case "json":
            return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
        case "yaml":
            return yaml.dump(document, Dumper=_YamlDumper, allow_unicode=True, sort_keys=False, width=100)
        case "md":
            return _markdown(document)
        case "csv":
            return _csv(document)
    raise FileFormatError(f"“{format_name}” is not a format for checklists.", f"Use {', '.join(FORMATS)}.")


# What Markdown would read as HTML, an image, a link, code, an address or emphasis.
_MARKUP = re.compile(r"([\\`*_\[\]<>~|&!#])")
_ADDRESS = re.compile(r"(?<=\w)(?=://)|(?<=www)(?=\.)", re.IGNORECASE)


def _literal(text: object) -> str:
    """Return people's words for Markdown: on one line, with every character shown literally."""
    one_line = " ".join(shown_directions(str(text)).split())
    escaped = _ADDRESS.sub(r"\\", _MARKUP.sub(r"\\\1", one_line))
    return re.sub(r"^(\d+)(?=[.)])|^(?=[-+=])", lambda found: f"{found[0]}\\", escaped)


def _who(name: str, kind: str = "") -> str:
    if name == RULES:
        return "rules, not an LLM"
    return f"{name}, {kind}" if kind else name


def _about(attribute: Mapping[str, Any]) -> str:
    return f" about “{_literal(attribute['quote'])}”" if attribute.get("quote") else ""


def _origin(condition: str) -> str:
    """Return in words whose attributes a checklist was built from; `condition` as in a checklist."""
    if condition == "imported":
        return "imported from a file"
    return f"from the attributes of {', '.join(named_in(condition)) or StudyCondition.parse(condition).words}"


def _markdown(document: Mapping[str, Any]) -> str:
    lines = [
        f"# {_literal(document['dimension'])}: checklist version {document['version']}",
        "",
        f"{_literal(document['project'])}, {document['status']}, {_literal(_origin(document['condition']))}, "
        f"built by {_literal(_who(document['model'])) or 'hand'}. "
        f"Scores run from {document['low']:g} to {document['high']:g}.",
        "",
        *(f"> {_literal(line)}" for line in str(document["rubric"]).splitlines()),
    ]
    component = None
    for question in document["questions"]:
        if question["component"] != component:
            component = question["component"]
            lines += ["", f"## {_literal(component or NO_COMPONENT)}", ""]
            if question["key_question"]:
                lines += [f"*{_literal(question['key_question'])}*", ""]
        lines.append(f"- [ ] {_literal(question['text'])}")
        lines += [f"  - {_literal(said)}" for said in counting_words(question)]
        if question["guidance"]:
            lines.append(f"  - How to decide: {_literal(question['guidance'])}")
        if question.get("may_not_apply"):
            lines.append("  - May not apply")
        lines += [f"  - Example: {_literal(example_words(e))}" for e in question.get("examples", ())]
        lines += [
            f"  - {_literal(a['text'])} ({_literal(_who(a['contributor'], a['kind']))}){_about(a)}"
            for a in question["attributes"]
        ]
        if not question["attributes"]:
            lines.append(f"  - {BY_HAND}")
    return "\n".join(lines) + "\n"


def example_words(example: Mapping[str, str]) -> str:
    """Return a judge's example for people: the answer, the text, and the reason in brackets."""
    why = f" ({example['reason']})" if example.get("reason") else ""
    return f"{example['answer']}: {example['text']}{why}"


def counting_words(question: Mapping[str, Any]) -> list[str]:
    """Return how the answer to a question of the document counts, where that differs from the defaults."""
    return [
        *(["A yes costs the point"] if question.get("must_not") else []),
        *([f"Required: failing it caps the score at {question['cap']:g}"] if "cap" in question else []),
        *([f"A threshold of “{question['grade']}”"] if question.get("grade") else []),
        *([f"Weight {question['weight']:g}"] if question["weight"] != 1 else []),
    ]


def _csv(document: Mapping[str, Any]) -> str:
    """Return the CSV. “may_not_apply”, “must_not”, “cap”, “grade” and “examples” are columns only if a question has
    them.

    Examples are a JSON list, which the import reads.
    """
    about = {name: document[name] for name in ("dimension", "version")}
    asked = document["questions"]
    switches = [name for name in ("may_not_apply", "must_not") if any(question.get(name) for question in asked)]
    marks = [name for name in ("cap", "grade") if any(name in question for question in asked)]
    rows = (
        {
            **about,
            **{name: question[name] for name in _COLUMNS if name not in (*about, "attributes")},
            **{name: "yes" if question.get(name) else "no" for name in switches},
            **{name: question.get(name, "") for name in marks},
            "examples": json.dumps(question["examples"], ensure_ascii=False) if "examples" in question else "",
            "attributes": " | ".join(f"{a['text']} ({_who(a['contributor'])})" for a in question["attributes"]),
        }
        for question in asked
    )
    taught = ["examples"] if any(question.get("examples") for question in asked) else []
    columns = (*_COLUMNS, *switches, *marks, *taught)
    return csv_bytes(columns, rows, for_spreadsheets=False).decode()
