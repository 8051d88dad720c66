"""Ways of asking compared, against figures worked out by hand and against judges made to lean or not."""

import math

import numpy as np
import pytest
from scipy import stats

from app.domain.run import AskingWay
from app.errors import InputError
from app.meta_evaluation.judges.asking_ways import AskingWayAnswers, compare_asking, repeat_inconsistency
from app.meta_evaluation.judges.powered_estimates import wilson
from app.meta_evaluation.score_matrix import Floats

NONE = math.nan


def asked(answers: Floats, **more: Floats) -> AskingWayAnswers:
    texts, questions = answers.shape[1:]
    usual = {"human": np.full(texts, NONE), "people": np.full((texts, questions), NONE)}
    scores = np.where(np.isnan(answers).any(axis=2), NONE, np.nan_to_num(answers).mean(axis=2))
    return AskingWayAnswers(answers, scores, **(usual | more), documents=[f"d{n}" for n in range(texts)])


def judged(rng: np.random.Generator, lean: float, texts: int = 40, questions: int = 4) -> AskingWayAnswers:
    """A noisy judge that says yes to the first half of the questions in a call more readily by `lean` (log odds)."""
    usual = rng.normal(size=questions) + rng.normal(size=(texts, 1))
    first = np.where(np.arange(questions) < questions // 2, lean / 2, -lean / 2)
    ways = [usual + first, usual, usual - first]
    return asked(np.stack([(rng.random((texts, questions)) < 1 / (1 + np.exp(-way))) * 1.0 for way in ways]))


def test_shares_by_hand() -> None:
    together = np.array([[1, 1, 0], [1, 0, 0], [0, 1, 1], [1, 1, 1]])
    alone = np.array([[1, 0, 0], [1, 0, 0], [0, 1, 1], [0, 1, 1]])  # 2 of 12 are others
    backwards = np.array([[0, 1, 1], [1, 0, 0], [0, 1, 1], [1, 0, 1]])  # 3 of 12
    found = compare_asking(asked(np.stack([together, alone, backwards]).astype(np.float64)))
    assert (found.texts, found.documents, found.questions, found.answers) == (4, 4, 3, 12)
    assert found.changed.value == pytest.approx(2 / 12)
    assert found.reordered.value == pytest.approx(3 / 12)
    assert [found.ways[way].yes.value for way in AskingWay] == pytest.approx([8 / 12, 6 / 12, 7 / 12])
    assert found.yes.value == pytest.approx(2 / 12)
    assert [each.alone.value for each in found.by_question] == pytest.approx([1 / 4, 1 / 4, 0])
    assert [each.reversed.value for each in found.by_question] == pytest.approx([1 / 4, 1 / 4, 1 / 4])
    # The first question stands in the first half at first, the last one in the reversed call; the middle counts never:
    # text 1: (1 - 0) + (1 - 0), the other texts give the same in both orders.
    assert found.position.value == pytest.approx(2 / 8)
    assert found.comparison is None
    assert found.problem == "Nobody has rated these texts."
    assert found.accuracy is None


def test_texts_of_the_same_contents_are_equal() -> None:
    answers = np.array([[[1.0, NONE]], [[0.0, 1.0]], [[1.0, 1.0]]])
    assert asked(answers) == asked(answers.copy())
    assert hash(asked(answers)) == hash(asked(answers.copy()))
    assert asked(answers) != asked(1 - answers)
    assert asked(answers) != asked(answers, human=np.array([4.0]))


def test_the_interval_is_by_students_t_over_documents() -> None:
    answers = np.zeros((3, 200, 1))
    answers[1, :60] = 1.0
    found = compare_asking(asked(answers), resamples=4000).changed
    reach = stats.t.ppf(0.975, 199) * math.sqrt(0.3 * 0.7 / 199)
    assert (found.value, found.low) == (pytest.approx(0.3), pytest.approx(0.3 - reach, abs=0.004))
    assert found.high == pytest.approx(0.3 + reach, abs=0.004)


def test_what_never_changed_may_still_change() -> None:
    same = np.tile([[1.0, 0.0]], (20, 1))
    found = compare_asking(asked(np.stack([same, same, same])))
    assert (found.changed.value, found.changed.low) == (0, 0)
    assert found.changed.high == pytest.approx(wilson(0, 20)[1])
    assert found.position.low == -found.changed.high  # a difference may go either way


def test_answers_that_one_way_lacks_are_left_out_of_all() -> None:
    answers = np.ones((3, 3, 2))
    answers[1, 0, 0] = NONE
    answers[2, :, 1] = NONE
    found = compare_asking(asked(answers))
    assert (found.answers, found.texts) == (2, 2)
    assert found.by_question[1].alone.value is None
    answers[:] = NONE
    with pytest.raises(InputError, match="No question was answered in all three ways"):
        compare_asking(asked(answers))


def test_agreement_with_people_is_of_the_same_texts_and_together_less_alone() -> None:
    rng = np.random.default_rng(1)
    human = rng.normal(size=60)
    scores = np.stack([human + rng.normal(size=60) * noise for noise in (0.2, 2.0, 0.4)])
    scores[2, 0] = NONE
    answers = np.ones((3, 60, 1))
    texts = AskingWayAnswers(answers, scores, human, np.full((60, 1), NONE), [f"d{n}" for n in range(60)])
    found = compare_asking(texts, level="dataset")
    expected = [stats.spearmanr(scores[way, 1:], human[1:]).statistic for way in range(3)]
    assert [found.ways[way].spearman for way in AskingWay] == pytest.approx(expected)
    assert found.ways[AskingWay.ALONE].kendall == pytest.approx(stats.kendalltau(scores[1, 1:], human[1:]).statistic)
    difference = found.spearman
    assert difference is not None
    assert difference.difference == pytest.approx(expected[0] - expected[1])
    assert difference.low is not None
    assert difference.low > 0
    assert found.to_json()["together_less_alone"]["spearman"]["difference"] == pytest.approx(difference.difference)


def test_accuracy_is_against_most_experts_where_there_are() -> None:
    people = np.array([[1.0, NONE], [0.0, 1.0], [NONE, NONE], [1.0, 1.0]])
    together = np.array([[1, 0], [0, 1], [1, 1], [1, 0]])  # 4 of 5 right
    alone = np.array([[0, 0], [1, 1], [1, 1], [1, 1]])  # 3 of 5
    found = compare_asking(asked(np.stack([together, alone, alone]).astype(np.float64), people=people))
    assert (found.experts, found.expert_texts, found.expert_documents) == (5, 3, 3)
    accuracies = [found.ways[way].accuracy for way in AskingWay]
    assert [each.value for each in accuracies if each] == pytest.approx([0.8, 0.6, 0.6])
    assert found.accuracy is not None
    assert found.accuracy.value == pytest.approx(0.2)


def test_a_judge_that_leans_on_the_place_is_found_and_one_that_does_not_rarely() -> None:
    rng = np.random.default_rng(7)

    def share_found(lean: float, draws: int) -> float:
        positions = [compare_asking(judged(rng, lean), resamples=200).position for _ in range(draws)]
        return float(np.mean([each.low is not None and each.low > 0 for each in positions]))

    assert share_found(1.5, 20) >= 0.9
    assert share_found(0.0, 60) <= 0.07  # 2.5 % lie above 0 by chance


def test_wavering_is_the_share_of_pairs_that_differ() -> None:
    repeats = np.array([[[1.0, 0.0]], [[1.0, 1.0]], [[0.0, NONE]]])
    # The first question: of three pairs two differ. The second: one pair, which differs.
    assert repeat_inconsistency(repeats, ["d"]).value == pytest.approx((2 / 3 + 1) / 2)
    assert repeat_inconsistency(repeats[:1], ["d"]).value is None
