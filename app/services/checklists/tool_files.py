"""A checklist for promptfoo, DeepEval or Inspect, asking in the same words as our own judge."""

from collections.abc import Mapping

from app.domain.checklist import Checklist
from app.domain.project import Project
from app.domain.task import Dimension
from app.domain.text import Text
from app.evaluators.checklist import PLAIN, judge_request
from app.export.tool_files.writing import JudgeWords
from app.prompting.environment import enclose, one_line
from app.providers.base import ChatRequest

# Stand where the text and its source will be; private characters that no text or prompt contains.
_TEXT, _SOURCE = "\ue000text\ue000", "\ue000source\ue000"


def judge_words(project: Project, dimension: Dimension, checklist: Checklist) -> JudgeWords:
    """Our judge's prompt for this checklist, with places for the text and its source. Raises NotReadyError."""
    task = project.task
    template = PLAIN.template(checklist.asked)
    labels = {"text": task.text_name, "source": task.source_name}

    def asked(source: str) -> ChatRequest:
        return judge_request(template, task, dimension, checklist.asked, Text("", _TEXT, source=source))

    request = asked(_SOURCE)
    return JudgeWords(
        system=request.prompt.system,
        with_source=_parts(request.prompt.user, labels),
        without_source=_parts(asked("").prompt.user, labels),
        labels={field: one_line(label.replace("=", " ")) for field, label in labels.items()},
        schema=request.schema or {},
    )


def _parts(user: str, labels: Mapping[str, str]) -> list[str]:
    """The user's part of a request, every second element the name of the field that stands there."""
    for field, place in (("text", _TEXT), ("source", _SOURCE)):
        user = user.replace(enclose(place, labels[field]), f"\ue001{field}\ue001")
    return user.split("\ue001")
