"""Four ways to break a sentence: cut its ending, drop its small words, double words, lose its capitals."""

import numpy as np

from app.domain.wording.english_words import BE, HAVE

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
