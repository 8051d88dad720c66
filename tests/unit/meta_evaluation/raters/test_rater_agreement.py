import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from app.meta_evaluation.raters.rater_agreement import (
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    pairwise_correlation,
)

NAN = np.nan
KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
)
"""The worked example of Krippendorff (2011): four observers, twelve units, gaps."""
FLEISS = np.array(
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
)
"""Ten units sorted into five categories by fourteen raters; kappa is .210."""


@pytest.mark.parametrize(("metric", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_the_published_example(metric: str, alpha: float) -> None:
    found = krippendorff_alpha(KRIPPENDORFF, metric)  # type: ignore[arg-type]
    assert found.value == pytest.approx(alpha, abs=0.0005)
    assert (found.n, found.n_undefined, found.raters) == (11, 1, 4)


def test_ordinal_alpha_is_the_same_by_sums_of_pairs_and_by_units(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    ratings = np.clip(np.round(rng.normal(size=300) + rng.normal(size=(3, 300)) + 3), 1, 5)
    ratings[rng.random(ratings.shape) < 0.2] = np.nan

    def alpha() -> list[float]:
        found = krippendorff_alpha(ratings, "ordinal", group=list(np.arange(300) // 4), resamples=200)
        assert found.value is not None and found.low is not None and found.high is not None
        return [found.value, found.low, found.high]

    by_pairs = alpha()
    monkeypatch.setattr("app.meta_evaluation.raters.rater_agreement.FEW", 0)
    assert alpha() == pytest.approx(by_pairs, abs=1e-12)
    assert by_pairs[1] < by_pairs[0] < by_pairs[2]


def test_alpha_does_not_depend_on_the_order_of_raters_or_units() -> None:
    rng = np.random.default_rng(0)
    shuffled = KRIPPENDORFF[rng.permutation(4)][:, rng.permutation(12)]
    assert krippendorff_alpha(shuffled).value == pytest.approx(krippendorff_alpha(KRIPPENDORFF).value)


def test_systematic_disagreement_is_below_zero() -> None:
    value = krippendorff_alpha(np.array([[1.0, 2, 1, 2], [2.0, 1, 2, 1]]), "nominal").value
    assert value is not None
    assert value < 0


def test_alpha_that_cannot_be_told_says_why() -> None:
    assert "No text has two" in krippendorff_alpha(np.array([[1.0, NAN], [NAN, 2.0]])).reason
    assert "the same" in krippendorff_alpha(np.ones((2, 3))).reason
    assert krippendorff_alpha(np.empty((0, 0))).value is None


def test_cohen_by_hand() -> None:
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: observed .7, by chance .5
    first = np.repeat([1.0, 1, 0, 0, 1], [20, 5, 10, 15, 1])
    second = np.repeat([1.0, 0, 1, 0, NAN], [20, 5, 10, 15, 1])
    found = cohen_kappa(first, second)
    assert found.value == pytest.approx(0.4)
    assert (found.n, found.n_undefined) == (50, 1)


def test_cohen_equals_scikit_learns_where_raters_lean_apart() -> None:
    rng = np.random.default_rng(7)
    first = rng.choice([1.0, 2.0, 3.0], size=80, p=[0.6, 0.3, 0.1])
    second = np.where(rng.random(80) < 0.5, first, rng.choice([1.0, 2.0, 3.0], size=80, p=[0.1, 0.2, 0.7]))
    assert cohen_kappa(first, second).value == pytest.approx(cohen_kappa_score(first, second))


def test_cohen_that_cannot_be_told_says_why() -> None:
    assert "the same" in cohen_kappa(np.ones(3), np.ones(3)).reason
    assert "No text" in cohen_kappa(np.array([NAN]), np.ones(1)).reason


def test_fleiss_of_the_published_example() -> None:
    ratings = np.array([np.repeat(np.arange(5.0), counts) for counts in FLEISS]).T
    assert fleiss_kappa(ratings).value == pytest.approx(0.210, abs=0.0005)


def test_fleiss_leaves_out_units_with_fewer_ratings_and_counts_them() -> None:
    ratings = np.array([[1.0, 0, 1, NAN], [1.0, 0, 0, 1], [1.0, 0, 1, 1]])
    found = fleiss_kappa(ratings)
    assert (found.n, found.n_undefined) == (3, 1)
    assert "No text" in fleiss_kappa(np.array([[1.0, 0.0]])).reason
    assert "the same" in fleiss_kappa(np.ones((3, 2))).reason


def test_pairwise_correlation_counts_pairs_without_a_coefficient() -> None:
    found = pairwise_correlation(np.array([[1.0, 2, 3], [1.0, 2, 3], [4.0, 4, 4]]))
    assert found.value == 1.0
    assert (found.pairs, found.n_undefined) == (1, 2)
    assert "No two raters" in pairwise_correlation(np.ones((2, 3))).reason


def test_pairwise_correlation_needs_three_units_in_common() -> None:
    found = pairwise_correlation(np.array([[1.0, 2, NAN, 4], [2.0, 1, 3, NAN]]))
    assert (found.value, found.pairs, found.n_undefined) == (None, 0, 1)
