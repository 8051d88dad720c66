import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold

from app.errors import NotReadyError
from app.meta_evaluation.bootstrap import AgreementDesign
from app.meta_evaluation.questions.item_analysis import weighted_share
from app.meta_evaluation.questions.question_weights import FOLDS, PENALTIES, QuestionWeights, learn_weights

NAN = np.nan
SOURCES, SYSTEMS = 40, 6


def sources(texts: int) -> list[str]:
    return [f"d{number // SYSTEMS}" for number in range(texts)]


def learnt(answers: np.ndarray, human: np.ndarray) -> QuestionWeights:
    source = sources(human.size)
    return learn_weights(answers, human, source, AgreementDesign(group=source, level="dataset", resamples=200))


def made_up(telling: float) -> tuple[np.ndarray, np.ndarray]:
    """Four questions; the first follows the quality with this probability, the others are coins."""
    rng = np.random.default_rng(3)
    quality = rng.normal(size=SOURCES * SYSTEMS)
    answers = rng.integers(0, 2, size=(quality.size, 4)).astype(float)
    follows = rng.random(quality.size) < telling
    answers[follows, 0] = quality[follows] > 0
    return answers, np.round(3 + quality, 1)


def test_a_share_of_weights_by_hand() -> None:
    answers = np.array([[1.0, 0, NAN], [NAN, NAN, 1], [NAN, NAN, NAN]])
    found = weighted_share(answers, np.array([3.0, 1.0, 2.0]))
    assert found[:2].tolist() == [0.75, 1.0]
    assert np.isnan(found[2])


def test_one_telling_question_among_coins_is_found_and_said_to_be_better() -> None:
    answers, human = made_up(telling=0.95)
    human[:5], answers[7] = NAN, NAN
    found = learnt(answers, human)
    assert max(found.weights, key=lambda each: each.weight).question == 0
    assert np.mean([each.weight for each in found.weights]) == pytest.approx(1)
    assert found.difference.low is not None
    assert found.difference.low > 0
    assert "better than equal" in found.verdict
    assert (found.n, found.without_rating, found.sources, found.folds) == (234, 6, 40, 5)


def test_weights_equal_those_of_ridge_regression_in_scikit_learn() -> None:
    answers, human = made_up(telling=0.8)
    search = GridSearchCV(
        Ridge(positive=True, tol=1e-10), {"alpha": PENALTIES}, cv=GroupKFold(FOLDS), scoring="neg_mean_squared_error"
    )
    expected = search.fit(answers, human, groups=sources(human.size)).best_estimator_.coef_
    found = [each.weight for each in learnt(answers, human).weights]
    assert found == pytest.approx((expected / expected.mean()).tolist(), abs=1e-5)


def test_coins_alone_are_never_better() -> None:
    assert "not better" in learnt(*made_up(telling=0.0)).verdict


@pytest.mark.long
def test_texts_held_back_do_not_help_to_score_themselves() -> None:
    """Ratings that depend on the source alone can't be learned from other sources."""
    rng = np.random.default_rng(1)
    source = np.repeat(np.arange(SOURCES), SYSTEMS)
    answers = (rng.random((SOURCES, 12))[source] > 0.5).astype(float)
    human = rng.integers(1, 6, SOURCES).astype(float)[source]
    found = learnt(answers, human)
    assert found.difference.a is not None
    assert abs(found.difference.a) < 0.3


@pytest.mark.parametrize(
    ("answers", "human", "words"),
    [
        (np.ones((240, 1)), np.arange(240.0), "single question"),
        (np.ones((10, 3)), np.arange(10.0), "too few"),
        (np.ones((240, 3)), np.ones(240), "same rating"),
    ],
)
def test_too_little_to_learn_from_is_a_sentence(answers: np.ndarray, human: np.ndarray, words: str) -> None:
    with pytest.raises(NotReadyError, match=words):
        learnt(answers, human)


def test_questions_that_never_vary_leave_equal_weights() -> None:
    found = learnt(np.ones((240, 3)), np.arange(240.0) % 5)
    assert [each.weight for each in found.weights] == [1, 1, 1]
    assert found.difference.difference is None
    assert "can't be compared" in found.verdict
