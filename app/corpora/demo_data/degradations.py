"""Ways to spoil a good summary by a known amount.

Each way takes a strength between 0 and 1 and tells the strength it reached, because a text has only so many
sentences to spoil: the ratings follow what was done, not what was asked for.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from app.corpora.demo_data.articles import Article
from app.corpora.demo_data.broken_sentences import WAYS, break_sentence

MOST_REPEATS = 3

# (sentences, article, wanted strength, rng) -> (sentences, reached strength)
_Way = Callable[[list[str], Article, float, np.random.Generator], tuple[list[str], float]]


class Degradation(StrEnum):
    """What is done to the summary, and what strength 1 means."""

    TRIVIA = "trivia"  # every trivial detail of the article stands in place of a main point
    SHUFFLED = "shuffled order"  # the sentences stand in reverse order
    REPEATED = "repetition"  # three sentences are said twice
    INVENTED = "invented facts"  # every invention for the article is included
    BROKEN = "broken sentences"  # no sentence is intact


@dataclass(frozen=True, slots=True)
class Degraded:
    """A spoiled summary and how strongly each degradation was applied (those not applied are absent)."""

    text: str
    strengths: Mapping[Degradation, float]


def degrade(article: Article, wanted: Mapping[Degradation, float], rng: np.random.Generator) -> Degraded:
    """Apply the wanted degradations (strengths in 0..1) to the article's summary, in the order of the enum.

    The order matters: sentences are shuffled before any is added, so that the strength refers to the summary's
    own; nothing false is repeated, which would count it twice; and a repetition isn't broken like its original.
    """
    sentences = list(article.summary)
    reached: dict[Degradation, float] = {}
    for kind in Degradation:
        strength = wanted.get(kind, 0.0)
        if strength > 0:
            sentences, reached[kind] = _APPLY[kind](sentences, article, strength, rng)
    return Degraded(" ".join(sentences), reached)


def _count(strength: float, most: int) -> int:
    """How many of `most` things a strength stands for; at least one, or nothing would be degraded."""
    return max(1, round(strength * most))


def _put_trivia(
    sentences: list[str], article: Article, strength: float, rng: np.random.Generator
) -> tuple[list[str], float]:
    """Replace main points by trivia; the first sentence stays, so that the text still tells what it is about."""
    count = _count(strength, len(article.trivia))
    places = rng.choice(np.arange(1, len(sentences)), size=count, replace=False)
    chosen = rng.choice(len(article.trivia), size=count, replace=False)
    result = list(sentences)
    for place, which in zip(places, chosen, strict=True):
        result[place] = article.trivia[which]
    return result, count / len(article.trivia)


def _shuffle(
    sentences: list[str], _article: Article, strength: float, rng: np.random.Generator
) -> tuple[list[str], float]:
    """Put the given share of all sentence pairs in the wrong order (normalised Kendall distance).

    Swapping two neighbours that are in order makes exactly one more pair wrong: swaps count up to the target.
    """
    pairs = len(sentences) * (len(sentences) - 1) // 2
    wrong = _count(strength, pairs)
    order = list(range(len(sentences)))
    for _ in range(wrong):
        place = rng.choice([i for i in range(len(order) - 1) if order[i] < order[i + 1]])
        order[place], order[place + 1] = order[place + 1], order[place]
    return [sentences[i] for i in order], wrong / pairs


def _repeat(
    sentences: list[str], _article: Article, strength: float, rng: np.random.Generator
) -> tuple[list[str], float]:
    """Say some sentences a second time, somewhere after the first."""
    most = min(MOST_REPEATS, len(sentences))
    count = _count(strength, most)
    result = list(sentences)
    for which in rng.choice(len(sentences), size=count, replace=False):
        first = result.index(sentences[which])
        result.insert(int(rng.integers(first + 1, len(result) + 1)), sentences[which])
    return result, count / most


def _add_inventions(
    sentences: list[str], article: Article, strength: float, rng: np.random.Generator
) -> tuple[list[str], float]:
    """Insert false sentences anywhere but at the beginning."""
    count = _count(strength, len(article.inventions))
    result = list(sentences)
    for which in rng.choice(len(article.inventions), size=count, replace=False):
        result.insert(int(rng.integers(1, len(result) + 1)), article.inventions[which])
    return result, count / len(article.inventions)


def _break(
    sentences: list[str], _article: Article, strength: float, rng: np.random.Generator
) -> tuple[list[str], float]:
    """Break the given share of the sentences, each in one way, the ways in turn."""
    count = _count(strength, len(sentences))
    result = list(sentences)
    first_way = int(rng.integers(len(WAYS)))
    for turn, place in enumerate(rng.choice(len(sentences), size=count, replace=False)):
        result[place] = break_sentence(result[place], first_way + turn, rng)
    return result, count / len(sentences)


_APPLY: Mapping[Degradation, _Way] = {
    Degradation.TRIVIA: _put_trivia,
    Degradation.SHUFFLED: _shuffle,
    Degradation.REPEATED: _repeat,
    Degradation.INVENTED: _add_inventions,
    Degradation.BROKEN: _break,
}
