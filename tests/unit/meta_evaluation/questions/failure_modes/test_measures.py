"""Figures with intervals, against values worked out by hand or another way."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from app.meta_evaluation.questions.failure_modes.rubric_evidence import (
    Limit,
    differing_pairs,
    of_correlations,
    of_shares,
)
from app.meta_evaluation.questions.failure_modes.xray import _residual
from tests.support.planted_rubric import good_rubric

NAN = np.nan
ANY = Limit(-1.0)


def test_pairs_of_answers_that_differ() -> None:
    # Three raters: yes yes no (2 of 3 pairs differ), all yes (0), one answer alone (no pair), yes no (1 of 1).
    answers = np.array([[1, 1, NAN, 1], [1, 1, 0, NAN], [0, 1, NAN, 0]])
    differing, pairs = differing_pairs(answers)
    assert differing == pytest.approx([2 / 3, 0, 0, 1])
    assert pairs.tolist() == [1, 1, 0, 1]


def test_correlations_are_pearsons_over_texts_that_have_all_columns() -> None:
    rng = np.random.default_rng(1)
    columns = rng.normal(size=(3, 60))
    columns[1] += columns[0]
    columns[2, :5] = NAN
    found = of_correlations(good_rubric(1, texts=60), columns, ANY, 20, lambda r: r[:, 0, 1])
    assert found is not None
    assert found.n == 55
    assert found.value == pytest.approx(stats.pearsonr(columns[0, 5:], columns[1, 5:]).statistic)
    assert found.low < found.value < found.high


def test_the_interval_is_about_that_of_fisher_where_each_text_is_a_document() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=400)
    columns = np.stack([x, 0.5 * x + rng.normal(size=400)])
    single = replace(good_rubric(1, texts=400, resamples=2000), documents=list(map(str, range(400))))
    found = of_correlations(single, columns, ANY, 20, lambda r: r[:, 0, 1])
    fisher = stats.pearsonr(*columns).confidence_interval()
    assert found is not None
    assert (found.low, found.high) == pytest.approx((fisher.low, fisher.high), abs=0.015)
    # Copies in one document tell no more than the text did.
    twice = replace(good_rubric(1, texts=800, resamples=2000), documents=list(map(str, np.repeat(np.arange(400), 2))))
    copied = of_correlations(twice, np.repeat(columns, 2, axis=1), ANY, 20, lambda r: r[:, 0, 1])
    assert copied is not None
    assert (copied.low, copied.high) == pytest.approx((found.low, found.high), abs=0.015)


def test_the_residual_correlation_is_that_of_the_residuals() -> None:
    rng = np.random.default_rng(3)
    z = rng.normal(size=200)
    x, y = z + rng.normal(size=200), z + rng.normal(size=200)
    by_hand = np.corrcoef(x - np.polyval(np.polyfit(z, x, 1), z), y - np.polyval(np.polyfit(z, y, 1), z))[0, 1]
    assert _residual(np.corrcoef([x, y, z])[None])[0] == pytest.approx(by_hand)
    # A rest that never varies takes nothing out.
    constant = np.array([[[1, 0.4, NAN], [0.4, 1, NAN], [NAN, NAN, NAN]]])
    assert _residual(constant)[0] == pytest.approx(0.4)


def test_a_share_of_all_has_wilsons_interval_and_one_of_few_documents_a_wider_one() -> None:
    texts = good_rubric(1, texts=40)
    all_yes = of_shares(texts, np.ones(40), np.ones(40), Limit(0.5), 20)
    assert all_yes is not None
    assert (all_yes.value, all_yes.low) == pytest.approx((1, 0.9124), abs=1e-4)  # 40 / (40 + 1.96 ** 2)
    by_document = np.repeat([1.0] * 7 + [0.0] * 3, 4)
    found = of_shares(texts, by_document, np.ones(40), Limit(0.2), 20)
    assert found is not None
    wilson = stats.binomtest(28, 40).proportion_ci(method="wilson")
    assert found.low < wilson.low - 0.1


def test_nothing_is_said_where_the_interval_reaches_the_limit() -> None:
    texts = good_rubric(1, texts=40)
    assert of_shares(texts, np.ones(40), np.ones(40), Limit(0.95), 20) is None
    assert of_shares(texts, np.ones(40), np.ones(40), Limit(0.5), 41) is None
    assert of_correlations(texts, np.ones((2, 40)), ANY, 20, lambda r: r[:, 0, 1]) is None


def test_a_correlation_that_rests_on_a_few_texts_is_none() -> None:
    texts = good_rubric(1, texts=80)
    answers = np.zeros((2, 80))
    answers[:, :4] = 1
    assert of_correlations(texts, answers, ANY, 20, lambda r: r[:, 0, 1]) is None
    answers[:, :40:8] = 1
    found = of_correlations(texts, answers, ANY, 20, lambda r: r[:, 0, 1])
    assert found is not None
    assert found.value == pytest.approx(1)
