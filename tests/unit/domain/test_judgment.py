"""Scores from answers, worked out by hand."""

from dataclasses import replace

import pytest

from app.domain.checklist import Question
from app.domain.checklist_score import (
    CANNOT_TELL,
    Answer,
    Evaluation,
    Judgment,
    abstained_evaluation,
    checklist_score,
    inconsistent_grades,
    soft_score,
)

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
    assert checklist_score([YES, NO, NA], 1, 5, weighing(1, 3, 100), weighted=True).value == 2
    assert checklist_score([NA, NO], 1, 5, weighing(1, 0), weighted=True).value is None


def weighing(*weights: float) -> list[Question]:
    return [Question("", "", weight=weight) for weight in weights]


BAD, CAPPED = Question("", "", id=1, must_not=True), Question("", "", id=2, cap=2.0)
GRADE = [Question("", "", id=3 + n, grade="clarity") for n in range(3)]


@pytest.mark.parametrize(
    ("questions", "answers", "value"),
    [
        ([BAD, CAPPED], [NO, YES], 5),
        ([BAD, CAPPED], [YES, YES], 3),  # a yes costs the point
        ([BAD, CAPPED], [NO, NO], 2),  # half of the points, but no more than the cap
        ([BAD, CAPPED], [NO, NA], 5),
        ([replace(BAD, cap=1.5)], [YES], 1),  # below its cap already
        ([BAD, replace(CAPPED, must_not=True)], [NO, YES], 2),
        ([BAD, *GRADE], [YES, YES, YES, NO], 1 + 4 * (2 / 3) / 2),  # the grade counts as one question
        ([BAD, *GRADE], [NO, YES, OPEN, OPEN], 5),
    ],
)
def test_the_score_counts_points(questions: list[Question], answers: list[Answer], value: float) -> None:
    assert checklist_score(answers, 1, 5, questions).value == pytest.approx(value)


def test_the_soft_score_counts_points() -> None:
    sure = [Judgment(1, YES, p_yes=0.75), Judgment(2, YES, p_yes=0.75)]
    assert soft_score(sure, 1, 5, [BAD, CAPPED]) == 3
    assert soft_score([sure[0], Judgment(2, NO, p_yes=0.5)], 1, 5, [BAD, CAPPED]) == 2
    graded = [Judgment(question.id, YES, p_yes=1.0) for question in GRADE]
    assert soft_score([sure[0], *graded], 1, 5, [BAD, *GRADE]) == pytest.approx(1 + 4 * (0.25 + 1) / 2)


@pytest.mark.parametrize(
    ("answers", "pairs"),
    [
        ([YES, YES, NO], []),
        ([NO, YES, NO], [(3, 4)]),
        ([NO, NO, YES], [(3, 5), (4, 5)]),
        ([OPEN, NA, YES], []),
    ],
)
def test_contradicting_thresholds_are_found(answers: list[Answer], pairs: list[tuple[int, int]]) -> None:
    assert inconsistent_grades(GRADE, answers) == pairs


def test_the_soft_score_is_over_what_applies() -> None:
    sure = [Judgment(1, YES, p_yes=0.75), Judgment(2, NA), Judgment(3, NO, p_yes=0.25)]
    assert soft_score(sure, 1, 5) == 3
    assert soft_score([*sure, Judgment(4, OPEN)], 1, 5) is None
    assert soft_score([Judgment(2, NA)], 1, 5) is None


def test_what_a_judge_says_that_it_can_not_tell_is_settled_and_what_it_leaves_open_is_not() -> None:
    told, untold, silent = Judgment(1, YES), Judgment(2, OPEN, cannot_tell=True), Judgment(3, OPEN)
    assert Evaluation(5.0, 0.5, (told, untold)).settled
    assert not Evaluation(5.0, 1 / 3, (told, untold, silent)).settled
    assert abstained_evaluation(CANNOT_TELL).settled
    assert not Evaluation(5.0, 0.5).settled
