"""Benchmark of the comparison of attribute sets, on generated text."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from app.attribute_analysis.pool import AttributePool, pool_attributes
from app.attribute_analysis.similarity import jaccard_matrix, pair_matrices, rouge_l_matrix
from app.attribute_analysis.tokens import tokenize
from app.attribute_analysis.topics.topic_models import coherence_over_topics, find_lda_topics, find_nmf_topics

CONTRIBUTORS = 8
THEMES = 5
WORDS_PER_THEME = 60
SHARED_WORDS = 100


def run(attributes: int = 250, seeds: int = 20) -> dict[str, Any]:
    """Seconds for each part of the comparison, the best of three for the similarities, once for the rest."""
    pool = generated_pool(attributes)
    seconds = {
        "rouge_l_and_jaccard": min(_seconds(lambda: _lexical(pool)) for _ in range(3)),
        "all_similarities": min(_seconds(lambda: pair_matrices(pool.texts)) for _ in range(3)),
        "lda_topics": _seconds(lambda: find_lda_topics(pool, seeds=seeds)),
        "steady_topics": _seconds(lambda: find_nmf_topics(pool)),
        "coherence": _seconds(lambda: coherence_over_topics(pool)),
    }
    return {
        "attributes": attributes,
        "pairs": attributes * (attributes - 1) // 2,
        "seeds": seeds,
        "seconds": seconds | {"everything": sum(seconds.values()) - seconds["rouge_l_and_jaccard"]},
    }


def generated_pool(attributes: int, seed: int = 0) -> AttributePool:
    """Made-up words in made-up themes, 8 to 20 words an attribute, half of them from the attribute's theme."""
    rng = np.random.default_rng(seed)
    said: dict[str, list[str]] = {f"contributor {i + 1}": [] for i in range(CONTRIBUTORS)}
    for i in range(attributes):
        theme = int(rng.integers(THEMES))
        length = int(rng.integers(8, 21))
        own = [f"theme{theme}word{n}" for n in rng.integers(WORDS_PER_THEME, size=length // 2)]
        shared = [f"word{n}" for n in rng.integers(SHARED_WORDS, size=length - length // 2)]
        said[f"contributor {i % CONTRIBUTORS + 1}"].append(" ".join(rng.permutation([*own, *shared])))
    return pool_attributes(said)


def _lexical(pool: AttributePool) -> None:
    words = tokenize(pool.texts).words
    rouge_l_matrix(words)
    jaccard_matrix(words)


def _seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start
