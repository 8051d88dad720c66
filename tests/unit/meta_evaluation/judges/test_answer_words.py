"""What further answers would bring, in words."""

from app.meta_evaluation.judges.estimate import answers_before_any


def test_before_any_answer_the_worst_share_is_the_measure() -> None:
    # 1.96 * sqrt(.25 / 100) = 9.8 points
    assert "plus or minus 10 points at worst" in answers_before_any(100)
