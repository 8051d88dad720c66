"""Choice of the texts that assessors read: spread over the score range (InteractEval, section 3.3).

The paper shows four samples of different scores and doesn't say how they were found. Here they are the lowest and the
highest score that people gave, and texts near the one-third and two-thirds points between these. Where nobody rated
the texts, chance draws them, spread over documents and systems.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median, pstdev

import numpy as np

from app.domain.think_aloud import HeldBack
from app.errors import NotReadyError

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
    """A text with the ratings that people gave it on the dimension, one at least."""
    spread = 0.0 if min(ratings) == max(ratings) else pstdev(ratings)  # which takes exact fractions, slowly
    return SampleCandidate(text_id, doc_id, fmean(ratings), spread, length)


@dataclass(frozen=True, slots=True)
class UnratedCandidate:
    """A text that nobody rated; `system_id` is "" where the data doesn't say who wrote it."""

    text_id: int
    doc_id: str
    system_id: str = ""


def held_back(
    samples: Iterable[tuple[int, str]], texts_of: Callable[[tuple[str, ...]], int], all_texts: int
) -> HeldBack:
    """What samples, as (text id, document), keep out of scoring. texts_of: how many texts documents have."""
    taken = list(samples)
    documents = tuple(sorted({document for _, document in taken}))
    if whole_documents(len(documents), texts_of(documents), all_texts):
        return HeldBack(documents=documents)
    return HeldBack(texts=tuple(sorted(text_id for text_id, _ in taken)))


def whole_documents(documents: int, their_texts: int, all_texts: int) -> bool:
    """Whether samples from so many documents keep these documents out of scoring whole, or only the samples themselves.

    Whole, as in the paper, whose documents are one article with 16 summaries each: none of the texts about an article
    that was read is scored. But where documents are few, that would leave less than half of the texts; and where they
    have more than 20 texts each, they are no sources of a few texts but assignments or collections, and four of them
    hundreds of texts. Where each has but one text, the document is the sample.
    """
    return their_texts <= documents or (
        their_texts <= documents * LARGEST_DOCUMENT and all_texts - their_texts >= KEPT * all_texts
    )


def few_documents(documents: int, all_texts: int) -> bool:
    """Whether samples of so many documents of like size would be left out alone, before any are chosen."""
    sampled = min(SAMPLES, documents)
    return bool(sampled) and not whole_documents(sampled, round(sampled * all_texts / documents), all_texts)


def choose_samples(candidates: Sequence[SampleCandidate], count: int = SAMPLES) -> tuple[SampleCandidate, ...]:
    """`count` texts across the range of scores, lowest first; fewer where fewer texts are rated.

    Among texts of fitting score the cheapest is taken: spread between raters and distance from the point aimed at
    (both as shares of the score range), plus what its length exceeds the median length by (as a share of it). Each
    comes from another document, unless there are fewer documents than samples. The same candidates in any order give
    the same samples.

    Raises NotReadyError where nothing is rated.
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
    """Draw `count` texts at random, in the order of their ids; fewer where there are fewer.

    No document is drawn from a second time while another is left, and of the rest no system. `documents`: those that
    other samples are from already. The same seed and candidates, in any order, give the same texts.
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


def _points(pool: Sequence[SampleCandidate], count: int) -> list[float]:
    """The scores to aim at: the ends first, the one found in fewer documents before the other."""
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
        """Take the best text for this point among those still allowed."""
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
