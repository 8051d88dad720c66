"""Similarities against the rouge-score package, and topics, on the InteractEval authors' attributes."""

from collections.abc import Callable
from itertools import combinations, product
from pathlib import Path

import pytest
from rouge_score import tokenize
from rouge_score.rouge_scorer import RougeScorer

from app.attribute_analysis.attribute_reading import decode_attributes, parse_attributes
from app.attribute_analysis.pool import pool_attributes
from app.attribute_analysis.topics.topic_models import find_lda_topics, find_nmf_topics
from tests.support.attribute_sets import compare_sets
from tests.support.made_data import made_data
from tests.support.real_data import shared_data

DIMENSIONS = ["coherence", "consistency", "fluency", "relevance"]
SCORER = RougeScorer(["rougeL"], use_stemmer=False)


def attribute_sets(dimension: str, data: Callable[[str], Path]) -> dict[str, list[str]]:
    paths = {kind: data(f"interacteval_attributes_{dimension}_{kind}.txt") for kind in ("human", "llm")}
    return {kind: parse_attributes(decode_attributes(path.read_bytes())) for kind, path in paths.items()}


def rouge_l(a: str, b: str) -> float:
    return float(SCORER.score(a, b)["rougeL"].fmeasure)


def jaccard(a: str, b: str) -> float:
    first, second = set(tokenize.tokenize(a, None)), set(tokenize.tokenize(b, None))
    return len(first & second) / len(first | second)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_values_equal_those_of_the_rouge_score_package(dimension: str) -> None:
    sets = attribute_sets(dimension, made_data)
    found = compare_sets(sets)
    for kind, texts in sets.items():
        pairs = list(combinations(texts, 2))
        assert found.within[kind].pairs == len(pairs)
        assert abs(found.within[kind].rouge_l - sum(rouge_l(a, b) for a, b in pairs) / len(pairs)) < 1e-6
        assert abs(found.within[kind].jaccard - sum(jaccard(a, b) for a, b in pairs) / len(pairs)) < 1e-6
    across = list(product(sets["human"], sets["llm"]))
    assert abs(found.between["human", "llm"].rouge_l - sum(rouge_l(a, b) for a, b in across) / len(across)) < 1e-6
    assert found.tokens == "rouge-score"
    assert found.notes == ()


@pytest.mark.parametrize("dimension", ["coherence", "fluency"])
def test_lda_on_the_authors_attributes_is_chance_and_the_steadier_model_is_not(dimension: str) -> None:
    pool = pool_attributes(attribute_sets(dimension, shared_data))
    lda, nmf = find_lda_topics(pool, 5, seeds=20), find_nmf_topics(pool, 5)
    assert lda.stability.ari_median is not None and nmf.stability.ari_median is not None
    assert -0.05 < lda.stability.ari_median < 0.08
    assert lda.warning
    assert nmf.stability.ari_median > 0.3
