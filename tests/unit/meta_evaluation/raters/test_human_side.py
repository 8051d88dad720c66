from itertools import pairwise

import numpy as np
import pytest

from app.meta_evaluation.bootstrap import AgreementDesign
from app.meta_evaluation.evaluation import evaluate
from app.meta_evaluation.raters.human_ceiling import HumanSide, human_ceiling, human_side
from app.meta_evaluation.raters.rater_agreement import cohen_kappa, krippendorff_alpha

NAN = np.nan
SOURCES, SYSTEMS = 12, 5


def made_up(raters: int = 3, noise: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Ratings (raters, texts), a judge, sources and systems."""
    rng = np.random.default_rng(5)
    source, system = (axis.ravel() for axis in np.indices((SOURCES, SYSTEMS)))
    quality = rng.normal(size=source.size) + system
    ratings = np.clip(np.round(quality + rng.normal(scale=noise, size=(raters, source.size))), 0, 6)
    return ratings, quality + rng.normal(size=source.size), source, system


def looked_at(ratings: np.ndarray, judge: np.ndarray | None = None) -> HumanSide:
    names = [f"r{number}" for number in range(ratings.shape[0])]
    return human_side(ratings, names, judge, AgreementDesign(level="dataset", resamples=50))


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
def test_the_interval_of_alpha_is_that_of_copied_units(metric: str) -> None:
    ratings = made_up()[0]
    ratings[0, :7] = NAN
    found = krippendorff_alpha(ratings, metric, resamples=40, seed=3)  # type: ignore[arg-type]
    rng = np.random.default_rng(3)
    units = ratings.shape[1]
    times = rng.multinomial(units, np.full(units, 1 / units), size=40)
    copied = [krippendorff_alpha(np.repeat(ratings, row, axis=1), metric).value for row in times]  # type: ignore[arg-type]
    low, high = np.quantile(np.array(copied, dtype=float), [0.025, 0.975])
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_alpha_draws_whole_sources() -> None:
    ratings, _, source, _ = made_up()
    whole = krippendorff_alpha(ratings, group=source, resamples=300)
    assert whole.value == krippendorff_alpha(ratings).value
    assert whole.low is not None
    assert krippendorff_alpha(ratings, group=np.zeros(source.size), resamples=300).low is None


def test_the_interval_of_kappa_is_that_of_copied_units() -> None:
    rng = np.random.default_rng(1)
    first = rng.integers(0, 2, 60).astype(float)
    second = np.where(rng.random(60) < 0.7, first, 1 - first)
    found = cohen_kappa(first, second, resamples=40, seed=9)
    times = np.random.default_rng(9).multinomial(60, np.full(60, 1 / 60), size=40)
    copied = [cohen_kappa(np.repeat(first, row), np.repeat(second, row)).value for row in times]
    low, high = np.quantile(np.array(copied, dtype=float), [0.025, 0.975])
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_the_judge_meets_the_same_means_as_each_rater() -> None:
    ratings, judge, source, _ = made_up()
    found = human_ceiling(ratings, judge, AgreementDesign(group=source, resamples=200, level="dataset"))["spearman"]
    others = [np.delete(ratings, rater, axis=0).mean(axis=0) for rater in range(3)]
    judged = [
        evaluate(judge, mean, AgreementDesign(level="dataset", resamples=0)).figures["spearman"].value
        for mean in others
    ]
    assert found.judge is not None
    assert found.judge.value == pytest.approx(np.mean(np.array(judged, dtype=float)))
    assert found.judge.difference == pytest.approx(found.judge.value - found.value)
    assert found.low < found.value < found.high  # type: ignore[operator]


def test_a_rater_as_judge_is_not_told_apart_and_noise_is() -> None:
    ratings, _, source, _ = made_up(raters=4)
    same = human_ceiling(ratings[1:], ratings[0], AgreementDesign(group=source, level="dataset", resamples=200))[
        "spearman"
    ].judge
    noise = np.random.default_rng(0).normal(size=source.size)
    worse = human_ceiling(ratings[:3], noise, AgreementDesign(group=source, level="dataset", resamples=200))[
        "spearman"
    ].judge
    assert same is not None
    assert "not significantly different" in same.verdict
    assert worse is not None
    assert "less than a single rater" in worse.verdict


def test_raters_of_different_texts_have_no_interval() -> None:
    ratings, _, source, _ = made_up()
    ratings[0, source < 6] = NAN
    ratings[1, source >= 8] = NAN
    found = human_ceiling(ratings, None, AgreementDesign(level="dataset", resamples=50))["pearson"]
    assert found.value is not None
    assert (found.low, found.high) == (None, None)
    assert "different sources or texts" in found.reason


def test_strata_carry_the_judge_and_what_it_rests_on() -> None:
    ratings, judge, _, _ = made_up()
    found = looked_at(ratings, judge).strata
    assert sum(each.n for each in found) == SOURCES * SYSTEMS
    assert all(earlier.high < later.low for earlier, later in pairwise(found))
    assert all(each.result.figures["spearman"].n == each.n for each in found)


def test_raters_on_different_scales_are_named() -> None:
    ratings = made_up()[0]
    assert looked_at(ratings).remarks == ()
    (said,) = looked_at(np.vstack([ratings, 20 * ratings[0]])).remarks
    assert "different scales" in said
    assert "r3 0 to 120" in said
    (apart,) = looked_at(np.vstack([ratings[0], ratings[0] + 10])).remarks
    assert "one scale" in apart


def test_too_few_raters_or_ratings_are_sentences() -> None:
    nobody = looked_at(np.empty((0, 4)), np.arange(4.0))
    assert "Nobody has rated" in nobody.remarks[0]
    alone = looked_at(np.array([[1.0, 2, 3, 2]]), np.arange(4.0))
    assert "Only one rater (r0)" in alone.remarks[0]
    assert alone.ceiling["spearman"].value is None
    assert alone.alphas[0].reason
    equal = looked_at(np.ones((3, 4)), np.arange(4.0))
    assert equal.alphas[1].reason
    assert equal.ceiling["kendall"].reason
    assert [each.n for each in equal.strata] == [4]
    assert equal.strata[0].result.figures["spearman"].reason


def test_texts_with_one_rating_are_counted() -> None:
    ratings = made_up()[0]
    before = looked_at(ratings)
    ratings[1:, :3] = NAN
    found = looked_at(ratings)
    assert (found.n, found.shared) == (60, 57)
    assert len(found.remarks) == len(before.remarks) + 1


def test_a_repeated_text_counts_once_unless_it_is_kept() -> None:
    ratings, judge, source, system = made_up()
    names = ["r0", "r1", "r2"]
    twice = [np.concatenate([column, column[:10]]) for column in (judge, source, system)]
    repeated = np.hstack([ratings, ratings[:, :10]])
    plain = human_side(ratings, names, judge, AgreementDesign(source, system, resamples=0))
    once = human_side(repeated, names, twice[0], AgreementDesign(twice[1], twice[2], resamples=0))
    keep = human_side(repeated, names, twice[0], AgreementDesign(twice[1], twice[2], duplicates="keep", resamples=0))
    assert once.to_json() == plain.to_json()
    assert keep.n == once.n + 10
