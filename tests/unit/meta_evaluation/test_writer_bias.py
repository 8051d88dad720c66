"""Scores of people's and LLMs' texts by who people preferred, on pairs counted by hand."""

from typing import Any

import numpy as np
import pytest

from app.meta_evaluation.writer_bias import writer_bias

# source, by a person, rating, score
TEXTS = [
    ("a", True, 4.0, 3.0),
    ("a", False, 3.0, 4.0),  # person preferred: 3 beside 4
    ("a", False, 4.0, 5.0),  # alike: 3 beside 5
    ("b", True, 5.0, 4.0),
    ("b", False, 2.0, 2.0),  # person preferred: 4 beside 2
    ("c", True, 1.0, 2.0),
    ("c", False, 2.0, 5.0),  # LLM preferred: 2 beside 5
    ("d", True, 3.0, 3.0),  # nothing to pair with
]


def study(texts: list[tuple[str, bool, float, float]], **more: int) -> Any:
    sources, people, ratings, scores = zip(*texts, strict=True)
    return writer_bias(scores, ratings, sources, people, **more)


def test_means_by_preference_by_hand() -> None:
    found = study(TEXTS)
    person, alike, llm = found.groups
    assert [(g.preference, g.pairs, g.sources) for g in found.groups] == [
        ("person", 2, 2),
        ("alike", 1, 1),
        ("llm", 1, 1),
    ]
    assert (person.person.value, person.llm.value, person.difference.value) == (3.5, 3.0, 0.5)
    assert (alike.person.value, alike.llm.value, alike.difference.value) == (3.0, 5.0, -2.0)
    assert (llm.person.value, llm.llm.value, llm.difference.value) == (2.0, 5.0, -3.0)
    assert (found.unpaired, found.pairs) == (1, 4)
    assert (alike.difference.low, alike.difference.high) == (None, None)  # one source: nothing to draw from


def test_intervals_are_those_of_drawing_sources() -> None:
    found = study(TEXTS, resamples=2000, seed=3)
    person = found.groups[0].difference
    # The first group has two sources with differences -1 and 2: a resample's mean lies between them.
    assert (person.low, person.high) == (pytest.approx(-1), pytest.approx(2))
    assert found.n_undefined > 0  # resamples without any source of a group
    assert study(TEXTS, seed=3) == study(TEXTS, seed=3)


def test_with_many_sources_the_interval_is_that_of_a_mean() -> None:
    rng = np.random.default_rng(0)
    texts = []
    for n in range(300):
        gap = rng.normal(0.5, 1.0)
        texts += [(str(n), True, 4.0, 3.0), (str(n), False, 3.0, 3.0 + gap)]
    difference = study(texts).groups[0].difference
    spread = np.std([s for _, person, _, s in texts if not person]) / np.sqrt(300)
    assert difference.low == pytest.approx(difference.value - 1.96 * spread, abs=0.02)
    assert difference.high == pytest.approx(difference.value + 1.96 * spread, abs=0.02)


def test_without_pairs_there_is_nothing() -> None:
    found = study([("a", True, 4.0, 3.0), ("b", False, 4.0, 3.0)])
    assert (found.pairs, found.unpaired, found.groups[0].person) == (0, 2, None)
