"""The alternative annotator test, worked by hand: ties, people without enough texts, Benjamini and Yekutieli."""

import numpy as np
import pytest
from scipy import stats

from app.errors import InputError
from app.meta_evaluation.judges.alternative_annotator_test import AltTest, Annotator, alt_test, alt_test_verdict

NAN = np.nan


def test_equal_answers_are_a_win_for_both() -> None:
    """All say the same on 40 texts: nobody is ahead, so the judge holds up beside each at any epsilon above 0."""
    same = np.tile([1.0, 0.0], 20)
    found = alt_test(same, np.stack([same, same, same]), ["a", "b", "c"])
    assert (found.winning_rate, found.advantage_probability, found.passes) == (1.0, 1.0, True)
    assert [person.p for person in found.annotators] == [0.0, 0.0, 0.0]
    assert found.curve[0] == (0.0, 0.0)
    assert found.curve[1:] == tuple((round(0.05 * step, 2), 1.0) for step in range(1, 7))
    assert "may stand in" in alt_test_verdict(found)


def test_figures_by_hand_with_accuracy() -> None:
    """Person a against b alone, on 40 texts: the judge is right where a is not on 4, wrong where a is right on 10."""
    b = np.ones(40)
    a = np.r_[np.zeros(4), np.ones(36)]
    judge = np.r_[np.ones(4), np.zeros(10), np.ones(26)]
    found = alt_test(judge, np.stack([a, b]), ["a", "b"])
    left_out_a = found.annotators[0]
    ahead = np.r_[np.full(4, -1.0), np.full(10, 1.0), np.zeros(26)]  # a's win minus the judge's
    t = (ahead.mean() - 0.2) / (ahead.std(ddof=1) / np.sqrt(40))
    assert left_out_a.advantage == 30 / 40
    assert left_out_a.p == pytest.approx(stats.t.cdf(t, 39))
    # b against a alone: on 4 texts both differ from a, a tie; on 10 the judge alone does; on 26 both agree with a
    assert found.annotators[1].advantage == 30 / 40
    assert found.advantage_probability == 0.75
    assert found.winning_rate == 0.0
    assert "should not stand in" in alt_test_verdict(found)


def test_scores_are_compared_by_their_distance_to_the_others() -> None:
    """The others' scores are 2 and 4: 3 lies 1 away (root mean square), 5 lies sqrt(5), 1 as far."""
    n = 30
    people = np.stack([np.full(n, 5.0), np.full(n, 2.0), np.full(n, 4.0)])
    nearer = alt_test(np.full(n, 3.0), people, ["a", "b", "c"], metric="rmse")
    assert nearer.annotators[0].advantage == 1.0
    as_far = alt_test(np.full(n, 1.0), people, ["a", "b", "c"], metric="rmse")
    assert as_far.annotators[0].advantage == 1.0, "a tie"
    farther = alt_test(np.full(n, 0.0), people, ["a", "b", "c"], metric="rmse")
    assert (farther.annotators[0].advantage, farther.annotators[0].p) == (0.0, 1.0)


def test_people_with_few_shared_texts_are_named_and_still_count_as_others() -> None:
    """c answered 10 texts: not tested, but a and b are compared with c there."""
    judge = np.ones(40)
    a, b = np.ones(40), np.r_[np.full(10, NAN), np.ones(30)]
    c = np.r_[np.zeros(10), np.full(30, NAN)]
    found = alt_test(judge, np.stack([a, b, c]), ["a", "b", "c"])
    assert [(person.name, person.n) for person in found.annotators] == [("a", 40), ("b", 30)]
    assert [(person.name, person.n) for person in found.skipped] == [("c", 10)]
    assert found.winning_rate == 1.0


def test_nobody_left_to_test_is_said() -> None:
    found = alt_test(np.ones(20), np.ones((2, 20)), ["a", "b"])
    assert (found.winning_rate, found.passes, found.advantage_probability, found.annotators) == (None, None, None, ())
    assert "Too few texts" in alt_test_verdict(found)


def test_benjamini_and_yekutieli_s_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """For three tests the bounds are i / 3 * .05 / (1 + 1/2 + 1/3): .00909, .01818, .02727."""
    people, judge = np.ones((3, 40)), np.ones(40)
    module = "app.meta_evaluation.judges.alternative_annotator_test._p_values"
    for ps, rejected in [
        ([0.010, 0.018, 0.5], [True, True, False]),  # the second's bound takes the first with it
        ([0.010, 0.019, 0.5], [False, False, False]),
        ([0.027, 0.027, 0.027], [True, True, True]),
        ([0.009, 0.03, 0.04], [True, False, False]),
    ]:
        monkeypatch.setattr(module, lambda tested, epsilon, ps=ps: ps)
        found = alt_test(judge, people, ["a", "b", "c"])
        assert [person.rejected for person in found.annotators] == rejected


def test_bad_choices_are_refused() -> None:
    with pytest.raises(InputError, match="at least two"):
        alt_test(np.ones(40), np.ones((1, 40)), ["a"])
    with pytest.raises(InputError, match="share"):
        alt_test(np.ones(40), np.ones((2, 40)), ["a", "b"], epsilon=2)


def test_half_of_the_people_are_enough_to_pass() -> None:
    people = tuple(Annotator(name, 40, 0.5, 0.01, rejected) for name, rejected in (("Ana", True), ("Ben", False)))
    assert AltTest("accuracy", 0.2, people, (), ()).passes is True
