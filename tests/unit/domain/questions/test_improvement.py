"""Errors counted beside decisions, two wordings compared on the same texts, and the best of several."""

import pytest

from app.domain.checklist_score import Answer, answer_said
from app.domain.improvement import (
    AnswerErrors,
    ProposedWording,
    TriedWording,
    WordingTrial,
    best_tried,
    compared_wordings,
    errors_of,
)

YES, NO, NA, NONE = Answer.YES, Answer.NO, Answer.NOT_APPLICABLE, Answer.UNANSWERED


def test_each_kind_of_error_is_counted_apart() -> None:
    decided = dict(enumerate([YES, NO, NO, YES, NA, YES, YES, NO]))
    answers = dict(enumerate([YES, NO, YES, NO, YES, NA, NONE]))
    found = errors_of(answers, decided)
    assert found == AnswerErrors(n=7, false_yes=1, false_no=1, other=2, unanswered=1)
    assert (found.right, found.agreement) == (2, 2 / 7)
    assert AnswerErrors().agreement is None


@pytest.mark.parametrize(
    ("repeats", "said"), [([YES], YES), ([YES, NO, YES], YES), ([YES, NO], NONE), ([NA, NA, NO], NA), ([NONE], NONE)]
)
def test_repeats_count_by_majority(repeats: list[Answer], said: Answer) -> None:
    assert answer_said(repeats) is said


def test_two_wordings_are_compared_where_both_have_an_answer() -> None:
    decided = {1: YES, 2: YES, 3: NO, 4: NO, 5: YES, 6: YES}
    before = {1: YES, 2: NO, 3: YES, 4: NO, 5: NO}
    after = {1: YES, 2: YES, 3: NO, 4: YES, 5: NA, 6: YES}
    found = compared_wordings(before, after, decided, dict.fromkeys(decided, "d") | {2: "e", 6: "f"})
    assert (found.gained, found.lost, found.both, found.neither) == (2, 1, 1, 1)
    assert (found.failed, found.documents) == (1, 2)
    assert (found.before.right, found.after.right) == (2, 3)


def tried(text: str, guidance: str, gained: int, lost: int) -> TriedWording:
    nothing = AnswerErrors(9)
    return TriedWording(ProposedWording(text, guidance), WordingTrial(nothing, nothing, gained, lost))


def test_of_wordings_as_good_the_one_that_changes_least_is_best() -> None:
    now = ProposedWording("Is it warm?")
    wordings = [
        tried("Is it kind?", "", 5, 1),
        tried("Is it warm?", "Warm means kind to the reader.", 4, 0),
        tried("Is it warm?", "Warm means kind.", 5, 1),
        tried("Is it warm?", "Kind.", 3, 0),
    ]
    assert best_tried(wordings, now) == 2
    assert best_tried([tried("Is it kind?", "", 2, 2)], now) is None
    assert best_tried([], now) is None
