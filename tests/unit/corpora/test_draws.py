"""Draws stand for the whole, and the same seed draws the same."""

import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.corpora.draws import documents_by_systems, ks_check, stratified_draw
from app.domain.project import Text
from app.errors import NotReadyError

SKEWED = [5.0] * 640 + [4.0] * 200 + [3.0] * 100 + [2.0] * 40 + [1.0] * 20


def test_each_score_keeps_its_share():
    drawn = stratified_draw(SKEWED, 0.1, seed=3)
    assert len(drawn) == len(set(drawn)) == 100
    # Every count here is a multiple of 10, so that the strata meet the borders between scores exactly.
    assert Counter(SKEWED[index] for index in drawn) == {5.0: 64, 4.0: 20, 3.0: 10, 2.0: 4, 1.0: 2}
    check = ks_check([SKEWED[index] for index in drawn], SKEWED)
    assert check.statistic == pytest.approx(0)
    assert (check.n_drawn, check.n_all) == (100, 1000)


@given(
    scores=st.lists(st.floats(-100, 100), min_size=1, max_size=200),
    share=st.floats(0.01, 1),
    seed=st.integers(0, 1000),
)
def test_the_draw_is_never_further_off_than_one_text(scores, share, seed):
    drawn = stratified_draw(scores, share, seed)
    assert len(set(drawn)) == len(drawn) == max(1, round(share * len(scores)))
    assert list(drawn) == sorted(drawn)
    check = ks_check([scores[index] for index in drawn], scores)
    # After k of n strata the draw's share is k/n and the whole's within 1/N of it; inside a stratum 1/n more.
    assert check.statistic <= 1 / len(drawn) + 1 / len(scores) + 1e-9


def test_the_seed_decides_and_nothing_else():
    assert stratified_draw(SKEWED, 0.1, 1) == stratified_draw(SKEWED, 0.1, 1)
    assert stratified_draw(SKEWED, 0.1, 1) != stratified_draw(SKEWED, 0.1, 2)


def test_every_text_is_equally_likely_where_the_strata_are_equal():
    scores = [1.0] * 50 + [2.0] * 50
    counts = Counter(index for seed in range(400) for index in stratified_draw(scores, 0.1, seed))
    drawn = np.array([counts[index] for index in range(100)])
    assert drawn.sum() == 4000
    assert np.all(np.abs(drawn - 40) < 5 * np.sqrt(40 * 0.9))  # five binomial standard deviations


def test_a_large_share_favours_no_end_of_the_scale():
    drawn = stratified_draw([float(score) for score in range(100)], 0.9, seed=0)
    assert sum(index < 50 for index in drawn) == sum(index >= 50 for index in drawn) == 45


@pytest.mark.parametrize("scores", [[], [1.0, float("nan")]])
def test_missing_scores_are_said(scores):
    with pytest.raises(NotReadyError, match="no human score"):
        stratified_draw(scores, 0.5, 0)


@pytest.mark.parametrize("share", [0, -0.1, 1.5])
def test_a_share_out_of_range_is_a_programming_error(share):
    with pytest.raises(ValueError, match="share"):
        stratified_draw([1.0], share, 0)


def test_ks_on_hand_derived_values():
    # Half of the draw lies below everything else: the cumulative shares differ by 1/2 there.
    check = ks_check([0.0, 2.0], [1.0, 2.0])
    assert check.statistic == pytest.approx(0.5)
    assert 0 < check.p_value <= 1


def corpus(documents=10, systems=6):
    return [
        Text(doc_id=f"d{document}", system_id=f"s{system}", text="t")
        for document in range(documents)
        for system in range(systems)
    ]


def test_documents_by_systems_draws_that_many_of_each_without_repetition():
    texts = corpus()
    drawn = documents_by_systems(texts, documents=5, systems=4, seed=1)
    assert len(drawn) == len(set(drawn)) == 20
    groups = Counter(texts[index].doc_id for index in drawn)
    assert list(groups.values()) == [4] * 5
    assert drawn == documents_by_systems(texts, documents=5, systems=4, seed=1)
    assert drawn != documents_by_systems(texts, documents=5, systems=4, seed=2)


def test_a_system_with_several_texts_about_a_document_gives_one():
    texts = [Text(doc_id="d", system_id=system, item_id=str(item), text="t") for system in "ab" for item in range(3)]
    drawn = documents_by_systems(texts, documents=1, systems=2)
    assert sorted(texts[index].system_id for index in drawn) == ["a", "b"]


def test_too_few_documents_are_said_with_their_number():
    texts = [*corpus(documents=2), Text(doc_id="lonely", system_id="s0", text="t")]
    with pytest.raises(NotReadyError, match="Only 2 of 3 documents have texts by at least 4 systems; 40 are asked for"):
        documents_by_systems(texts)


@pytest.mark.long
def test_a_run_loads_no_statistics_before_distributions_are_compared() -> None:
    script = "import sys, app.services.scoring.runs\nprint('scipy.stats' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
