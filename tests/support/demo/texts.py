"""The demo's texts and ratings, made by rules with planted faults: `make demo` writes them to texts.json."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from zlib import crc32

import numpy as np
import yaml

from app.corpora.corpus import Corpus, CorpusText
from app.corpora.presets import load_preset
from app.domain.project import Rating, Text
from app.domain.question_words import BE, HAVE


@dataclass(frozen=True, slots=True)
class Article:
    """One made-up news article.

    `summary` holds a faithful summary sentence by sentence, in order; `inventions` are sentences that the
    article doesn't support, `trivia` ones that it supports and that don't matter.
    """

    id: str
    title: str
    article: str
    summary: tuple[str, ...]
    inventions: tuple[str, ...]
    trivia: tuple[str, ...]

    @property
    def source(self) -> str:
        """Title and article, as a reader sees them."""
        return f"{self.title}\n\n{self.article}"


def load_articles() -> tuple[Article, ...]:
    """All bundled articles, in the order of the file."""
    entries = yaml.safe_load(files(__package__).joinpath("articles.yaml").read_text(encoding="utf-8"))
    return tuple(
        Article(
            id=entry["id"],
            title=entry["title"],
            article="\n\n".join(entry["article"].split("\n")),
            summary=tuple(entry["summary"]),
            inventions=tuple(entry["inventions"]),
            trivia=tuple(entry["trivia"]),
        )
        for entry in entries
    )


# Words that a hurried writer leaves out: the sentence stays understandable and is no longer English.
LINKING_WORDS = frozenset({"a", "an", "the", "of", "to", "in", "on", "at", "by", "for", "with", "and"})
SMALL_WORDS = LINKING_WORDS | BE | HAVE | {"be", "been", "will"}
KEPT_SHARE = (0.55, 0.8)
DOUBLED_WORDS = 3


def _cut_ending(sentence: str, rng: np.random.Generator) -> str:
    words = sentence.split()
    kept = int(len(words) * rng.uniform(*KEPT_SHARE))
    return " ".join(words[:kept]).rstrip(",;:")


def _drop_small_words(sentence: str, _rng: np.random.Generator) -> str:
    return " ".join(word for word in sentence.split() if word.lower() not in SMALL_WORDS)


def _double_words(sentence: str, rng: np.random.Generator) -> str:
    """Doubles words before the last one, which keeps its full stop to itself."""
    words = sentence.split()
    inner = len(words) - 1
    doubled = set(rng.choice(inner, size=min(DOUBLED_WORDS, inner), replace=False).tolist())
    return " ".join(f"{word} {word}" if i in doubled else word for i, word in enumerate(words))


def _lose_capitals(sentence: str, _rng: np.random.Generator) -> str:
    """Loses capitals and the punctuation that goes with them."""
    return sentence.lower().rstrip(".").replace(", ", " ").replace("; ", " ")


WAYS = (_cut_ending, _drop_small_words, _double_words, _lose_capitals)


def break_sentence(sentence: str, way: int, rng: np.random.Generator) -> str:
    """Break a sentence of at least four words; `way` counts round and round through WAYS."""
    return WAYS[way % len(WAYS)](sentence, rng)


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


LOW, HIGH = 1, 5
LOSS_AT_FULL_SEVERITY = 3.6
NOISE = 0.3

# Each degradation is aimed at one dimension (the largest weight) and harms others a little, as faults do for
# people too: a broken sentence may distort its meaning, an invention takes the room of a main point.
WEIGHTS: Mapping[Degradation, Mapping[str, float]] = {
    Degradation.TRIVIA: {"relevance": 1.0, "coherence": 0.1},
    Degradation.SHUFFLED: {"coherence": 1.0},
    Degradation.REPEATED: {"relevance": 0.6, "fluency": 0.3, "coherence": 0.2},
    Degradation.INVENTED: {"consistency": 1.0, "relevance": 0.2},
    Degradation.BROKEN: {"fluency": 1.0, "coherence": 0.2, "consistency": 0.1},
}


@dataclass(frozen=True, slots=True)
class Rater:
    """`leniency` is in points of the scale: above 0 kinder than the formula, below 0 stricter."""

    name: str
    leniency: float


RATERS = (
    Rater("simulated rater 1", 0.2),
    Rater("simulated rater 2", 0.0),
    Rater("simulated rater 3", -0.3),
)


def severity(dimension: str, strengths: Mapping[Degradation, float]) -> float:
    """How badly a text suffers on a dimension, from 0 (not at all) to 1."""
    return min(1.0, sum(strength * WEIGHTS[kind].get(dimension, 0.0) for kind, strength in strengths.items()))


def rate(
    strengths: Mapping[Degradation, float], dimensions: tuple[str, ...], rng: np.random.Generator
) -> tuple[Rating, ...]:
    """Whole-number ratings from 1 to 5 by every rater on every dimension."""
    return tuple(
        Rating(dimension, rater.name, _rating(severity(dimension, strengths), rater, rng))
        for dimension in dimensions
        for rater in RATERS
    )


def _rating(how_bad: float, rater: Rater, rng: np.random.Generator) -> float:
    felt = HIGH - LOSS_AT_FULL_SEVERITY * how_bad + rater.leniency + rng.normal(0.0, NOISE)
    return float(min(HIGH, max(LOW, round(felt))))


STRONG = (0.5, 0.75, 1.0)
WEAK = (0.0, 0.25, 0.5)


@dataclass(frozen=True, slots=True)
class Habits:
    """`main` degradations occur in every text of the system, `side` ones weakly and not in every text."""

    main: tuple[Degradation, ...] = ()
    side: tuple[Degradation, ...] = ()


# Every dimension suffers from the main habit of one system and a side habit of another, so the ratings of each
# dimension differ within each source, and no system is bad at everything.
SYSTEMS: Mapping[str, Habits] = {
    "careful": Habits(),
    "hasty": Habits(main=(Degradation.BROKEN, Degradation.SHUFFLED), side=(Degradation.TRIVIA,)),
    "inventive": Habits(main=(Degradation.INVENTED,), side=(Degradation.BROKEN, Degradation.SHUFFLED)),
    "rambling": Habits(
        main=(Degradation.TRIVIA, Degradation.REPEATED), side=(Degradation.SHUFFLED, Degradation.INVENTED)
    ),
}


def draw_strengths(habits: Habits, rng: np.random.Generator) -> dict[Degradation, float]:
    """The strengths (0..1) with which a system goes wrong in one text."""
    strengths = {kind: float(rng.choice(STRONG)) for kind in habits.main}
    return strengths | {kind: float(rng.choice(WEAK)) for kind in habits.side}


SEED = 7


def made_corpus(systems: Mapping[str, Habits] = SYSTEMS) -> Corpus:
    """Fourteen articles with a summary by each system, rated by three simulated raters on four dimensions.

    `text.extra` says that a text is simulated and holds its degradations with their strengths (0..1).
    """
    preset = load_preset("news summaries")
    names = tuple(dimension.name for dimension in preset.dimensions)
    return Corpus(
        format="sample",
        task=preset.task,
        dimensions=preset.dimensions,
        texts=tuple(_texts(names, systems)),
        skipped=(),
    )


def _texts(dimensions: tuple[str, ...], systems: Mapping[str, Habits]) -> Iterator[CorpusText]:
    row = 0
    for article in load_articles():
        for system, habits in systems.items():
            row += 1
            yield _text(row, article, system, habits, dimensions)


def _text(row: int, article: Article, system: str, habits: Habits, dimensions: tuple[str, ...]) -> CorpusText:
    # Seeded by name: a new article changes no other text.
    rng = np.random.default_rng([SEED, crc32(f"{article.id}/{system}".encode())])
    degraded = degrade(article, draw_strengths(habits, rng), rng)
    degradations = {kind.value: strength for kind, strength in degraded.strengths.items()}
    text = Text(
        doc_id=article.id,
        system_id=system,
        text=degraded.text,
        source=article.source,
        extra={"simulated": True, "degradations": degradations},
    )
    return CorpusText(row, text, rate(degraded.strengths, dimensions, rng))


def corpus_file(corpus: Corpus) -> str:
    """What `demo_corpus` reads, of a corpus of its kind."""
    document = {
        "sources": {each.text.doc_id: each.text.source for each in corpus.texts},
        "texts": [
            {
                "doc_id": each.text.doc_id,
                "system_id": each.text.system_id,
                "text": each.text.text,
                "degradations": each.text.extra["degradations"],
                "ratings": [[rating.dimension, rating.rater, rating.value] for rating in each.ratings],
            }
            for each in corpus.texts
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"
