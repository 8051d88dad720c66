"""Panels of judges, worked by hand: votes, ties, judges without an error, documents."""

import numpy as np
import pytest

from app.errors import InputError
from app.meta_evaluation.judges.panel import panel, panel_verdict

TRUTH = np.zeros(8)
# errors:  a: rows 0, 1; b: rows 0, 2; c: none
A, B, C = np.r_[1, 1, np.zeros(6)], np.r_[1, 0, 1, np.zeros(5)], np.zeros(8)


def test_votes_and_majority_by_hand() -> None:
    found = panel(np.stack([A, B, C]), TRUTH, ["a", "b", "c"])
    # errors of a and b: means 1/4, covariance 1/8 - 1/16, variances 3/16
    assert found.error_correlation == pytest.approx((1 / 8 - 1 / 16) / (3 / 16))
    assert found.effective_votes == pytest.approx(2 / (1 + 1 / 3))
    assert found.uniform == ("c",), "without an error it correlates with nobody"
    assert found.majority == 7 / 8, "wrong where a and b are"
    assert (found.best.judge, found.best.accuracy, found.ties) == ("c", 1.0, 0)
    assert found.difference[0] == -1 / 8
    assert "Keep c alone" in panel_verdict(found)


def test_a_tie_counts_half() -> None:
    found = panel(np.stack([A, B]), TRUTH, ["a", "b"])
    assert (found.ties, found.majority) == (2, 6 / 8), "one row both wrong, two tied, five both right"


def test_judges_that_never_err_have_no_correlation() -> None:
    found = panel(np.stack([C, C]), TRUTH, ["c", "d"])
    assert (found.error_correlation, found.effective_votes, found.uniform) == (None, None, ("c", "d"))
    assert found.difference == (0.0, 0.0, 0.0)


def test_independent_errors_are_worth_their_number_and_the_majority_wins() -> None:
    rng = np.random.default_rng(3)
    truth = (rng.random(4000) < 0.5).astype(np.float64)
    judges = np.stack([np.where(rng.random(4000) < 0.7, truth, 1 - truth) for _ in range(5)])
    found = panel(judges, truth, list("abcde"))
    assert found.effective_votes == pytest.approx(5, abs=0.3)
    assert found.difference[1] > 0
    assert "Keep the panel" in panel_verdict(found)


def test_rows_that_somebody_left_open_are_out_and_documents_are_drawn_as_wholes() -> None:
    a = A.copy()
    a[7] = np.nan
    assert panel(np.stack([a, B]), TRUTH, ["a", "b"]).n == 7
    documents = np.repeat(np.arange(30), 10)
    judge = (np.arange(30) % 3 == 0).astype(np.float64)[documents]
    found = panel(np.stack([judge, judge]), np.zeros(300), ["a", "b"], group=documents)
    alone = panel(np.stack([judge, judge]), np.zeros(300), ["a", "b"])
    width, narrow = (each.judges[0].high - each.judges[0].low for each in (found, alone))
    assert width / narrow == pytest.approx(np.sqrt(10), rel=0.15)
    assert found.documents == 30


def test_too_little_is_refused() -> None:
    with pytest.raises(InputError, match="at least two judges"):
        panel(np.stack([A]), TRUTH, ["a"])
    with pytest.raises(InputError, match="need resamples"):
        panel(np.stack([A, B]), TRUTH, ["a", "b"], resamples=0)
    with pytest.raises(InputError, match="0 of 8 rows"):
        panel(np.stack([A, B]), np.full(8, np.nan), ["a", "b"])
