"""How unsure judges are: one formula for probabilities, repeats and several judges."""

import numpy as np
import pytest

from app.meta_evaluation.judges.uncertainty import judge_uncertainty

NAN = np.nan


def test_judges_that_split_and_probabilities_near_a_half_count_alike():
    split = judge_uncertainty(np.array([[[1.0], [1.0]], [[0.0], [1.0]]]))
    soft = judge_uncertainty(np.array([[[0.5], [1.0]]]))
    for found in (split, soft):
        assert found.text == pytest.approx([0.5, 0.0])
        assert found.known


def test_a_text_is_as_unsure_as_its_questions_are_on_average():
    # variances .25 and .09: the root of their mean
    found = judge_uncertainty(np.array([[[0.5, 0.9], [0.0, NAN]]]))
    assert found.text == pytest.approx([np.sqrt(0.17), 0.0])
    assert found.question[0] == pytest.approx([0.25, 0.09])
    assert np.isnan(found.question[1, 1])


def test_texts_that_no_judge_answered_are_as_unsure_as_the_others():
    found = judge_uncertainty(np.array([[[0.5], [0.0], [NAN]]]))
    assert found.text == pytest.approx([0.5, 0.0, 0.25])


@pytest.mark.parametrize("answers", [[[1.0], [0.0]], [[NAN], [NAN]], [[0.5], [0.5]]])
def test_sure_or_silent_judges_and_equal_doubts_tell_no_texts_apart(answers: list[list[float]]):
    assert not judge_uncertainty(np.array([answers])).known
