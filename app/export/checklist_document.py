"""A checklist as one document: the questions a judge is asked, and where each of them comes from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from app.domain.attribute import Attribute
from app.domain.checklist import Checklist, Question, QuestionComment, QuestionKind
from app.domain.project import Dimension, Project

RULES = "rules"
NOT_AN_LLM = "“rules” is a set of fixed text rules, not an LLM."
_SCHEMA = Path(__file__).with_name("checklist.schema.json")


@cache
def schema_text() -> str:
    """The JSON Schema of the document, as it is published."""
    return _SCHEMA.read_text(encoding="utf-8")


def checklist_document(
    project: Project,
    dimension: Dimension,
    checklist: Checklist,
    attributes: Mapping[int, Attribute],
    comments: Mapping[int, Sequence[QuestionComment]] | None = None,
    prompts: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The command line's fixed JSON form, with lineage: question, key question, component, attributes, contributors.

    With everything that the judge's request is made of, so that another project asks it to the byte alike.
    comments: of people, by question; a question without any has no such field. prompts: name of a judge's prompt -> the
    project's own wording of it, the whole prompt file.
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
    """How its answer counts beside its weight, and its examples, as far as it isn't as usual."""
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
