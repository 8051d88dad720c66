"""Thousands of replies put together from the ways judges answer: read right or called unreadable, never misread."""

import itertools

import pytest

from app.errors import UnreadableScoreError
from app.evaluators.score_reading import find_score
from tests.support.judge_replies import GIVEN, NONE

VALUES = (("4", 4), ("2", 2), ("4.5", 4.5), ("3.0", 3), ("1", 1), ("5", 5), ("3.25", 3.25), ("1,5", 1.5))
WORDS = (("four", 4), ("Two", 2), ("FIVE", 5), ("one", 1), ("three", 3))
DIGITS = (("٤", 4), ("۴", 4), ("४", 4), ("４", 4))  # Arabic, Persian, Hindi, and as wide as a Chinese letter
BEFORE = (
    "The summary names 3 of the 7 points. ",
    "It was written in 2019 and has 12 sentences.\n\n",
    "Two of its claims are wrong; 40% is new. ",
    "1. Order: fine.\n2. Links: missing.\n\n",
)
AFTER = (" It has 3 weaknesses.", "\nReason: 2 sentences repeat paragraph 1.", "\n\nConfidence: high, 90%.")
PAIRS = (("3", "4"), ("4", "5"), ("2", "3"), ("three", "four"), ("3.5", "4"), ("1", "2"))
CODE = ('"', "json", "boxed")  # in JSON and formulas numbers aren't spelled out


def read(text: str, low: float = 1, high: float = 5) -> float | None:
    try:
        return find_score(text, low, high).value
    except UnreadableScoreError:
        return None


def test_a_score_is_read(subtests: pytest.Subtests) -> None:
    for template in GIVEN:
        with subtests.test(template):
            spelled = () if any(sign in template for sign in CODE) else WORDS
            for written, value in (*VALUES, *spelled):
                if "," in written and '"score": {' in template:
                    continue
                assert read(template.format(v=written)) == value, template.format(v=written)


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.long)])
def test_with_other_numbers_around_it_a_score_is_read_or_none_is(subtests: pytest.Subtests, step: int) -> None:
    """step: 7 takes each value, each beginning and each end, but not all of their combinations."""
    combined = list(itertools.product(VALUES, ("", *BEFORE), ("", *AFTER)))[::step]
    for template in GIVEN:
        with subtests.test(template):
            for (written, value), before, after in combined:
                text = before + template.format(v=written) + after
                assert read(text) in (value, None), text


def test_a_labelled_score_is_read_among_other_numbers() -> None:
    for label, (written, value), before in itertools.product(
        ("Score: {v}", "Final score: {v}", "**Rating:** {v}/5"), VALUES, BEFORE
    ):
        assert read(before + label.format(v=written)) == value


def test_what_is_no_single_score_is_never_read(subtests: pytest.Subtests) -> None:
    for template in NONE:
        with subtests.test(template):
            texts = [template.format(a=a, b=b) for a, b in PAIRS] if "{" in template else [template]
            for text in texts:
                assert read(text) is None, text


def test_digits_of_other_scripts_are_read_as_they_are_or_not_at_all() -> None:
    for (written, value), template in itertools.product(DIGITS, ("{v}", "Score: {v}", "{v}/5", "I rate it {v}.")):
        assert read(template.format(v=written)) in (value, None)


@pytest.mark.parametrize(("low", "high"), [(1, 3), (0, 10), (1, 100), (0, 1), (-2, 2)])
def test_nothing_off_the_scale_is_ever_returned(low: float, high: float) -> None:
    for template, (written, value) in itertools.product(GIVEN, VALUES):
        found = read(template.format(v=written), low, high)
        assert found in (value, None)
        assert found is None or low <= found <= high
