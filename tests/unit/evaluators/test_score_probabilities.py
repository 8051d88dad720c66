"""The distribution over scores that take one token or several, worked out by hand."""

import math

import pytest

from app.evaluators.score_probabilities import probabilities_of_scores
from app.providers.base import TokenLogprob

Step = tuple[str, dict[str, float]]


def expected(value: float, scale: tuple[float, float], *steps: Step | str) -> float | None:
    """A plain step is certain and has no alternatives."""
    tokens = []
    for step in steps:
        token, top = (step, {step: 1.0}) if isinstance(step, str) else step
        tokens.append(TokenLogprob(token, math.log(top[token]), {t: math.log(p) for t, p in top.items()}))
    found = probabilities_of_scores(tokens, value, *scale)
    return found.expected if found else None


TEN, HUNDRED, FIVE = (1, 10), (0, 100), (1, 5)


@pytest.mark.parametrize(
    ("value", "scale", "steps", "mean"),
    [
        (10, TEN, [("10", {"10": 0.6, "9": 0.3, "1": 0.1})], 8.8),
        (10, TEN, [("1", {"1": 0.7, "9": 0.3}), ("0", {"0": 6 / 7, "\n": 1 / 7})], 8.8),
        (1, TEN, [("1", {"1": 1.0}), ("\n", {"\n": 0.6, "0": 0.4})], 4.6),
        (85, HUNDRED, [("8", {"8": 1.0}), ("5", {"5": 0.7, "0": 0.3})], 83.5),
        (85, HUNDRED, [("85", {"85": 0.5, "90": 0.3, "8": 0.2})], 0.5 * 85 + 0.3 * 90 + 0.2 * 8),
        (
            100,
            HUNDRED,
            [("1", {"1": 1.0}), ("0", {"0": 0.8, "\n": 0.2}), ("0", {"0": 0.75, "\n": 0.25})],
            0.6 * 100 + 0.2 * 10 + 0.2,
        ),
        (4.5, FIVE, [("4", {"4": 1.0}), (".", {".": 0.6, "\n": 0.4}), ("5", {"5": 1.0})], 4.3),
        (4.5, FIVE, [("4", {"4": 0.7, "5": 0.3}), (".", {".": 1.0}), ("5", {"5": 1.0})], 4.65),
        (4.5, FIVE, [("4.5", {"4.5": 0.6, "4": 0.4})], 4.3),
        (0.25, (0, 1), ["0", ".", ("2", {"2": 1.0}), ("5", {"5": 0.6, "\n": 0.4})], 0.6 * 0.25 + 0.4 * 0.2),
        (0.2, (0, 1), ["0", ".", "2", ("\n", {"\n": 0.6, "5": 0.4})], 0.6 * 0.2 + 0.4 * 0.25),
        (3.75, FIVE, ["3", ".", "7", "5", "\n"], 3.75),
        (3.75, FIVE, ["3", ".", ("75", {"75": 0.5, "5": 0.5}), "\n"], 0.5 * 3.75 + 0.5 * 3.5),
        (-1, (-2, 2), [("-", {"-": 0.7, "1": 0.3}), ("1", {"1": 0.5, "2": 0.5})], 0.3 - 0.35 - 0.7),
        (-1, (-2, 2), [("-1", {"-1": 0.6, "1": 0.4})], -0.2),
        (4, FIVE, [("**4", {"**4": 0.5, "**3": 0.3, "4": 0.2}), "**"], 3.7),
        (4, FIVE, [("4", {"4": 0.5, "\uff14": 0.2, "\uff15": 0.1, " 3": 0.2}), "\n"], 0.7 * 4 + 0.5 + 0.6),
        (4, FIVE, [("4", {"4": 0.5, " four": 0.2, "Five": 0.3})], 4.3),
        (4, FIVE, [("Four", {"Four": 0.5, "Three": 0.5}), "."], 3.5),
        (4, FIVE, ["Score", ": ", ("4", {"4": 0.8, "3": 0.2}), "."], 3.8),
        (4, FIVE, ["Score:", (" 4", {" 4": 0.8, " 3": 0.2}), "/", "5"], 3.8),
        (4, FIVE, ["<think>", "2", "</think>", ("4", {"4": 0.8, "3": 0.2})], 3.8),
    ],
)
def test_the_path_that_spells_the_score_is_followed(
    value: float, scale: tuple[float, float], steps: list[Step | str], mean: float
) -> None:
    assert expected(value, scale, *steps) == pytest.approx(mean)


@pytest.mark.parametrize(
    ("value", "scale", "steps"),
    [
        pytest.param(9, TEN, [("9", {"9": 0.5, "1": 0.5})], id="the 1 may begin a 10"),
        pytest.param(1, TEN, [("1", {"1": 1.0})], id="nothing says whether the 1 could have gone on"),
        pytest.param(85, HUNDRED, [("8", {"8": 0.7, "9": 0.3}), ("5", {"5": 1.0})], id="the 9 is 9 or 90 to 99"),
        pytest.param(
            4.5, FIVE, [("4", {"4": 0.9, "3": 0.1}), (".", {".": 1.0}), ("5", {"5": 1.0})], id="the 3 may be 3.5"
        ),
        pytest.param(4, FIVE, [("4", {"4": 1.0}), ("\n", {"\n": 0.6, ".": 0.4})], id="4 and a half, or what?"),
        pytest.param(0.25, (0, 1), ["0", ".", ("2", {"2": 0.6, "5": 0.4}), "5", "\n"], id="the .5 may be .55"),
        pytest.param(4.5, FIVE, ["four", " and", " a", " half"], id="several words"),
        pytest.param(4, FIVE, ["The answer is good."], id="the tokens spell something else"),
        pytest.param(4, FIVE, ["3"], id="the tokens spell another score"),
    ],
)
def test_where_a_token_may_begin_several_scores_nothing_is_said(
    value: float, scale: tuple[float, float], steps: list[Step | str]
) -> None:
    assert expected(value, scale, *steps) is None


def test_a_hundredth_that_can_t_be_told_is_left_out_and_counted_as_outside() -> None:
    top = {"9": math.log(0.99), "8": math.log(0.005), "1": math.log(0.005)}
    found = probabilities_of_scores([TokenLogprob("9", top["9"], top)], 9, 1, 10)
    assert found is not None
    assert set(found.of) == {8, 9}
    assert found.outside == pytest.approx(0.005)


def test_what_is_on_no_score_of_the_scale_is_outside() -> None:
    top = {"4": math.log(0.6), "6": math.log(0.3), "The": math.log(0.1)}
    found = probabilities_of_scores([TokenLogprob("4", top["4"], top)], 4, 1, 5)
    assert found is not None
    assert (found.of, found.outside) == ({4: 1.0}, pytest.approx(0.4))
