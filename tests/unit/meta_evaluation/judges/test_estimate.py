"""Estimates that people's answers correct: against ppi-python, by hand, by document, and where nothing can be said."""

import numpy as np
import pytest

from app.errors import InputError
from app.meta_evaluation.judges import powered_estimates as sums
from app.meta_evaluation.judges.estimate import estimate, estimate_cautions, estimate_forecast, estimate_verdict
from app.meta_evaluation.judges.powered_estimates import EstimatedFigure, Z
from app.meta_evaluation.score_matrix import Floats


def part_answered(judge: Floats, human: Floats, answered: int) -> tuple[Floats, Floats]:
    """The first `answered` rows have a human value."""
    return judge, np.where(np.arange(judge.size) < answered, human, np.nan)


def drawn(seed: int, answered: int, others: int, *, binary: bool) -> tuple[Floats, Floats]:
    rng, n = np.random.default_rng(seed), answered + others
    if binary:
        human = (rng.random(n) < 0.4).astype(np.float64)
        return part_answered(np.where(rng.random(n) < 0.8, human, 1 - human), human, answered)
    human = rng.normal(3, 1, n)
    return part_answered(0.7 * human + rng.normal(1, 0.6, n), human, answered)


@pytest.mark.parametrize(
    ("seed", "answered", "others", "binary", "value", "low", "high"),
    [  # ppi_mean_pointestimate and ppi_mean_ci(alpha=.05) of ppi-python 0.2.3 on the same numbers
        (1, 60, 400, True, 0.345740, 0.245805, 0.445674),
        (2, 200, 1000, False, 2.997566, 2.896078, 3.099053),
        (3, 40, 40, True, 0.453955, 0.326943, 0.580966),
    ],
)
def test_the_corrected_mean_is_ppi_python_s(
    seed: int, answered: int, others: int, binary: bool, value: float, low: float, high: float
) -> None:
    found = estimate(*drawn(seed, answered, others, binary=binary))
    got = found.corrected
    assert (got.value, got.low, got.high) == (
        pytest.approx(value, abs=1e-6),
        pytest.approx(low, abs=1e-6),
        pytest.approx(high, abs=1e-6),
    )
    assert (found.n, found.n_human, found.binary) == (answered + others, answered, binary)
    assert (found.sensitivity is None, found.specificity is None) == (not binary, not binary)


def test_a_judge_that_weighs_nothing_is_not_advised() -> None:
    """With documents both intervals come from resamples, so that the corrected one may be narrower by chance."""
    found = []
    for draw in range(12):
        rng = np.random.default_rng(draw)
        human = rng.integers(0, 2, 400).astype(float)
        judge = np.where(rng.random(400) < 0.48, human, 1 - human)
        answered = np.where(np.arange(400) < 300, human, np.nan)
        found.append(estimate(judge, answered, group=np.arange(400) // 4, resamples=200))
    weightless = [each for each in found if round(each.weight, 2) == 0]
    narrower = [each for each in weightless if (each.corrected.width or 1) < (each.human_only.width or 0)]
    assert narrower
    assert {each.advised for each in weightless} == {"human_only"}


def test_rogan_gladen_is_advised_only_where_it_can_be_computed() -> None:
    """People answered what the judge scores high: of scores there is no Rogan-Gladen, of yes and no there is."""
    scores = np.r_[np.tile([4.0, 5.0], 40), np.tile([1.0, 2.0], 100)]
    people = np.r_[np.tile([4.0, 5.0], 40), np.full(200, np.nan)]
    found = estimate(scores, people)
    assert found.shifted
    assert not any("rogan-gladen" in said for said in estimate_cautions(found))


def test_a_judge_that_says_nothing_leaves_people_alone() -> None:
    judge, human = np.ones(100), np.r_[np.ones(12), np.zeros(8), np.full(80, np.nan)]
    found = estimate(judge, human)
    error = Z * np.sqrt(0.6 * 0.4 / 20)
    assert found.weight == 0
    assert found.human_only.value == found.corrected.value == 0.6
    assert found.corrected.low == pytest.approx(0.6 - error)
    assert found.advised == "human_only"
    assert "Use people's answers alone: 60.0 %" in estimate_verdict(found)


def test_where_people_answered_everything_the_judge_adds_nothing() -> None:
    human = np.r_[np.ones(30), np.zeros(30)]
    found = estimate(1 - human, human)
    assert found.corrected == found.human_only
    assert any("every row" in said for said in estimate_cautions(found))


# 40 people's yes, 36 of them called yes by the judge; 60 no, 48 called no; of 900 more the judge calls 500 yes.
JUDGE = np.r_[np.ones(36), np.zeros(4), np.zeros(48), np.ones(12), np.ones(500), np.zeros(400)]
HUMAN = np.r_[np.ones(40), np.zeros(60), np.full(900, np.nan)]


def test_rogan_gladen_by_hand() -> None:
    found = estimate(JUDGE, HUMAN, method="rogan-gladen")
    assert found.sensitivity is not None
    assert found.specificity is not None
    assert (found.sensitivity.value, found.specificity.value) == (0.9, 0.8)
    assert found.corrected.value == pytest.approx((500 / 900 + 0.8 - 1) / 0.7)  # .5079
    # Lang and Reiczigel 2014, equation by equation
    q, se, sp = (500 + Z**2 / 2) / (900 + Z**2), 37 / 42, 49 / 62
    theta = (q + sp - 1) / (se + sp - 1)
    of_yes, of_no = se * (1 - se) / 42, sp * (1 - sp) / 62
    middle = theta + 2 * Z**2 * (theta * of_yes - (1 - theta) * of_no)
    spread = np.sqrt(q * (1 - q) / (900 + Z**2) + (1 - theta) ** 2 * of_no + theta**2 * of_yes) / (se + sp - 1)
    assert (found.corrected.low, found.corrected.high) == (
        pytest.approx(middle - Z * spread),
        pytest.approx(middle + Z * spread),
    )
    assert found.judge_only.value == pytest.approx(548 / 1000)
    assert found.shifted is False


def test_rogan_gladen_holds_where_the_rest_has_another_share_and_ppi_says_that_it_may_be_off() -> None:
    rng = np.random.default_rng(5)
    truth = np.r_[rng.random(300) < 0.6, rng.random(3000) < 0.15].astype(np.float64)
    judge = np.where(rng.random(truth.size) < 0.85, truth, 1 - truth)
    judge, human = part_answered(judge, truth, 300)
    theirs, ours = estimate(judge, human), estimate(judge, human, method="rogan-gladen")
    assert ours.corrected.low is not None
    assert ours.corrected.high is not None
    assert ours.corrected.low <= truth[300:].mean() <= ours.corrected.high
    assert theirs.corrected.low is not None
    assert theirs.corrected.low > truth[300:].mean()
    assert theirs.shifted
    assert any("rogan-gladen" in said for said in estimate_cautions(theirs))
    assert "too much" in estimate_verdict(ours)


@pytest.mark.parametrize(
    ("judge", "human", "says"),
    [
        (np.array([2.0, 3, 4, 1]), np.array([2.0, 3, np.nan, np.nan]), "not scores"),
        (np.array([1.0, 0, 1, 0]), np.array([1.0, 1, np.nan, np.nan]), "never answered no"),
        (np.array([1.0, 0, 1, 0]), np.array([0.0, 1, np.nan, np.nan]), "no better than chance"),
    ],
)
def test_rogan_gladen_says_why_it_can_not_be_computed(judge: Floats, human: Floats, says: str) -> None:
    with pytest.raises(InputError, match=says):
        estimate(judge, human, method="rogan-gladen")


@pytest.mark.parametrize("answered", [0, 1])
def test_two_answers_of_people_are_the_least(answered: int) -> None:
    with pytest.raises(InputError, match="nothing can be corrected"):
        estimate(*part_answered(np.ones(5), np.ones(5), answered))


def test_answers_about_one_document_count_for_less() -> None:
    """Ten rows of each document say the same, so the interval is that of the documents."""
    rng = np.random.default_rng(2)
    documents = np.repeat(np.arange(80), 10)
    judge = (rng.random(80) < 0.5).astype(np.float64)[documents]
    human = np.where(documents % 2 == 0, judge, np.nan)
    plain, grouped = estimate(judge, human), estimate(judge, human, group=documents)
    assert plain.judge_only.width is not None
    assert grouped.judge_only.width is not None
    assert grouped.judge_only.width / plain.judge_only.width == pytest.approx(np.sqrt(10), rel=0.1)
    assert (grouped.documents, grouped.resamples, plain.resamples) == (80, 1000, 0)
    assert grouped.judge_only.value == plain.judge_only.value
    assert estimate(judge, human, group=documents) == grouped, "the same seed, the same figures"


@pytest.mark.long
def test_documents_that_are_partly_answered_count_on_both_sides() -> None:
    rng = np.random.default_rng(7)
    hits, documents, truth = 0, np.repeat(np.arange(60), 8), []
    for _ in range(200):
        leaning = rng.beta(2, 2, 60)[documents]
        human = (rng.random(480) < leaning).astype(np.float64)
        judge = np.where(rng.random(480) < 0.8, human, 1 - human)
        answered = rng.random(480) < 0.3
        found = estimate(judge, np.where(answered, human, np.nan), group=documents, resamples=300).corrected
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= 0.5 <= found.high
        truth.append(found.value)
    assert 0.90 <= hits / 200 <= 0.99
    assert np.mean(truth) == pytest.approx(0.5, abs=0.01)


def test_a_judge_without_an_error_is_not_taken_for_perfect() -> None:
    judge, human = part_answered(np.tile([1.0, 0.0], 50), np.tile([1.0, 0.0], 50), 20)
    found = estimate(judge, human)
    assert found.disagreements == 0
    assert any("Up to 15 %" in said for said in estimate_cautions(found))


def test_more_answers_are_forecast_and_come_true() -> None:
    """Over forty tables: with 60 answers more the interval is as wide as was said, to a twentieth."""
    rng = np.random.default_rng(12)
    said, came = [], []
    for _ in range(40):
        human = (rng.random(2000) < 0.4).astype(np.float64)
        judge = np.where(rng.random(2000) < 0.85, human, 1 - human)
        now, then = (estimate(*part_answered(judge, human, answered)) for answered in (140, 200))
        assert then.corrected.width is not None
        said.append(now.forecast[1].reach)
        came.append(then.corrected.width / 2)
    assert np.mean(said) == pytest.approx(np.mean(came), rel=0.05)
    assert [each.more for each in now.forecast] == [30, 60, 120]
    share, forecast = now.human_only.value, now.forecast[1]
    assert share is not None
    assert forecast.alone == pytest.approx(share * (1 - share) / (forecast.reach / Z) ** 2, rel=0.01)
    assert "60 more answers of people: about plus or minus" in estimate_forecast(now)
    assert "without the judge that takes" in estimate_forecast(now)
    assert estimate(*part_answered(judge[:150], human[:150], 140)).forecast == ()


def test_without_resamples_or_with_answers_in_one_document_there_is_no_interval() -> None:
    judge, human = drawn(6, 20, 180, binary=True)
    for found in (
        estimate(judge, human, group=np.arange(200) // 20),
        estimate(judge, human, group=np.arange(200), resamples=0),
    ):
        assert found.corrected.value is not None
        assert found.corrected.low is found.corrected.high is None
        assert found.forecast == ()


def test_many_documents_are_drawn_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    judge, human = drawn(6, 60, 140, binary=True)
    whole = estimate(judge, human, group=np.arange(200))
    monkeypatch.setattr(sums, "CELLS", 1000)
    assert estimate(judge, human, group=np.arange(200)) == whole


@pytest.mark.parametrize("group", [None, [f"d{n % 5}" for n in range(40)]])
def test_a_correction_that_overshoots_is_no_share_below_0(group: list[str] | None) -> None:
    """The judge says yes to 20 of the 50 that people answered and to none of the rest: by hand theta is -.035."""
    human = np.r_[1, np.zeros(49), np.full(200, np.nan)]
    judge = np.r_[np.ones(20), np.zeros(230)]
    found = estimate(judge, human, group=None if group is None else [f"d{n % 25}" for n in range(250)])
    assert (found.corrected.value, found.corrected.low) == (0.0, 0.0)
    assert found.corrected.high is not None
    assert found.shifted


@pytest.mark.parametrize("group", [None, [f"d{n % 5}" for n in range(40)]])
def test_what_was_never_met_may_still_be_there(group: list[str] | None) -> None:
    """0 of 20 answers of people is no proof of 0: Wilson's upper end is z2 / (n + z2)."""
    found = estimate(np.zeros(40), np.r_[np.zeros(20), np.full(20, np.nan)], group=group)
    for figure, rows in ((found.human_only, 20), (found.corrected, 20), (found.judge_only, 40)):
        assert (figure.value, figure.low) == (0.0, 0.0)
        assert figure.high == pytest.approx(Z**2 / (rows + Z**2))
    assert found.specificity is not None
    assert found.specificity.low == pytest.approx(20 / (20 + Z**2))


def test_an_undefined_figure_has_no_ends() -> None:
    assert EstimatedFigure(None).width is None
    found = estimate(np.array([1.0, 1, 0, 0]), np.array([0.0, 0, 0, np.nan]))
    assert found.sensitivity == EstimatedFigure(None)
    with pytest.raises(InputError, match="one document"):
        estimate(np.array([1.0, 1, 0, 0]), np.array([0.0, 0, 0, np.nan]), group=["a"] * 4)
