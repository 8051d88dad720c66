"""QAGS, Topical-Chat and SFRES, in the form of UniEval's and GPTScore's repositories.

QAGS: summaries with the share of their content that people found supported by the article. Topical-Chat: replies in a
dialogue about a given fact, rated on five dimensions and overall. SFRES: sentences that a restaurant guide's dialogue
system made from data, rated on two dimensions and overall.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.corpora.assembly import RatingCell
from app.corpora.corpus import CorpusReader
from app.corpora.formats.known_format import RATER, KnownFormat, read_texts, rest_of_record
from app.corpora.presets import load_preset
from app.corpora.records import Records
from app.corpora.rows import BadCellError, identifier, json_safe, prose, proses
from app.domain.project import Text, dialogue_source

_OF_TEXT = ("doc_id", "system_id", "source", "reference", "system_output", "scores")


def _rated(record: Mapping[str, Any]) -> frozenset[str]:
    """Return the dimensions scored in a record of UniEval's form; none for a record of another form."""
    scores = record.get("scores")
    fits = isinstance(scores, dict) and isinstance(record.get("system_output"), str) and "source" in record
    return frozenset(str(name) for name in scores) if fits and isinstance(scores, dict) else frozenset()


def _scored_text(
    record: Mapping[str, Any], what: str, doc_id: str, source: str, item_id: str = ""
) -> tuple[Text, list[RatingCell]]:
    """Return a record of UniEval's form as a text with its ratings. Raises BadCellError if `scores` isn't an object."""
    text = Text(
        doc_id=doc_id,
        system_id=identifier(record.get("system_id")),
        item_id=item_id,
        text=prose(record.get("system_output"), f"{what} (system_output)"),
        source=source,
        references=proses(record.get("reference"), "reference"),
        extra=json_safe(
            rest_of_record(record, "doc_id", "system_id", "source", "reference", "system_output", "scores")
        ),
    )
    scores = record.get("scores")
    if not isinstance(scores, dict):
        raise BadCellError("The scores are not an object with a number for each dimension.")
    return text, [RatingCell(str(name), RATER, value) for name, value in scores.items()]


_ARTICLE = (
    "The file names the article as its own reference, and that is not kept as one. To compare summaries with the "
    "article, as G-Eval's Table 3 does for ROUGE, import with --references source, or choose it under References."
)


def _read_qags(records: Records, file_name: str) -> CorpusReader:
    """Read QAGS. A reference that is the article itself is left out, and a note says how to compare with the
    article."""

    def text_of(row: int, record: dict[str, Any]) -> tuple[Text, list[RatingCell]]:
        source = prose(record.get("source"), "source")
        text, cells = _scored_text(record, "summary", identifier(record.get("doc_id")) or f"row-{row}", source)
        return replace(text, references=tuple(each for each in text.references if each != source)), cells

    corpus = read_texts("qags", load_preset("factual consistency"), records, file_name, text_of)
    own = any(
        record.get("reference") and record.get("reference") == record.get("source") for _, record in records.items
    )
    return replace(corpus, notes=(_ARTICLE,)) if own else corpus


QAGS = KnownFormat(
    "qags",
    "doc_id, source, system_output and scores with consistency alone",
    lambda record: _rated(record) == {"consistency"},
    _read_qags,
)
GROUND_TRUTH = "Original Ground Truth"
_NO_REFERENCE = (
    "The file gives no references. Metrics that need one can compare with the replies of “Original Ground Truth”, as "
    f'CoAScore does: import with --references "system={GROUND_TRUTH}", or choose that system under References.'
)
_NO_FACT = "_nofact"  # how the file marks a reply that no fact was given for


def _read_topical_chat(records: Records, file_name: str) -> CorpusReader:
    """Read Topical-Chat. Dialogues have no id in the file: they are numbered in order of first appearance.

    The fact is part of the source, since groundedness can't be judged without it; `extra` keeps it raw too.
    """
    numbers: dict[str, int] = {}

    def text_of(_: int, record: dict[str, Any]) -> tuple[Text, list[RatingCell]]:
        fact = prose(record.get("context"), "context")
        source = dialogue_source(prose(record.get("source"), "source"), "" if fact == _NO_FACT else fact)
        number = numbers.setdefault(source, len(numbers) + 1)
        return _scored_text(record, "reply", f"dialogue-{number:03}", source)

    corpus = read_texts("topical-chat", load_preset("dialogue"), records, file_name, text_of)
    without = not any(record.get("reference") for _, record in records.items)
    theirs = any(str(record.get("system_id")) == GROUND_TRUTH for _, record in records.items)
    return replace(corpus, notes=(_NO_REFERENCE,)) if without and theirs else corpus


TOPICAL_CHAT = KnownFormat(
    "topical-chat",
    "source, system_id, system_output, context and scores with engagingness",
    lambda record: bool(_rated(record) & {"engagingness", "groundedness", "understandability"}),
    _read_topical_chat,
)


def _read_sfres(records: Records, file_name: str) -> CorpusReader:
    """Read SFRES. The doc_id counts texts, not sources, so it becomes the item; texts with equal data share a document.

    A document is named after the number of its first text.
    """
    documents: dict[str, str] = {}

    def text_of(row: int, record: dict[str, Any]) -> tuple[Text, list[RatingCell]]:
        source = prose(record.get("source"), "source")
        item_id = identifier(record.get("doc_id")) or f"row-{row}"
        return _scored_text(record, "sentence", documents.setdefault(source, f"source-{item_id}"), source, item_id)

    return read_texts("sfres", load_preset("data to text"), records, file_name, text_of)


SFRES = KnownFormat(
    "sfres",
    "doc_id, source, system_output and scores with informativeness",
    lambda record: {"informativeness", "naturalness"} <= _rated(record),
    _read_sfres,
)
FORMATS = (TOPICAL_CHAT, QAGS, SFRES)
