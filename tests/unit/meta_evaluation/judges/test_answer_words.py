"""What further answers would bring, in words."""

import pytest

from app.meta_evaluation.judges.words import answers_before_any, plan_saving


@pytest.mark.parametrize(
    ("saving", "answers", "said"),
    [
        (None, 12, "can't be told yet: that takes 30 answers, and there are 12."),
        (None, 40, "can't be told yet."),
        ((0.053, 0.214), 60, "spares 5 to 21 % of the answers."),
        ((-0.2, -0.05), 60, "takes 5 to 20 % more answers: draw by chance."),
        ((-0.1, 0.02), 60, "is not shown to spare any: between -10 and 2 %. Chance does as well."),
    ],
)
def test_a_plan_is_praised_only_for_what_its_whole_interval_says(
    saving: tuple[float, float] | None, answers: int, said: str
) -> None:
    assert plan_saving(saving, answers).endswith(said)


def test_before_any_answer_the_worst_share_is_the_measure() -> None:
    # 1.96 * sqrt(.25 / 100) = 9.8 points
    assert "plus or minus 10 points at worst" in answers_before_any(100)
