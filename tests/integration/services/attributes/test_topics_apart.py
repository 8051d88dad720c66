"""Long computations run in a process of their own, and are stopped when they take too long."""

import os
import time

import pytest

from app.attribute_analysis.similarity import MOST_TEXTS, pair_matrices
from app.domain.attribute import Attribute, ContributorKind
from app.errors import InputError, NotReadyError
from app.services.attributes import analysis
from app.services.attributes.analysis import computed_apart

WORDS = [
    "order",
    "tone",
    "detail",
    "length",
    "facts",
    "names",
    "dates",
    "claims",
    "style",
    "voice",
    "rhythm",
    "grammar",
]


def _refuse() -> None:
    raise InputError("Not this.")


def test_computed_apart_runs_in_another_process() -> None:
    assert computed_apart(os.getpid) != os.getpid()


def test_computed_apart_passes_an_error_on() -> None:
    with pytest.raises(InputError):
        computed_apart(_refuse)


def test_computed_apart_too_long_is_stopped_and_gives_its_turn_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "SECONDS", 0.5)
    for _ in range(analysis.AT_A_TIME + 1):
        with pytest.raises(NotReadyError):
            computed_apart(time.sleep, 3600)
    monkeypatch.undo()
    assert computed_apart(abs, -3) == 3


def test_topics_computed_apart_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    attributes = [
        Attribute("fluency", name, kind, f"{WORDS[n % 12]} and {WORDS[(n * 5 + 1) % 12]} of the {WORDS[(n * 7) % 12]}")
        for n in range(40)
        for name, kind in (("Ana", ContributorKind.HUMAN), ("gpt", ContributorKind.LLM))
    ]
    here = analysis.topics_in(attributes, topics=3, seeds=2)
    coherence = analysis.topic_coherence(attributes)
    analysis._topics.cache_clear()
    analysis._coherence.cache_clear()
    monkeypatch.setattr(analysis, "MANY", 1)
    assert analysis.topics_in(attributes, topics=3, seeds=2).to_json() == here.to_json()
    assert analysis.topic_coherence(attributes) == coherence


def test_more_texts_than_fit_in_memory_are_refused() -> None:
    with pytest.raises(NotReadyError):
        pair_matrices(["a b"] * (MOST_TEXTS + 1))
