"""From what an expert said to proposed attributes, each with the words it came from (InteractEval, section 3.3.1).

In the paper people pick the considerations out of the transcripts by hand. Here a model proposes, or without one every
sentence is a proposal; either way the expert decides.
"""

import re
from dataclasses import dataclass
from typing import Any

from app.domain.task import Dimension, Task
from app.domain.think_aloud import ProposedAttribute
from app.prompting import dimension_variables, load_prompt, task_variables
from app.providers.base import ChatModel, ChatReply, ChatRequest
from app.providers.structured import ask

PROMPT = "transcript-attributes"
FEWEST_WORDS = 3  # "Right." or "Well, yes." is no point of its own

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+|(?<=[。！？])|\n+")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class TranscriptProposals:
    """What one model found in one transcript."""

    attributes: tuple[ProposedAttribute, ...]
    request: ChatRequest
    reply: ChatReply


def by_sentence(transcript: str) -> tuple[ProposedAttribute, ...]:
    """Every sentence of three words or more as it was said; one without spaces counts by its letters."""
    parts = (part.strip() for part in _SENTENCE_END.split(transcript) if part)
    return tuple(ProposedAttribute(part, part) for part in parts if _says_something(part))


def _says_something(sentence: str) -> bool:
    words = sentence.split()
    return len(words) >= FEWEST_WORDS or (not sentence.isascii() and len(sentence) > 2 * FEWEST_WORDS)


async def propose_from_transcript(
    model: ChatModel, task: Task, dimension: Dimension, transcript: str
) -> TranscriptProposals:
    """General points in the order they were said. Proposals whose words don't stand in the transcript are asked for
    again and, if they stay, left out: nothing is put into an expert's mouth.

    Raises ProviderError where the model doesn't answer as asked.
    """
    template = load_prompt(PROMPT)
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


def _found(answer: dict[str, Any], transcript: str) -> tuple[ProposedAttribute, ...]:
    said = _folded(transcript)
    entries = ((str(e.get("attribute", "")).strip(), str(e.get("words", "")).strip()) for e in answer["attributes"])
    return tuple(ProposedAttribute(text, words) for text, words in entries if text and words and _folded(words) in said)


def _folded(text: str) -> str:
    """Alike where only case and white space differ."""
    return _SPACE.sub(" ", text).strip().casefold()
