"""P(yes), worked out by hand from log-probabilities."""

import math

import pytest

from app.evaluators.answer_reading import probabilities_of_yes
from app.providers.base import TokenLogprob


def tokens(*parts: str | tuple[str, dict[str, float]]) -> list[TokenLogprob]:
    """A plain part is a certain token; (token, {alternative: probability}) one that wasn't."""
    found = []
    for part in parts:
        if isinstance(part, str):
            found.append(TokenLogprob(part, 0.0, {part: 0.0}))
        else:
            token, top = part
            found.append(TokenLogprob(token, math.log(top[token]), {t: math.log(p) for t, p in top.items()}))
    return found


def test_yes_is_weighed_against_no_and_other_words_are_left_out() -> None:
    said = tokens('{"', "q1", '":', ' "', ("yes", {"yes": 0.6, "no": 0.2, "maybe": 0.2}), '"}')
    assert probabilities_of_yes(said, ["q1"]) == {"q1": pytest.approx(0.75)}


def test_spellings_of_one_word_are_added_up() -> None:
    said = tokens('{"q1": "', ("no", {"no": 0.5, "No": 0.1, "n": 0.1, "yes": 0.2, "Yes": 0.1}), '"}')
    assert probabilities_of_yes(said, ["q1"]) == {"q1": pytest.approx(0.3)}


def test_a_token_that_begins_before_the_word_is_read_from_the_word_on() -> None:
    said = tokens(
        '{"q1":', (' "yes', {' "yes': 0.9, ' "no': 0.1}), '", "q2":', (' "no"', {' "no"': 0.8, ' "yes"': 0.2})
    )
    assert probabilities_of_yes(said, ["q1", "q2"]) == {"q1": pytest.approx(0.9), "q2": pytest.approx(0.2)}


def test_the_answer_counts_not_a_reason_before_it() -> None:
    said = tokens('{"q1": {"reason": "yes and no", "answer": "', ("no", {"no": 0.7, "yes": 0.3}), '"}}')
    assert probabilities_of_yes(said, ["q1"]) == {"q1": pytest.approx(0.3)}


def test_q1_is_not_q11() -> None:
    said = tokens('{"q11": "', ("yes", {"yes": 1.0}), '", "q1": "', ("no", {"no": 1.0}), '"}')
    assert probabilities_of_yes(said, ["q1", "q11"]) == {"q1": 0.0, "q11": 1.0}


def test_what_isn_t_there_is_missing_not_guessed() -> None:
    assert probabilities_of_yes(tokens('{"q1": "', ("perhaps", {"perhaps": 1.0}), '"}'), ["q1", "q2"]) == {}
    assert probabilities_of_yes([], ["q1"]) == {}


def test_a_thought_is_no_answer() -> None:
    thought = (
        '<think>Perhaps {"q1": "',
        ("no", {"no": 0.9, "yes": 0.1}),
        '", "q2": "',
        ("no", {"no": 1.0}),
        '"}</think>',
    )
    said = tokens(*thought, '{"q1": "', ("yes", {"yes": 0.8, "no": 0.2}), '"}')
    assert probabilities_of_yes(said, ["q1", "q2"]) == {"q1": pytest.approx(0.8)}
