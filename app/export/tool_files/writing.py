"""Files for promptfoo, DeepEval and Inspect: what our own judge is asked of a checklist, as each tool runs it."""

import inspect
import json
import pprint
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app.domain.judgment import Answer, capped, score_on_scale
from app.errors import FileFormatError

ENDINGS = {"promptfoo": "yaml", "deepeval": "py", "inspect": "py"}
"""Format -> the ending of its file."""

ANSWERS, NOT_APPLICABLE = (Answer.YES.value, Answer.NO.value), Answer.NOT_APPLICABLE.value
_TEMPLATE_OPENING = re.compile(r"\{(?=[{%#])")
_EXAMPLE = {"text": "This is an example. Put your own texts into a file and name it when you run this.", "source": ""}


@dataclass(frozen=True, slots=True)
class JudgeWords:
    """What the judge reads and must answer with.

    system: the same for every text. with_source, without_source: the user's part of the request, where every second
    element names a field ("text" or "source") that is to be enclosed. labels: what each field is called there.
    schema: of the answer.
    """

    system: str
    with_source: Sequence[str]
    without_source: Sequence[str]
    labels: Mapping[str, str]
    schema: Mapping[str, Any]


def tool_file(format_name: str, document: Mapping[str, Any], words: JudgeWords) -> str:
    """The file for one of ENDINGS. `document` is the checklist in the command line's JSON form.

    Raises FileFormatError for a tool that isn't known.
    """
    if format_name not in ENDINGS:
        raise FileFormatError(
            f"“{format_name}” is not a tool that checklists are written for.", f"Use {', '.join(ENDINGS)}."
        )
    template = _environment().get_template(f"{format_name}.{ENDINGS[format_name]}.jinja")
    return template.render(
        title=f"{document['dimension']}: checklist version {document['version']}",
        checklist=_embedded(document),
        system=words.system,
        user_with_source=list(words.with_source),
        user_without_source=list(words.without_source),
        labels=dict(words.labels),
        schema=dict(words.schema),
        example=_EXAMPLE,
        threshold=(document["low"] + document["high"]) / 2,
        formula="\n\n\n".join(inspect.getsource(each).strip() for each in (score_on_scale, capped)),
    )


def _embedded(document: Mapping[str, Any]) -> dict[str, Any]:
    """The checklist without its lineage, each question with the key that stands for it in the answer, and with the
    answers that it takes where these are more than yes and no. `point`: the answer that earns
    the point, where that isn't yes; `share`: what a threshold of a grade counts."""
    about = ("project", "task", "dimension", "version", "notice", "rubric", "low", "high")
    of_a_question = ("id", "component", "key_question", "text", "weight", "guidance")
    thresholds = Counter(question.get("grade", "") for question in document["questions"])
    return {
        **{name: document[name] for name in about if name in document},
        "questions": [
            {"key": f"q{number}", **{name: question[name] for name in of_a_question}}
            | ({"answers": [*ANSWERS, NOT_APPLICABLE]} if question.get("may_not_apply") else {})
            | ({"point": Answer.NO.value} if question.get("must_not") else {})
            | {name: question[name] for name in ("cap", "grade") if name in question}
            | ({"share": 1 / thresholds[question["grade"]]} if question.get("grade") else {})
            for number, question in enumerate(document["questions"], start=1)
        ],
    }


def _environment() -> Environment:
    """Values enter a file as literals of its language only, so that no wording can become code."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=False,  # noqa: S701 - no HTML; the filters below write literals
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters = {"python": _python_literal, "json": _json_literal}
    return environment


def _python_literal(value: object) -> str:
    """Texts in lines of a readable length; everything else as JSON, which without true, false and null is Python."""
    if isinstance(value, str):
        return pprint.pformat(value, width=116)
    return json.dumps(value, ensure_ascii=False, indent=4 if isinstance(value, dict) else None)


def _json_literal(value: object) -> str:
    """JSON on one line, which is YAML and JavaScript too. Braces in strings that promptfoo takes for the beginning of a
    template are escaped; outside of strings no brace is followed by another of these signs."""
    return _TEMPLATE_OPENING.sub(r"\\u007b", json.dumps(value))
