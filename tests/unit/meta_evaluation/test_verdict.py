import pytest

from app.meta_evaluation import comparison
from app.meta_evaluation.agreement_verdict import NOT_SIGNIFICANT, p_value_words, verdict
from app.meta_evaluation.permutation import DifferenceTest, untestable

NONE = untestable("other", 100, "not of interest here")


def sentence(low: float | None, high: float | None, p: float | None, holm: float | None = None, **rest: object) -> str:
    middle = None if low is None or high is None else (low + high) / 2
    figure = comparison.Difference(
        0.5, 0.4, rest.get("difference", middle), low, high, 100, 0, 0, str(rest.get("reason", ""))
    )  # type: ignore[arg-type]
    permutation = DifferenceTest("permutation", 100, None, p, reason="too few")
    return verdict(comparison.TestedDifference(figure, permutation, NONE, NONE, holm), "run 2", "run 1", 3)


def test_an_interval_with_zero_tells_nothing_apart_whatever_p_says() -> None:
    assert sentence(-0.1, 0.2, 0.001) == f"{NOT_SIGNIFICANT}: the interval of the difference includes 0."
    assert sentence(0.0, 0.2, 0.001) == f"{NOT_SIGNIFICANT}: the interval of the difference includes 0."


def test_a_clear_difference_names_the_better_one() -> None:
    assert sentence(0.1, 0.2, 0.001, 0.003).startswith("run 2 agrees better with people than run 1:")
    assert sentence(-0.2, -0.1, 0.001, 0.003).startswith("run 1 agrees better with people than run 2:")
    assert "p = .003" in sentence(0.1, 0.2, 0.001, 0.003)


def test_what_correction_takes_away_is_no_more_than_leaning() -> None:
    found = sentence(0.1, 0.2, 0.03, 0.09)
    assert found.startswith("Leans to run 2 over run 1:")
    assert "among 3 comparisons (p = .090)" in found


def test_what_is_missing_is_said() -> None:
    assert sentence(None, None, None, reason="All texts have the same score.") == (
        "Can't be compared: All texts have the same score."
    )
    assert sentence(None, None, 0.2, difference=0.1, reason="Too few sources.").startswith(NOT_SIGNIFICANT)
    assert "no permutation test: too few" in sentence(0.1, 0.2, None)


@pytest.mark.parametrize(
    ("p", "words"), [(0.0004, "p < .001"), (0.001, "p = .001"), (0.5, "p = .500"), (1.0, "p = 1.000")]
)
def test_p_as_papers_print_it(p: float, words: str) -> None:
    assert p_value_words(p) == words
