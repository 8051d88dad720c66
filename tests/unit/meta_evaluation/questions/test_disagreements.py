"""Where people, judges and repeats part, and which of these move the figures most."""

import numpy as np
import pytest

from app.meta_evaluation.questions.question_agreement import OUTSIDE, disagreeing_answers, most_given, settled

Y, N, A, O = 1.0, 0.0, OUTSIDE, np.nan  # noqa: E741 - O: no answer


def column(*answers: tuple[float, ...]) -> np.ndarray:
    """(answerers, texts, 1 question) of the answers text by text."""
    return np.array(answers, dtype=np.float64).T[:, :, None]


def nothing(texts: int) -> np.ndarray:
    return np.full((texts, 1), np.nan)


def test_people_part_where_not_all_who_answered_said_the_same() -> None:
    people = column((Y, Y, O), (Y, N, Y), (Y, A, O), (A, A, A), (O, O, O), (N, O, O))
    assert disagreeing_answers(people, [], nothing(6)).experts[:, 0].tolist() == [
        False,
        True,
        True,
        False,
        False,
        False,
    ]


def test_a_judge_parts_from_what_most_people_say_and_from_nothing_else() -> None:
    people = column((Y, Y, N), (Y, N, O), (A, A, Y), (A, Y, O), (O, O, O), (Y, Y, Y))
    judge = column((N, N, Y), (N, N, N), (Y, Y, Y), (N, N, N), (N, N, N), (Y, N, O))
    found = disagreeing_answers(people, [judge], nothing(6))
    assert found.judges[0, :, 0].tolist() == [True, False, True, False, False, False]
    assert found.repeats[0, :, 0].tolist() == [True, False, False, False, False, True]
    assert found.anywhere[:, 0].tolist() == [True, True, True, True, False, True]


def test_an_answer_that_is_none_parts_from_nothing() -> None:
    found = disagreeing_answers(column((Y, O), (O, O)), [column((O, O), (Y, O))], nothing(2))
    assert not found.anywhere.any()


def test_most_say_as_everywhere_that_it_does_not_apply_or_yes_or_no() -> None:
    said = column((A, A, Y), (A, Y, O), (Y, Y, N), (Y, N, O), (Y, N, A), (O, O, O))
    assert np.array_equal(most_given(said)[:, 0], [A, np.nan, Y, np.nan, np.nan, np.nan], equal_nan=True)


def test_what_was_decided_takes_the_place_of_what_most_say() -> None:
    assert settled(np.array([[Y], [N], [np.nan]]), np.array([[np.nan], [A], [Y]])).tolist() == [[Y], [A], [Y]]


def test_the_weight_is_how_far_agreement_moves_on_average() -> None:
    """Four texts with a reference, on three of which the one judge is right; the fifth is a tie of two people."""
    people = column((Y, Y), (Y, Y), (Y, Y), (Y, Y), (Y, N))
    judge = column((Y,), (Y,), (Y,), (N,), (Y,))
    weight = disagreeing_answers(people, [judge], nothing(5)).weight[:, 0]
    # Settled as yes (2 of 3 voices) agreement becomes 4 of 5, as no 3 of 5.
    assert weight[4] == pytest.approx(2 / 3 * (4 / 5 - 3 / 4) + 1 / 3 * (3 / 4 - 3 / 5))
    # The judge alone says no: with its voice of three the text becomes right.
    assert weight[3] == pytest.approx(1 / 3 * 1 / 4)
    assert weight[:3].tolist() == [0, 0, 0], "all say the same: settling changes nothing"


def test_more_judges_that_a_tie_decides_about_weigh_more_than_one() -> None:
    people = column((Y, N), (Y, Y), (Y, Y), (N, N))
    same = column((Y,), (Y,), (Y,), (N,))
    silent = column((O,), (Y,), (Y,), (N,))
    assert (
        disagreeing_answers(people, [same, same], nothing(4)).weight[0, 0]
        > disagreeing_answers(people, [same, silent], nothing(4)).weight[0, 0]
        > 0
    )


def test_the_first_text_with_a_reference_moves_a_figure_by_all_of_it() -> None:
    wavering = column((Y, Y, N), (Y, Y, Y))
    weight = disagreeing_answers(np.empty((0, 2, 1)), [wavering], nothing(2)).weight[:, 0]
    assert weight.tolist() == [1, 1]


def test_a_question_with_fewer_texts_moves_more() -> None:
    people = np.full((3, 10, 2), Y)
    people[:, 5:, 1] = np.nan
    people[0, 0] = N
    judge = np.full((1, 10, 2), N)
    weight = disagreeing_answers(people, [judge], np.full((10, 2), np.nan)).weight[0]
    assert weight[1] > weight[0] > 0


def test_without_judges_the_most_divided_weigh_most() -> None:
    people = column((Y, Y, Y, N), (Y, Y, N, N), (Y, Y, Y, Y), (O, O, O, O))
    weight = disagreeing_answers(people, [], nothing(4)).weight[:, 0]
    assert weight.tolist() == pytest.approx([1 / 4 / 2, 1 / 3, 0, 0])


def test_what_was_decided_counts_as_reference_in_the_weights() -> None:
    people = column((Y, N), (Y, N))
    judge = column((Y,), (Y,))
    alone = disagreeing_answers(people, [judge], nothing(2)).weight[0, 0]
    decided = np.array([[np.nan], [Y]])
    assert alone == 1
    assert disagreeing_answers(people, [judge], decided).weight[0, 0] == pytest.approx(1 / 3 * 1 / 2)
