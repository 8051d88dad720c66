"""HelpSteer and HelpSteer2: replies to prompts, rated from 0 to 4 on five attributes (Wang et al. 2023 and 2024)."""

from typing import Any

from app.corpora.assembly import RatingCell
from app.corpora.corpus import CorpusReader
from app.corpora.formats.known_format import RATER, KnownFormat, read_texts
from app.corpora.presets import Preset
from app.corpora.records import Records
from app.corpora.rows import json_safe, prose
from app.domain.project import Dimension, Task, Text

_RUBRICS = {
    "helpfulness": "Helpfulness asks how far the reply does what the prompt asks for.",
    "correctness": "Correctness asks whether all facts that the prompt needs are in the reply, and none is wrong.",
    "coherence": "Coherence asks whether the reply is consistent and clearly put.",
    "complexity": "Complexity asks how much knowledge of the field it takes to write the reply; 0 is a child's words.",
    "verbosity": "Verbosity asks how much detail the reply has for its prompt; more isn't better.",
}
_PRESET = Preset(
    "replies to prompts",
    Task("reply", "prompt", "Each text is an assistant's reply to a prompt."),
    tuple(Dimension(name, rubric, 0, 4) for name, rubric in _RUBRICS.items()),
)
_FIELDS = {"prompt", "response", *_RUBRICS}


def _read(records: Records, file_name: str) -> CorpusReader:
    """Read the corpus. Replies to the same prompt are one document's texts, numbered; other fields go to `extra`."""
    documents: dict[str, str] = {}
    replies: dict[str, dict[str, str]] = {}

    def text_of(_: int, record: dict[str, Any]) -> tuple[Text, list[RatingCell]]:
        source, reply = prose(record.get("prompt"), "prompt"), prose(record.get("response"), "response")
        others = replies.setdefault(source, {})
        text = Text(
            doc_id=documents.setdefault(source, f"prompt-{len(documents) + 1:05}"),
            item_id=others.setdefault(reply, f"reply-{len(others) + 1}"),
            text=reply,
            source=source,
            extra=json_safe({name: value for name, value in record.items() if name not in _FIELDS}),
        )
        return text, [RatingCell(name, RATER, record.get(name)) for name in _RUBRICS]

    return read_texts("helpsteer", _PRESET, records, file_name, text_of)


HELPSTEER = KnownFormat(
    "helpsteer",
    "prompt, response, helpfulness, correctness, coherence, complexity and verbosity",
    lambda record: record.keys() >= _FIELDS,
    _read,
)
FORMATS = (HELPSTEER,)
