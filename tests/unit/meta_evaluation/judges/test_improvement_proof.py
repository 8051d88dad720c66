"""Verdicts on a wording: no more than the proof shows, and what can't be said."""

import pytest

from app.meta_evaluation.judges.improvement_proof import (
    paired_difference,
    proof_sentence,
    proof_standing,
    smallest_sentence,
)


@pytest.mark.parametrize(
    ("gained", "lost", "n", "standing"),
    [
        (6, 0, 30, "proven better"),
        (5, 0, 30, "not proven"),
        (0, 6, 30, "worse"),
        (20, 0, 29, "too few"),
        (0, 0, 40, "not proven"),
    ],
)
def test_the_standing(gained: int, lost: int, n: int, standing: str) -> None:
    assert proof_standing(paired_difference(0, gained, lost, n - gained - lost)) == standing


def test_each_sentence_says_what_it_rests_on() -> None:
    better = proof_sentence(paired_difference(20, 8, 0, 4))
    assert better == (
        "Proven better on texts that no proposal had seen: right on 20 of 32 before and on 28 after (exact McNemar "
        "test, p = .008)."
    )
    same = proof_sentence(paired_difference(20, 4, 2, 6))
    assert same.startswith("Not proven on texts that no proposal had seen: right on 22 of 32 before and on 24 after")
    assert same.endswith(
        "The smallest gain that 32 texts can show is 25 points: 8 more answers right, with 2 for the worse."
    )
    assert proof_sentence(paired_difference(2, 0, 9, 22)).startswith("Worse on texts")


def test_too_few_texts_say_what_can_not_be_said() -> None:
    said = proof_sentence(None, 12)
    assert "there are 12." in said
    assert "about 36 more texts" in said
    assert "about 50 more texts" in proof_sentence(paired_difference(5, 0, 0, 0))


def test_with_many_worse_no_gain_can_show() -> None:
    assert smallest_sentence(paired_difference(0, 0, 5, 3)).startswith("With 5 of 8 answers worse, no gain")
