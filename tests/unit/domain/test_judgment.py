"""Scores from answers, worked out by hand."""

import pytest

from app.domain.judgment import CANNOT_TELL, Answer, Evaluation, Judgment, abstained, checklist_score, soft_score

YES, NO, NA, OPEN = Answer.YES, Answer.NO, Answer.NOT_APPLICABLE, Answer.UNANSWERED


@pytest.mark.parametrize(
    ("answers", "value", "coverage"),
    [
        ([YES] * 7 + [NO] * 2, 1 + 4 * 7 / 9, 1),
        ([YES] * 7 + [NO, NA], 4.5, 1),  # what doesn't apply is no No, and leaves no gap
        ([YES, NA, OPEN], 5, 2 / 3),
        ([NA, NA], None, 1),
        ([NA, OPEN], None, 0.5),
        ([OPEN, OPEN], None, 0),
    ],
)
def test_the_score_is_yes_of_yes_and_no(answers: list[Answer], value: float | None, coverage: float) -> None:
    score = checklist_score(answers, 1, 5)
    assert score.value == pytest.approx(value)
    assert score.coverage == pytest.approx(coverage)


def test_weights_of_what_does_not_apply_play_no_part() -> None:
    assert checklist_score([YES, NO, NA], 1, 5, [1, 3, 100]).value == 2
    assert checklist_score([NA, NO], 1, 5, [1, 0]).value is None


def test_the_soft_score_is_over_what_applies() -> None:
    sure = [Judgment(1, YES, p_yes=0.75), Judgment(2, NA), Judgment(3, NO, p_yes=0.25)]
    assert soft_score(sure, 1, 5) == 3
    assert soft_score([*sure, Judgment(4, OPEN)], 1, 5) is None
    assert soft_score([Judgment(2, NA)], 1, 5) is None


def test_what_a_judge_says_that_it_can_not_tell_is_settled_and_what_it_leaves_open_is_not() -> None:
    told, untold, silent = Judgment(1, YES), Judgment(2, OPEN, cannot_tell=True), Judgment(3, OPEN)
    assert Evaluation(5.0, 0.5, (told, untold)).settled
    assert not Evaluation(5.0, 1 / 3, (told, untold, silent)).settled
    assert abstained(CANNOT_TELL).settled
    assert not Evaluation(5.0, 0.5).settled
