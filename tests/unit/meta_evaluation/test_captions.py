"""Remarks beside figures."""

from app.meta_evaluation.captions import direction


def test_a_negative_correlation_without_an_interval_is_said_to_have_none() -> None:
    (said,) = direction(-0.5, None)
    assert "Without an interval it can't be told" in said
    assert "reaches 0" in direction(-0.5, 0.1)[0]
    assert "more than chance" in direction(-0.5, -0.1)[0]
    assert direction(0.2, None) == ()
