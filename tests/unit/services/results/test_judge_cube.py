"""Answers as an array: each in its place, whatever the order of texts and questions."""

from array import array

import numpy as np

from app.domain.checklist_score import Answer
from app.domain.run import ANSWERS, RunAnswers
from app.services.results.question_analysis import indices_among, judge_cube, judged_texts

YES, NO, OUTSIDE, SILENT = Answer.YES, Answer.NO, Answer.NOT_APPLICABLE, Answer.UNANSWERED
VALUES = {YES: 1.0, NO: 0.0, OUTSIDE: 2.0}
SAID = [
    (30, 0, 7, YES),
    (30, 0, 5, NO),
    (30, 1, 7, SILENT),
    (10, 0, 7, OUTSIDE),
    (10, 2, 5, YES),
    (99, 3, 5, YES),
]


def given(said: list[tuple[int, int, int, Answer]]) -> RunAnswers:
    texts, repeats, questions, answers = zip(*said, strict=True)
    places = array("b", map(ANSWERS.index, answers))
    return RunAnswers(array("q", texts), array("q", repeats), array("q", questions), places)


def test_each_answer_has_its_place_and_the_rest_is_none() -> None:
    texts, questions = [10, 20, 30], [5, 7, 9]
    expected = np.full((4, 3, 3), np.nan)  # as many repeats as there are, also of texts that aren't wanted
    for text, repeat, question, answer in SAID:
        if text in texts:
            expected[repeat, texts.index(text), questions.index(question)] = VALUES.get(answer, np.nan)
    np.testing.assert_array_equal(judge_cube(given(SAID), texts, questions, VALUES), expected)
    turned = judge_cube(given(SAID), texts[::-1], questions[::-1], VALUES)
    np.testing.assert_array_equal(turned, expected[:, ::-1, ::-1])


def test_what_was_not_asked_leaves_an_empty_array() -> None:
    assert np.isnan(judge_cube(RunAnswers(), [1, 2], [3], VALUES)).all()
    assert judge_cube(RunAnswers(), [1, 2], [3], VALUES).shape == (1, 2, 1)
    assert judge_cube(given(SAID), [], [], VALUES).shape == (4, 0, 0)


def test_texts_stand_in_the_order_in_which_they_were_judged() -> None:
    assert judged_texts(given(SAID)).tolist() == [30, 10, 99]
    assert judged_texts(RunAnswers()).tolist() == []


def test_places_of_what_is_not_there_are_marked() -> None:
    place, there = indices_among(np.array([4, 1, 9, 0]), np.array([9, 1, 4]))
    assert (place[there].tolist(), there.tolist()) == ([2, 1, 0], [True, True, True, False])
