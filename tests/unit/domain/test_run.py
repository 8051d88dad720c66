"""Which scored texts count in figures."""

import pytest

from app.domain.run import ScoredText, ScoreStatus


def row(score: float | None, coverage: float | None) -> ScoredText:
    return ScoredText(1, "d", "s", "", ScoreStatus.DONE, score, coverage, 3.0, 1)


@pytest.mark.parametrize(
    ("score", "coverage", "usually", "with_partial"),
    [
        (4.0, 1.0, True, True),
        (4.0, None, True, True),  # a method without questions
        (4.0, 0.5, False, True),
        (None, 0.0, False, False),
        (None, None, False, False),
        (None, 1.0, False, False),
    ],
)
def test_a_text_counts_with_a_score_from_answers_to_every_question(
    score: float | None, coverage: float | None, usually: bool, with_partial: bool
) -> None:
    assert (row(score, coverage).counts(), row(score, coverage).counts(True)) == (usually, with_partial)


def test_partial_is_neither_complete_nor_empty() -> None:
    assert [row(1.0, share).partial for share in (None, 0.0, 0.5, 1.0)] == [False, False, True, False]
