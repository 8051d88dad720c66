"""Which texts people and models read as samples before they think aloud, and which texts that keeps out of scoring."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median, pstdev

import numpy as np
from numpy.typing import NDArray

from app.domain.attribute import SampleExclusions
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
