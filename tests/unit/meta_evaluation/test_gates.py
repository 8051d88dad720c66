"""Gates: what is read, on which end of an interval they are held, and what looking every night does to them."""

import numpy as np
import pytest

from app.errors import InputError
from app.meta_evaluation.gates import FALL, MOST_NIGHTS, Gate, nightly_evidence, nightly_figures
from app.meta_evaluation.judges.drift import LIMIT

NIGHTS, TEXTS = 200, 40


@pytest.mark.parametrize(
    ("written", "gate"),
    [
        ("spearman>=.6", Gate("spearman", 0, ">=", 0.6)),
        ("yes(3) >= 0.9", Gate("yes", 3, ">=", 0.9)),
        (" mae<=1. ", Gate("mae", 0, "<=", 1.0)),
        ("score>=-2", Gate("score", 0, ">=", -2.0)),
    ],
)
def test_a_gate_is_read_and_written_alike(written: str, gate: Gate) -> None:
    assert Gate.read(written) == gate
    assert Gate.read(str(gate)) == gate


@pytest.mark.parametrize(
    "written", ["", "spearman", "spearman>.6", "yes>=.9", "yes(x)>=1", "bleu>=1", "score>=", "1e3"]
)
def test_what_is_no_gate_is_refused(written: str) -> None:
    with pytest.raises(InputError):
        Gate.read(written)


def test_a_gate_is_held_on_the_less_favourable_end() -> None:
    least, most = Gate.read("spearman>=.6"), Gate.read("mae<=.6")
    assert (least.passes(0.6, 0.9), least.passes(0.59, 0.9), least.passes(None, None)) == (True, False, False)
    assert (most.passes(0.1, 0.6), most.passes(0.1, 0.61), most.passes(None, None)) == (True, False, False)


def _nights(rng: np.random.Generator, shares: np.ndarray) -> list[np.ndarray]:
    return [(rng.random(TEXTS) < share).astype(float) for share in shares]


@pytest.mark.long
@pytest.mark.parametrize("bound", [0.5, 0.9])
def test_an_unchanged_share_fails_in_one_of_twenty_projects_at_most(bound: float) -> None:
    """At the bound itself, over 200 nights, failing in any of them."""
    rng, projects = np.random.default_rng(3), 300
    failed = sum(
        bool((nightly_evidence(_nights(rng, np.full(NIGHTS, bound)), bound) >= LIMIT).any()) for _ in range(projects)
    )
    assert failed / projects <= 0.05


def test_means_that_differ_by_document_fail_no_oftener() -> None:
    rng, projects = np.random.default_rng(4), 100
    own = np.linspace(0.8, 1.0, TEXTS)  # 0.9 on average
    failed = 0
    for _ in range(projects):
        nights = [(rng.random(TEXTS) < own).astype(float) for _ in range(60)]
        failed += bool((nightly_evidence(nights, 0.9) >= LIMIT).any())
    assert failed / projects <= 0.05


@pytest.mark.parametrize("before", [1, *(pytest.param(nights, marks=pytest.mark.long) for nights in (50, 150))])
def test_a_fall_of_15_points_fails_within_the_promised_nights(before: int) -> None:
    rng, bound, projects, found = np.random.default_rng(5), 0.9, 100, 0
    for _ in range(projects):
        good = _nights(rng, np.full(before, bound))
        promised = nightly_figures(good, bound, ">=").finds_within
        assert promised is not None
        assert promised <= 6
        after = _nights(rng, np.full(promised, bound - FALL))
        found += bool((nightly_evidence([*good, *after], bound) >= LIMIT).any())
    assert found / projects >= 0.85


def test_a_repair_passes_again_within_a_few_nights() -> None:
    rng = np.random.default_rng(6)
    bad, good = _nights(rng, np.full(30, 0.6)), _nights(rng, np.full(8, 0.97))
    assert not nightly_figures(bad, 0.9, ">=").passed
    assert nightly_figures([*bad, *good], 0.9, ">=").passed


def test_an_upper_bound_mirrors_a_lower_one() -> None:
    nights = _nights(np.random.default_rng(7), np.full(5, 0.7))
    low = nightly_figures(nights, 0.9, ">=")
    high = nightly_figures([1 - values for values in nights], 0.1, "<=")
    assert (low.evidence, low.finds_within) == (pytest.approx(high.evidence), high.finds_within)


def test_nights_without_values_are_no_looks() -> None:
    empty = nightly_figures([np.empty(0)], 0.9, ">=")
    assert (empty.nights, empty.mean, empty.evidence, empty.passed, empty.finds_within) == (0, None, 1.0, True, None)
    once = nightly_figures([np.ones(3), np.empty(0)], 1.0, ">=")
    assert (once.nights, once.values, once.last, once.passed) == (1, 3, 1.0, True)
    assert not nightly_figures([np.array([1.0, 0.0])], 1.0, ">=").passed
    rare = nightly_figures([np.ones(1)], 0.9, ">=")
    assert rare.finds_within is None or rare.finds_within > 5
    assert MOST_NIGHTS == 60
