"""Thinking aloud: choosing samples, asking models for attributes, and finding attributes in transcripts."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median, pstdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.domain.attribute import LONGEST_PASSAGE, Passage, PassagePart, ProposedAttribute, Sample, SampleExclusions
from app.domain.project import Dimension, Task, Text
from app.domain.wording import find_quote, stored_quote
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


SAMPLES = 4  # shown for a dimension, as in the paper
KEPT = 0.5  # of the texts: what has to be left for scoring where whole documents are left out
LARGEST_DOCUMENT = 20  # texts; the paper's have 16
BAND = 1 / 12  # of the score range: how far from its point a sample between the ends may lie while others are nearer


@dataclass(frozen=True, slots=True)
class SampleCandidate:
    """A rated text. `score` is the mean over raters, `rater_spread` their standard deviation (0 for one rater).

    `length` is what a person has to read (any unit, the same for all candidates).
    """

    text_id: int
    doc_id: str
    score: float
    rater_spread: float
    length: int


def sample_candidate(text_id: int, doc_id: str, length: int, ratings: Sequence[float]) -> SampleCandidate:
    """Return a candidate from the ratings, at least one, that people gave the text on the dimension."""
    spread = 0.0 if min(ratings) == max(ratings) else pstdev(ratings)  # which takes exact fractions, slowly
    return SampleCandidate(text_id, doc_id, fmean(ratings), spread, length)


@dataclass(frozen=True, slots=True)
class UnratedCandidate:
    """A text that nobody rated; `system_id` is "" where the data doesn't say who wrote it."""

    text_id: int
    doc_id: str
    system_id: str = ""


def sample_exclusions(
    samples: Iterable[tuple[int, str]], texts_of: Callable[[tuple[str, ...]], int], all_texts: int
) -> SampleExclusions:
    """Return what the samples, as (text id, document), keep out of scoring. texts_of: counts the texts of documents."""
    taken = list(samples)
    documents = tuple(sorted({document for _, document in taken}))
    if whole_documents(len(documents), texts_of(documents), all_texts):
        return SampleExclusions(documents=documents)
    return SampleExclusions(texts=tuple(sorted(text_id for text_id, _ in taken)))


def whole_documents(documents: int, their_texts: int, all_texts: int) -> bool:
    """Return whether samples keep all texts of their documents out of scoring, or only the samples themselves.

    `documents` is the number of sampled documents, `their_texts` of all texts in them. True as in the paper, where a
    document is one article with 16 summaries. False if fewer than half of all texts would remain, or if a document has
    more than 20 texts on average: it is then an assignment or a collection. True if each document has only one text.
    """
    return their_texts <= documents or (
        their_texts <= documents * LARGEST_DOCUMENT and all_texts - their_texts >= KEPT * all_texts
    )


def few_documents(documents: int, all_texts: int) -> bool:
    """Return whether only the samples would be held back if documents had equal sizes. Used before samples are
    chosen."""
    sampled = min(SAMPLES, documents)
    return bool(sampled) and not whole_documents(sampled, round(sampled * all_texts / documents), all_texts)


def choose_samples(candidates: Sequence[SampleCandidate], count: int = SAMPLES) -> tuple[SampleCandidate, ...]:
    """Return `count` texts across the range of scores, lowest first; fewer if fewer texts are rated.

    For each target score the text with the lowest cost is taken: spread between raters plus distance from the target
    (both as shares of the score range), plus the excess of its length over the median (as a share of the median). Each
    comes from another document, unless there are fewer documents than samples. The order of the candidates doesn't
    matter.

    Raises NotReadyError if no text is rated.
    """
    if not candidates:
        raise NotReadyError("There are no samples to choose: no text is rated.", "Import ratings.")
    if count < 1:
        raise ValueError("count must be at least 1")
    pool = sorted(candidates, key=lambda candidate: candidate.text_id)
    choice = _Choice(pool)
    wanted = min(count, len(pool))
    for point in _points(pool, wanted):
        choice.take(point)
    return tuple(sorted(choice.taken, key=lambda sample: (sample.score, sample.text_id)))


def draw_unrated(
    candidates: Sequence[UnratedCandidate], count: int = SAMPLES, seed: int = 0, documents: Collection[str] = ()
) -> tuple[UnratedCandidate, ...]:
    """Draw `count` texts at random, in the order of their ids; fewer if there are fewer.

    A document is used twice only when none is unused; the same then holds for systems. `documents`: those of the other
    samples. The same seed and candidates, in any order, give the same texts.
    """
    pool = sorted(candidates, key=lambda candidate: candidate.text_id)
    order = [int(place) for place in np.random.default_rng(seed).permutation(len(pool))]
    by_document, by_system = Counter(documents), Counter[str]()
    taken: list[int] = []
    for _ in range(min(count, len(pool))):
        place = min(
            (place for place in order if place not in taken),
            key=lambda place: (by_document[pool[place].doc_id], by_system[pool[place].system_id]),
        )
        taken.append(place)
        by_document[pool[place].doc_id] += 1
        by_system[pool[place].system_id] += 1
    return tuple(pool[place] for place in sorted(taken))


def draw_apart(
    candidates: Sequence[UnratedCandidate],
    words: NDArray[np.float64],
    lengths: Sequence[int],
    count: int = SAMPLES,
    seed: int = 0,
    documents: Collection[str] = (),
) -> tuple[UnratedCandidate, ...]:
    """Draw `count` texts that are unlike each other, in the order of their ids: the first at random, each other one
    farthest from those before (Gonzalez 1985), from an unused document if possible.

    words: (candidates, width) vectors of the contents. The distance is the mean of the cosine distance and a distance
    in form, itself the mean of the difference in log length (in standard deviations, at most 2, halved) and of whether
    the systems differ (0 or 1).
    """
    if not candidates:
        return ()
    size = np.log1p(np.asarray(lengths, dtype=np.float64))
    size = (size - size.mean()) / (size.std() or 1.0)
    norm = np.linalg.norm(words, axis=1, keepdims=True)
    unit = words / np.where(norm <= 1e-12, 1.0, norm)
    systems = np.array([candidate.system_id for candidate in candidates])
    used = Counter(documents)
    first = int(np.random.default_rng(seed).integers(len(candidates)))
    taken, apart = [first], np.full(len(candidates), np.inf)
    while True:
        at = taken[-1]
        used[candidates[at].doc_id] += 1
        form = (np.minimum(np.abs(size - size[at]), 2.0) / 2 + (systems != systems[at])) / 2
        apart = np.minimum(apart, (1 - unit @ unit[at] + form) / 2)
        free = [place for place in range(len(candidates)) if place not in taken]
        if len(taken) >= count or not free:
            break
        taken.append(min(free, key=lambda place: (used[candidates[place].doc_id], -apart[place], place)))
    return tuple(sorted((candidates[place] for place in taken), key=lambda candidate: candidate.text_id))


def _points(pool: Sequence[SampleCandidate], count: int) -> list[float]:
    """Return the target scores: both ends first, of these the one found in fewer documents."""
    low, high = _range(pool)
    if count == 1:
        return [(low + high) / 2]
    ends = sorted((low, high), key=lambda end: len({c.doc_id for c in pool if c.score == end}))
    step = (high - low) / (count - 1)
    return ends + [low + step * position for position in range(1, count - 1)]


def _range(pool: Iterable[SampleCandidate]) -> tuple[float, float]:
    scores = [candidate.score for candidate in pool]
    return min(scores), max(scores)


class _Choice:
    def __init__(self, pool: Sequence[SampleCandidate]) -> None:
        self.pool = pool
        self.taken: list[SampleCandidate] = []
        self.low, self.high = _range(pool)
        self.scale = (self.high - self.low) or 1.0
        self.usual_length = median(candidate.length for candidate in pool) or 1

    def take(self, point: float) -> None:
        """Take the best text for this target score among those still allowed."""
        taken = {sample.text_id for sample in self.taken}
        free = [candidate for candidate in self.pool if candidate.text_id not in taken]
        documents = {sample.doc_id for sample in self.taken}
        allowed = [candidate for candidate in free if candidate.doc_id not in documents] or free
        nearest = min(abs(candidate.score - point) for candidate in allowed)
        band = 0.0 if point in (self.low, self.high) else self.scale * BAND
        fitting = [c for c in allowed if abs(c.score - point) <= max(nearest, band)]
        self.taken.append(min(fitting, key=lambda candidate: (self._cost(candidate, point), candidate.text_id)))

    def _cost(self, candidate: SampleCandidate, point: float) -> float:
        excess = max(0.0, candidate.length / self.usual_length - 1)
        return (candidate.rater_spread + abs(candidate.score - point)) / self.scale + excess


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
