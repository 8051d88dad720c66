"""Long computations run in a process of their own, and are stopped when they take too long."""

import os
import time

import numpy as np
import pytest
from numpy.typing import NDArray

from app import limited_process
from app.attribute_analysis.similarity import MOST_TEXTS, pair_matrices
from app.domain.attribute import Attribute, ContributorKind
from app.errors import InputError, NotReadyError
from app.limited_process import computed_apart, computed_for_screens, offload_large_work
from app.limits import COMPUTATIONS
from app.services.attributes import comparison
from app.services.attributes.embedding_choice import LSA, Embedding

WORDS = ["order", "tone", "detail", "length", "facts", "names", "dates", "claims", "style", "voice", "rhythm", "syntax"]
ATTRIBUTES = [
    Attribute(
        "fluency", name, kind, f"{WORDS[n % 12]} and {WORDS[(n * 5 + 1) % 12]} of the {WORDS[(n * 7) % 12]}", id=i
    )
    for i, (n, name, kind) in enumerate(
        (n, name, kind)
        for n in range(40)
        for name, kind in (("Ana", ContributorKind.HUMAN), ("gpt", ContributorKind.LLM))
    )
]


class Model:
    """An embedder that can't be pickled, as a provider's client."""

    name = "model"

    def __init__(self) -> None:
        self.held = (n for n in range(3))

    def embed(self, texts: list[str]) -> NDArray[np.float64]:
        return np.array([[len(text), text.count("o"), 1.0] for text in texts])


def _refuse() -> None:
    raise InputError("Not this.")


def forget() -> None:
    for name in ("_topics", "_coherence", "_compared", "_noticed", "_within_sets", "_matrices"):
        getattr(comparison, name).cache_clear()


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every set counts as large; the functions that ran in a process of their own."""
    forget()
    ran: list[str] = []

    def noting(seconds, function, *arguments):  # type: ignore[no-untyped-def]
        ran.append(function.__name__)
        return computed_apart(seconds, function, *arguments)

    monkeypatch.setattr(comparison, "MANY", 1)
    monkeypatch.setattr(comparison, "computed_apart", noting)
    return ran


def test_computed_apart_passes_an_error_on() -> None:
    with pytest.raises(InputError):
        computed_apart(60, _refuse)


@pytest.mark.long
def test_computed_apart_too_long_is_stopped_and_gives_its_turn_back(monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(COMPUTATIONS + 1):
        with pytest.raises(NotReadyError):
            computed_apart(0.1, time.sleep, 3600)
    monkeypatch.setattr(limited_process, "_screens_wait", False)
    assert computed_for_screens(True, os.getpid) == os.getpid()
    offload_large_work()
    assert computed_for_screens(False, os.getpid) == os.getpid()
    assert computed_for_screens(True, os.getpid) != os.getpid(), "in another process, of which there may be so many"


@pytest.mark.long
def test_topics_computed_apart_are_the_same(apart: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    there = (comparison.topics_in(ATTRIBUTES, topics=3, seeds=2).to_json(), comparison.topic_coherence(ATTRIBUTES))
    assert apart == ["analyse_topics", "coherence_over_topics"]
    monkeypatch.undo()
    forget()
    here = (comparison.topics_in(ATTRIBUTES, topics=3, seeds=2).to_json(), comparison.topic_coherence(ATTRIBUTES))
    assert there == here


@pytest.mark.long
@pytest.mark.parametrize("embedding", [LSA, Embedding("model", Model())])
def test_comparison_computed_apart_is_the_same(
    embedding: Embedding, apart: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def compared() -> tuple[object, ...]:
        unique = comparison.find_unique_attributes(ATTRIBUTES, 0.2, embedding)
        return (
            comparison.compare_contributors(ATTRIBUTES, embedding),
            (unique.contributors, unique.kinds, unique.themes),
            comparison.similarity_of_sets(ATTRIBUTES, [[1, 2, 3], [4, 5]], embedding),
        )

    there = compared()
    assert sorted(apart) == ["_comparison", "_similarities", "_unique"]
    monkeypatch.undo()
    forget()
    assert there == compared()


def test_more_texts_than_fit_in_memory_are_refused() -> None:
    with pytest.raises(NotReadyError):
        pair_matrices(["a b"] * (MOST_TEXTS + 1))
