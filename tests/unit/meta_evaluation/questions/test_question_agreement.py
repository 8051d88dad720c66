import numpy as np
import pytest

from app.meta_evaluation.questions.question_agreement import (
    OUTSIDE,
    inapplicable_reference,
    judge_stability,
    majority,
    question_agreement,
)

NAN = np.nan
YES_NO = np.array([1.0, 1, 0, 0, 1, 0])


def columns(*questions: np.ndarray) -> np.ndarray:
    return np.stack(questions, axis=-1)


def test_verdicts_tell_an_ambiguous_question_from_a_failing_judge() -> None:
    mixed = np.array([1.0, 0, 1, 0, 0, 1])
    constant = np.ones(6)
    experts = np.stack(
        [
            columns(YES_NO, YES_NO, YES_NO, constant),
            columns(YES_NO, mixed, YES_NO, constant),
            columns(YES_NO, 1 - mixed, YES_NO, constant),
        ]
    )
    judge = columns(YES_NO, YES_NO, 1 - YES_NO, constant)
    found = question_agreement(experts, judge)
    assert [q.verdict for q in found] == ["fine", "ambiguous question", "judge fails", "can't be told"]
    assert found[0].people.value == found[0].fleiss.value == found[0].judge.value == 1.0
    assert found[3].people.reason


def test_what_most_say_is_told_for_each_place_however_many_there_are() -> None:
    repeats = np.array([[[1.0, 0], [NAN, 1]], [[1.0, 1], [NAN, NAN]], [[0.0, NAN], [NAN, 1]]])  # of texts and questions
    np.testing.assert_array_equal(majority(repeats), [[1, NAN], [NAN, 1]])


def test_the_judge_is_compared_with_the_majority_and_even_splits_are_left_out() -> None:
    experts = np.array([[1.0, 1, 0, NAN], [1.0, 0, 0, NAN]])[:, :, None]
    found = question_agreement(experts, np.array([[1.0], [1], [0], [1]]))[0]
    assert (found.judge.value, found.judge.n, found.judge.n_undefined) == (1.0, 2, 2)


def test_stability_over_repeats() -> None:
    repeats = np.array([[1.0, 0, 1, 1], [1.0, 0, 0, NAN], [1.0, 0, 1, NAN]])[:, :, None]
    found = judge_stability(repeats)[0]
    assert found.same_answer == (1 + 1 + 2 / 3) / 3
    assert (found.n, found.n_undefined) == (3, 1)
    assert judge_stability(np.full((2, 1, 1), NAN))[0].same_answer is None


@pytest.mark.parametrize("texts", [1, 4])
def test_no_verdict_rests_on_a_handful_of_texts(texts: int) -> None:
    yes, no = np.ones((texts, 1)), np.zeros((texts, 1))
    apart = question_agreement(np.stack([yes, no]), yes)[0]
    assert (apart.verdict, apart.too_few) == (
        "can't be told",
        f"{texts} {'text' if texts == 1 else 'texts'} with the answers of two experts; a verdict needs 5.",
    )
    alike = columns(YES_NO)
    judged = np.where(np.arange(6)[:, None] < texts, alike, NAN)
    found = question_agreement(np.stack([alike, alike]), judged)[0]
    assert found.verdict == "can't be told"
    assert "of the judge" in found.too_few


def test_a_decision_is_the_reference_of_the_judge_and_changes_nothing_among_experts() -> None:
    experts = np.array([[1, 1, 0, 0, 1, 1], [1, 0, 0, 1, 1, 1]], dtype=float)[:, :, None]
    judge = np.array([1, 0, 0, 0, 0, 1], dtype=float)[:, None]
    decided = np.array([np.nan, 0, np.nan, np.nan, 0, OUTSIDE])[:, None]
    (before,), (after,) = question_agreement(experts, judge), question_agreement(experts, judge, None, decided)
    assert (before.judge.n, after.judge.n) == (4, 4), "one tie was decided, one text doesn't apply, one tie is left"
    assert after.judge.value == 1
    assert before.judge.value is not None
    assert before.judge.value < 1
    assert (before.people, before.fleiss) == (after.people, after.fleiss)
    assert (before.decided, after.decided) == (0, 3)


def test_that_something_does_not_apply_can_be_decided_too() -> None:
    said = np.array([[1, 0, 0], [1, 0, 1]], dtype=float)
    decided = np.array([1.0, OUTSIDE, np.nan])
    assert np.array_equal(inapplicable_reference(said, decided), [0, 1, np.nan], equal_nan=True)
    assert np.array_equal(inapplicable_reference(said, None), [1, 0, np.nan], equal_nan=True)
