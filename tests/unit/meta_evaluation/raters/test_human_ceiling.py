import numpy as np
import pytest

from app.meta_evaluation.bootstrap import AgreementDesign
from app.meta_evaluation.raters.human_ceiling import disagreement_strata, human_ceiling

NAN = np.nan


def test_each_rater_is_compared_with_the_mean_of_the_others() -> None:
    ratings = np.array([[1.0, 2, 3, 4], [1.0, 2, 3, 4], [4.0, 3, 2, 1]])
    found = human_ceiling(ratings, None, AgreementDesign(level="dataset", resamples=0))["spearman"]
    # raters 1 and 2 face a constant mean of the other two; rater 3 faces 1, 2, 3, 4
    assert found.by_rater == (None, None, -1.0)
    assert (found.value, found.n_undefined, found.n) == (-1.0, 2, 4)


def test_missing_ratings_are_left_out_of_the_mean() -> None:
    ratings = np.array([[1.0, 2, 3, 4], [1.0, NAN, 3, 4], [NAN, 2.0, 3, 4]])
    assert human_ceiling(ratings, None, AgreementDesign(level="dataset", resamples=0))["kendall"].value == 1.0


def test_one_rater_has_no_ceiling() -> None:
    found = human_ceiling(np.array([[1.0, 2, 3]]), None, AgreementDesign(level="dataset", resamples=0))["pearson"]
    assert found.value is None
    assert "two raters" in found.reason


def test_raters_that_never_vary_have_no_ceiling() -> None:
    found = human_ceiling(np.ones((3, 4)), None, AgreementDesign(level="dataset", resamples=0))["pearson"]
    assert found.value is None
    assert found.reason


def test_strata_go_from_agreement_to_disagreement() -> None:
    ratings = np.array([[1.0, 1, 1, 1, 1, 1, 1], [1.0, 1, 2, 2, 5, 5, NAN]])
    assert disagreement_strata(ratings).tolist() == [0, 0, 1, 1, 2, 2, -1]


def test_strata_keep_equal_spreads_together() -> None:
    assert disagreement_strata(np.array([[1.0, 2, 3], [1.0, 2, 3]])).tolist() == [0, 0, 0]
    assert disagreement_strata(np.array([[1.0, 2]])).tolist() == [-1, -1]


@pytest.mark.parametrize("level", ["per-source", "system"])
def test_the_levels_are_those_of_a_judge(level: str) -> None:
    rng = np.random.default_rng(0)
    source, system = (axis.ravel() for axis in np.indices((10, 5)))
    quality = rng.normal(size=50) + system
    ratings = np.round(quality + rng.normal(size=(3, 50)))
    found = human_ceiling(ratings, None, AgreementDesign(group=source, system=system, level=level, resamples=0))[
        "spearman"
    ]  # type: ignore[arg-type]
    assert found.value is not None
    assert 0 < found.value <= 1
