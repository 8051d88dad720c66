import numpy as np
import pytest

from app.meta_evaluation.questions.item_analysis import (
    Counting,
    analyse_items,
    point_biserial,
    share_of_yes,
    top_less_bottom,
)

NAN = np.nan
ANSWERS = np.array(
    [
        # good, its twin, reversed, always yes, rarely answered
        [0, 0, 1, 1, NAN],
        [0, 0, 1, 1, 0],
        [0, 0, 1, 1, NAN],
        [1, 1, 0, 1, NAN],
        [1, 1, 0, 1, 1],
        [1, 1, 0, 1, NAN],
    ]
)
HUMAN = np.array([1.0, 2, 2, 4, 4, 5])


def test_yes_shares_and_unanswered() -> None:
    items = analyse_items(ANSWERS, HUMAN).items
    assert [item.yes_share for item in items] == [0.5, 0.5, 0.5, 1.0, 0.5]
    assert [item.n_undefined for item in items] == [0, 0, 0, 0, 4]
    assert share_of_yes(ANSWERS)[0] == 0.5


def test_flags_in_plain_words() -> None:
    flags = [" ".join(item.flags) for item in analyse_items(ANSWERS, HUMAN).items]
    assert "almost like question 2, 3" in flags[0]
    assert "less often" in flags[2]
    assert "Always answered yes" in flags[3]
    assert "67 %" in flags[4]


def test_a_question_where_yes_is_bad_counts_by_its_no() -> None:
    turned = ANSWERS[:, :4].copy()
    turned[:, 2] = 1 - turned[:, 2]
    plain = analyse_items(turned, HUMAN)
    marked = Counting(np.array([False, False, True, False]), np.ones(4), np.full(4, NAN))
    found = analyse_items(ANSWERS[:, :4], HUMAN, counting=marked)
    assert [(i.discrimination, i.effect, i.top_less_bottom) for i in found.items] == [
        (i.discrimination, i.effect, i.top_less_bottom) for i in plain.items
    ]
    assert found.spearman == plain.spearman
    assert found.items[2].yes_share == 0.5


def test_scores_count_thresholds_together_and_hold_caps() -> None:
    # One question that caps at a quarter, and a grade of two thresholds.
    counting = Counting(np.zeros(3, dtype=bool), np.array([1, 0.5, 0.5]), np.array([0.25, NAN, NAN]))
    answers = np.array([[1, 1, 0], [0, 1, 1], [NAN, 1, 0], [NAN, NAN, NAN]])
    assert counting.score(answers) == pytest.approx([0.75, 0.25, 0.5, NAN], nan_ok=True)
    assert counting.score(answers, without=0) == pytest.approx([0.5, 1, 0.5, NAN], nan_ok=True)


def test_discrimination_is_the_point_biserial_with_the_rest() -> None:
    answer, rest = np.array([0.0, 0, 1, 1]), np.array([0.0, 0.5, 0.5, 1.0])
    assert point_biserial(answer, rest) == pytest.approx(np.corrcoef(answer, rest)[0, 1])
    assert point_biserial(np.ones(4), rest) is None
    assert point_biserial(answer[:2], rest[:2]) is None


def test_top_and_bottom_third() -> None:
    rest = np.arange(9.0)
    answer = np.array([0, 0, 1, 0, 0, 1, 1, 1, 1.0])
    assert top_less_bottom(answer, rest) == pytest.approx(1 - 1 / 3)
    assert top_less_bottom(answer, np.ones(9)) is None


def test_effect_of_dropping_a_question() -> None:
    good = np.array([[0, 0, 0, 1, 1, 1], [0, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 1.0]]).T
    found = analyse_items(np.column_stack([good, 1 - good[:, 0]]), HUMAN)
    assert found.spearman is not None
    reversed_item = found.items[3]
    assert reversed_item.effect is not None
    assert reversed_item.effect < 0, "the checklist agrees better without the reversed question"
    assert reversed_item.without == pytest.approx(found.spearman - reversed_item.effect)


def test_redundant_pairs_strongest_first_and_undefined_pairs_counted() -> None:
    found = analyse_items(ANSWERS, HUMAN)
    assert (found.redundant[0].first, found.redundant[0].second, found.redundant[0].phi) == (0, 1, pytest.approx(1))
    assert any(pair.phi == pytest.approx(-1) for pair in found.redundant)
    assert found.pairs_undefined == 4, "one question never varies"


def test_a_checklist_of_one_question_and_no_texts() -> None:
    one = analyse_items(ANSWERS[:, :1], HUMAN)
    assert one.items[0].discrimination is None
    assert one.items[0].effect is None
    empty = analyse_items(np.empty((0, 2)), np.empty(0))
    assert empty.items[0].yes_share is None
    assert empty.reason


def test_without_rated_texts_nothing_is_remarked() -> None:
    assert all(item.flags == () for item in analyse_items(np.empty((0, 3)), np.empty(0)).items)
    unanswered = np.column_stack([np.full(6, np.nan), HUMAN.mean() < HUMAN])
    assert analyse_items(unanswered, HUMAN).items[0].flags[0] == "Never answered."


def test_nothing_is_said_of_answers_to_a_handful_of_texts() -> None:
    one = analyse_items(ANSWERS[:1, :4], HUMAN[:1]).items
    assert {item.flags for item in one} == {("Answered for 1 text: remarks on answers need 5.",)}
    rare = analyse_items(ANSWERS, HUMAN).items[4]
    assert rare.flags[0] == "Answered for 2 texts: remarks on answers need 5."
