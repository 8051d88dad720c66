"""Asking models for attributes, finding attributes in transcripts, and the passages they are about."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.attribute import ProposedAttribute, Sample
from app.domain.passage import LONGEST_PASSAGE, Passage, PassagePart
from app.domain.project import Dimension, Task, Text
from app.domain.quotes import find_quote, stored_quote
from app.errors import InputError, NotReadyError
from app.prompting import PromptTemplate, dimension_variables, load_prompt, task_variables
from app.providers.base import ChatModel, ChatReply, ChatRequest
from app.providers.structured import ask, fits

PROMPT = "think-aloud"
# Our choice, where the paper asks once: at temperature 0 another round would bring the same words.
FIRST_TEMPERATURE, LATER_TEMPERATURE = 0.0, 1.0


@dataclass(frozen=True, slots=True)
class Elicitation:
    """One model's answer in one round. `reply` carries the usage of all attempts.

    `passages`: one for each attribute, None if it has no quote or the quote is in no sample; `absent` counts the
    latter.
    """

    attributes: tuple[str, ...]
    model: str
    request: ChatRequest
    reply: ChatReply
    passages: tuple[Passage | None, ...] = ()
    absent: int = 0


def think_aloud_request(
    template: PromptTemplate, task: Task, dimension: Dimension, samples: Sequence[Sample], *, round_number: int = 1
) -> ChatRequest:
    """Return the request of one round. Requests of different rounds differ, also for the cache."""
    numbered = [
        {"number": number, "source": sample.text.source, "text": sample.text.text, "score": sample.score}
        for number, sample in enumerate(samples, start=1)
    ]
    prompt = template.render(task=task_variables(task), dimension=dimension_variables(dimension), samples=numbered)
    temperature = FIRST_TEMPERATURE if round_number == 1 else LATER_TEMPERATURE
    return ChatRequest(prompt, template.output_schema, temperature=temperature, sample=round_number - 1)


async def think_aloud(
    model: ChatModel,
    task: Task,
    dimension: Dimension,
    samples: Sequence[Sample],
    *,
    template: PromptTemplate | None = None,
    round_number: int = 1,
) -> Elicitation:
    """Ask the model for attributes and return them in its order, without blank ones.

    Raises NotReadyError without samples, ProviderError if the model doesn't answer as asked.
    """
    if not samples:
        raise NotReadyError(
            f"There are no samples for {dimension.name} to think aloud about.", "Choose its samples first."
        )
    wording = template or load_prompt(PROMPT)
    request = think_aloud_request(wording, task, dimension, samples, round_number=round_number)
    answer = await ask(model, request, check=_check, accept=_is_answer)
    said = _said_in(answer.value)
    passages = tuple(quoted_passage(quote, samples) for _, quote in said)
    absent = sum(bool(quote) and passage is None for (_, quote), passage in zip(said, passages, strict=True))
    texts = tuple(text for text, _ in said)
    return Elicitation(texts, model.name, request, answer.reply, passages, absent)


ANSWER = {
    "type": "object",
    "required": ["considerations"],
    "properties": {
        "considerations": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["index", "consideration"],
                "properties": {"index": {"type": "integer"}, "consideration": {"type": "string"}},
            },
        }
    },
}
"""The schema of answers to any version of the prompt; quotes may be missing."""


def attributes_in(answer: dict[str, Any]) -> tuple[str, ...]:
    """Return the attributes in an answer that fits `ANSWER`, in the model's order, without blank ones."""
    return tuple(text for text, _ in _said_in(answer))


def _said_in(answer: dict[str, Any]) -> list[tuple[str, str]]:
    """Return (attribute, quote) pairs; the quote is "" if none is given."""
    ordered = sorted(answer["considerations"], key=lambda entry: entry["index"])
    said = ((entry["consideration"].strip(), stored_quote(entry.get("quote")).strip()) for entry in ordered)
    return [(text, quote) for text, quote in said if text]


def quoted_passage(quote: str, samples: Iterable[Sample]) -> Passage | None:
    """Return the passage of a model's quote in the samples or their sources; None if it isn't there. Exact matches come
    first."""
    found = [
        (sample.text, place) for sample in samples if (place := find_quote(quote, sample.text.text, sample.text.source))
    ]
    found.sort(key=lambda one: not one[1].exact)
    for text, place in found[:1]:
        part = PassagePart.SOURCE if place.in_source else PassagePart.TEXT
        return Passage.at(text.source if place.in_source else text.text, place.start, place.end, text.id, part)
    return None


def _is_answer(value: dict[str, Any]) -> bool:
    return fits(value, ANSWER) and _check(value) is None


def _check(value: dict[str, Any]) -> str | None:
    return None if attributes_in(value) else "it holds no consideration"


def passage_in(text: Text, said: Passage) -> Passage | None:
    """Return the same passage in this text or its source; None if other words are at its place. Raises InputError for a
    blank or too long passage."""
    content = text.source if said.part is PassagePart.SOURCE else text.text
    if said.part is PassagePart.TRANSCRIPT or content[said.start : said.end] != said.quote:
        return None
    return Passage.at(content, said.start, said.end, text.id, said.part)


def sample_passage(samples: Iterable[Sample], said: Passage) -> Passage:
    """Return the passage as it is in its sample. Raises InputError if it isn't there."""
    text = next((sample.text for sample in samples if sample.text.id == said.text_id), None)
    found = passage_in(text, said) if text else None
    if found is None:
        raise InputError(
            "These words are not in the samples as they are now.", "Reload the page and select them again."
        )
    return found


TRANSCRIPT_PROMPT = "transcript-attributes"
FEWEST_WORDS = 3  # "Right." or "Well, yes." is no point of its own

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+|(?<=[。！？])|\n+")


@dataclass(frozen=True, slots=True)
class TranscriptProposals:
    """The attributes that one model found in one transcript."""

    attributes: tuple[ProposedAttribute, ...]
    request: ChatRequest
    reply: ChatReply


def by_sentence(transcript: str) -> tuple[ProposedAttribute, ...]:
    """Return every sentence of at least three words as a proposal; in languages without spaces, its letters are
    counted."""
    parts = (part.strip() for part in _SENTENCE_END.split(transcript) if part)
    return tuple(ProposedAttribute(part, part) for part in parts if _says_something(part))


def spoken_passage(transcript: str, words: str) -> Passage | None:
    """Return the passage of a proposal's words in its transcript; None if they aren't there or are too long."""
    place = find_quote(words, transcript)
    if place is None or place.end - place.start > LONGEST_PASSAGE:
        return None
    return Passage.at(transcript, place.start, place.end, None, PassagePart.TRANSCRIPT)


def _says_something(sentence: str) -> bool:
    words = sentence.split()
    return len(words) >= FEWEST_WORDS or (not sentence.isascii() and len(sentence) > 2 * FEWEST_WORDS)


async def propose_from_transcript(
    model: ChatModel, task: Task, dimension: Dimension, transcript: str
) -> TranscriptProposals:
    """Ask the model for general attributes in a transcript and return them in the order they were said. Proposals that
    quote words not in the transcript are asked for again and, if they stay, left out.

    Raises ProviderError if the model doesn't answer as asked.
    """
    template = load_prompt(TRANSCRIPT_PROMPT)
    prompt = template.render(task=task_variables(task), dimension=dimension_variables(dimension), transcript=transcript)
    request = ChatRequest(prompt, template.output_schema)

    def check(answer: dict[str, Any]) -> str | None:
        wrong = len(answer["attributes"]) - len(_found(answer, transcript))
        return f"{wrong} of its entries quote words that don't stand in the transcript" if wrong else None

    def last_resort(answer: dict[str, Any]) -> dict[str, Any] | None:
        entries = answer.get("attributes")
        return answer if isinstance(entries, list) and all(isinstance(e, dict) for e in entries) else None

    answer = await ask(model, request, check=check, last_resort=last_resort)
    return TranscriptProposals(_found(answer.value, transcript), request, answer.reply)


FOLLOW_UP_PROMPT = "follow-up"
LONGEST_QUESTION = 300
"""In characters."""


async def follow_up_question(
    model: ChatModel, task: Task, dimension: Dimension, attribute: str
) -> tuple[str, ChatRequest, ChatReply]:
    """Return a model's question about an expert's attribute, with request and reply. The model reads only that
    attribute and the rubric.

    Raises ProviderError if the model doesn't answer as asked.
    """
    template = load_prompt(FOLLOW_UP_PROMPT)
    prompt = template.render(task=task_variables(task), dimension=dimension_variables(dimension), attribute=attribute)
    request = ChatRequest(prompt, template.output_schema, temperature=FIRST_TEMPERATURE)

    def check(answer: dict[str, Any]) -> str | None:
        length = len(answer["question"].strip())
        return None if 0 < length <= LONGEST_QUESTION else f"its question has {length} characters"

    answer = await ask(model, request, check=check)
    return " ".join(answer.value["question"].split()), request, answer.reply


CONTRAST_PROMPT = "contrast-attributes"


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two texts of one source, of which people found one better."""

    source: str
    better: str
    worse: str


async def contrast_attributes(
    model: ChatModel, task: Task, dimension: Dimension, pairs: Sequence[Contrast]
) -> Elicitation:
    """Ask the model what the better texts have that the worse ones lack; attributes are in its order, without blank
    ones.

    Raises ProviderError if the model doesn't answer as asked.
    """
    template = load_prompt(CONTRAST_PROMPT)
    numbered = [
        {"number": number, "source": pair.source, "better": pair.better, "worse": pair.worse}
        for number, pair in enumerate(pairs, start=1)
    ]
    prompt = template.render(task=task_variables(task), dimension=dimension_variables(dimension), pairs=numbered)
    request = ChatRequest(prompt, template.output_schema, temperature=FIRST_TEMPERATURE)
    answer = await ask(model, request)
    texts = (str(entry["attribute"]).strip() for entry in answer.value["attributes"])
    return Elicitation(tuple(text for text in texts if text), model.name, request, answer.reply)


def _found(answer: dict[str, Any], transcript: str) -> tuple[ProposedAttribute, ...]:
    said = _folded(transcript)
    entries = ((str(e.get("attribute", "")).strip(), str(e.get("words", "")).strip()) for e in answer["attributes"])
    return tuple(ProposedAttribute(text, words) for text, words in entries if text and words and _folded(words) in said)


def _folded(text: str) -> str:
    """Return the text in lower case with single spaces, for comparison."""
    return " ".join(text.split()).casefold()
