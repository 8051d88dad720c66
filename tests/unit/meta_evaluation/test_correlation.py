import numpy as np
import pytest

from app.meta_evaluation.correlation import estimate
from app.meta_evaluation.score_matrix import score_table


def test_per_source_averages_over_the_sources_that_have_a_coefficient() -> None:
    # a: perfect agreement; b: perfect disagreement of 3; c: constant rating; d: one text
    pred = [1, 2, 3, 1, 2, 3, 1, 2, 5]
    human = [1, 2, 3, 3, 2, 1, 4, 4, 5]
    group = list("aaabbbccd")
    found = estimate(score_table([pred], human, group=group), "per-source")
    assert found.values[0, :3].tolist() == [0.0, 0.0, 0.0]
    assert found.values[0, 3] == pytest.approx((0 + 4 / 3) / 2), "MAE over the same two sources"
    basis = found.basis
    assert (basis.groups_used, basis.groups_all, basis.groups_constant, basis.groups_small) == (2, 4, 1, 1)
    assert (basis.n, basis.n_used) == (9, 6)


def test_constant_sources_count_as_zero_when_asked() -> None:
    pred, human, group = [1, 2, 3, 1, 2, 9], [1, 2, 3, 4, 4, 5], list("aaabbc")  # c: one text, which never counts
    table = score_table([pred], human, group=group)
    assert estimate(table, "per-source", "skip").values[0, 0] == 1.0
    zero = estimate(table, "per-source", "zero")
    assert zero.values[0, 0] == 0.5
    assert zero.values[0, 3] == pytest.approx((0 + 2.5) / 2)
    assert zero.basis.groups_used == 2


def test_the_three_levels_answer_different_questions() -> None:
    # Inside each source x ranks the systems backwards, but the sources themselves agree.
    pred = [1, 2, 3, 11, 12, 13]
    human = [3, 2, 1, 13, 12, 11]
    table = score_table([pred], human, group=list("aaabbb"), system=list("xyzxyz"))
    assert estimate(table, "per-source").values[0, 0] == -1
    assert estimate(table, "dataset").values[0, 0] > 0.5
    assert estimate(table, "system").values[0, 0] == -1


def test_system_means_that_are_equal_up_to_rounding_stay_tied() -> None:
    thirds = [0.1, 0.2, 0.3, 0.3, 0.2, 0.1, 1.0, 1.0, 1.0]
    table = score_table([thirds], thirds, group=list("abcabcabc"), system=list("xxxyyyzzz"))
    assert estimate(table, "system").basis.ties.either == 1


def test_ties_are_counted_among_the_pairs_compared() -> None:
    table = score_table([[1, 1, 2, 1]], [1, 2, 2, 5], group=list("aaab"))
    inside = estimate(table, "per-source").basis.ties
    assert (inside.pairs, inside.either, inside.pred, inside.human) == (3, 2, (1,), 1)
    overall = estimate(table, "dataset").basis.ties
    assert (overall.pairs, overall.either, overall.pred, overall.human) == (6, 4, (3,), 1)


def test_two_predictors_are_compared_on_the_sources_both_have() -> None:
    a = [1, 2, 3, 3, 2, 1]
    b = [1, 2, 3, 7, 7, 7]
    found = estimate(score_table([a, b], [1, 2, 3, 1, 2, 3], group=list("aaabbb")), "per-source")
    assert found.values[:, 0].tolist() == [1.0, 1.0]
    assert found.basis.groups_used == 1


@pytest.mark.parametrize(
    ("pred", "human", "sentence"),
    [
        ([], [], "No texts have both"),
        ([None, 1], [1, None], "No texts have both"),
        ([1], [1], "Only one"),
        ([1, 2], [1, 2], "only two"),
        ([1, 2, 3], [4, 4, 4], "same human rating"),
        ([4, 4, 4], [1, 2, 3], "same score"),
    ],
)
def test_degenerate_pools_give_a_sentence(pred: list[float], human: list[float], sentence: str) -> None:
    found = estimate(score_table([pred], human), "dataset")
    assert np.isnan(found.values[0, :3]).all()
    assert sentence in found.reason


@pytest.mark.parametrize(
    ("human", "group", "sentence"),
    [
        ([1, 2, 3], "abc", "No source has two or more"),
        ([1, 1, 1], "aaa", "In every source"),
        ([1, 1, 2], "aab", "Every source has"),
        ([1, 2, 3], "aab", "could only be +1 or -1"),
    ],
)
def test_degenerate_sources_give_a_sentence(human: list[float], group: str, sentence: str) -> None:
    found = estimate(score_table([[1, 2, 3]], human, group=list(group)), "per-source")
    assert np.isnan(found.values[0, :3]).all()
    assert sentence in found.reason
