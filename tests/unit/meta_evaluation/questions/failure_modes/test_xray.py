"""Planted faults are found; on good questions badges are rare."""

from dataclasses import replace

import numpy as np
import pytest

from app.meta_evaluation.questions.failure_modes.rubric_evidence import RubricEvidence
from app.meta_evaluation.questions.failure_modes.xray import failure_modes
from tests.support.planted_rubric import good_rubric, with_answers, with_people


def planted(found: RubricEvidence) -> list[tuple[str, int | None, str]]:
    return [(each.mode, each.question, each.badge) for each in failure_modes(found)]


@pytest.fixture
def good() -> RubricEvidence:
    return good_rubric(seed=1)


@pytest.mark.parametrize("texts", [40, 160])
def test_on_good_questions_at_most_one_badge_in_a_hundred_questions(texts: int) -> None:
    """Of 1,200 such questions each, none got a badge with 30, 40, 80 and 160 texts, and two with 24."""
    badges = sum(len(failure_modes(good_rubric(seed, texts))) for seed in range(13))
    assert badges <= 1


def test_a_question_where_yes_is_bad_is_no_fault_once_it_is_marked(good: RubricEvidence) -> None:
    judge, people = good.judge.copy(), good.people.copy()
    judge[:, :, 2], people[:, :, 2] = 1 - judge[:, :, 2], 1 - people[:, :, 2]
    turned = replace(good, judge=judge, people=people)
    assert ("misaligned or rigid", 2, "goes against ratings") in planted(turned)
    assert planted(replace(turned, against=np.arange(8) == 2)) == planted(good)


def test_a_question_that_rewards_length_beyond_what_people_see(good: RubricEvidence) -> None:
    rng = np.random.default_rng(5)
    long = np.log(good.words) + rng.normal(scale=0.3, size=good.words.size) > 5
    rewarding = with_answers(good, 2, long.astype(float))
    found = failure_modes(with_people(rewarding, 2, np.nan))
    assert [(each.mode, each.question, each.badge) for each in found] == [("hackable", 2, "rewards length")]
    assert found[0].value is not None
    assert found[0].low is not None
    assert found[0].value > 0.4
    assert found[0].low > 0.2 == found[0].limit
    assert "people's ratings" in found[0].evidence
    assert (found[0].n, "160 texts" in found[0].evidence) == (160, True)
    # Experts who say the same of long texts: longer ones are better at this, and it is no fault of the judge.
    assert planted(with_people(rewarding, 2, long.astype(float))) == []
    # Beside their answers to the question itself, less of a difference is enough.
    mostly = failure_modes(rewarding)
    assert ("hackable", 0.1) in [(each.mode, each.limit) for each in mostly]
    short = with_answers(with_people(good, 2, np.nan), 2, 1.0 - long)
    assert ("hackable", 2, "rewards brevity") in planted(short)


def test_a_question_that_repeats_another_names_it(good: RubricEvidence) -> None:
    rng = np.random.default_rng(6)
    said = good.answers[:, 1]
    said = np.where(rng.random(said.size) < 0.05, 1 - said, said)
    found = failure_modes(with_people(with_answers(good, 5, said), 5, np.nan))
    assert [(each.mode, each.question, each.other) for each in found] == [("redundant", 5, 1)]
    assert found[0].badge == "repeats question 2"
    assert (found[0].to_json()["question"], found[0].to_json()["other"]) == (6, 2)


def test_a_question_that_is_almost_always_yes_and_one_that_goes_with_nothing(good: RubricEvidence) -> None:
    yes = np.ones(good.words.size)
    yes[7] = 0
    assert planted(with_people(with_answers(good, 0, yes), 0, np.nan)) == [("low signal", 0, "says little")]
    coin = np.random.default_rng(3).integers(0, 2, 1200).astype(float)
    many = good_rubric(seed=2, texts=1200)
    (found,) = failure_modes(with_people(with_answers(many, 0, coin), 0, np.nan))
    assert (found.mode, found.measure) == ("low signal", "correlation with the other questions")
    # One that goes with people's ratings tells something, whatever the other questions ask.
    rated = replace(many, ratings=many.ratings + 3 * coin)
    assert planted(with_people(with_answers(rated, 0, coin), 0, np.nan)) == []


def test_a_question_that_two_experts_answer_independently_is_no_fault_of_the_judge(good: RubricEvidence) -> None:
    coins = np.random.default_rng(4).integers(0, 2, (2, good.words.size)).astype(float)
    found = failure_modes(with_people(good, 3, coins))
    assert [(each.mode, each.question, each.badge) for each in found] == [("subjective", 3, "experts differ")]
    assert found[0].high is not None
    assert found[0].high < 0.6 == found[0].limit


def test_experts_who_nearly_always_say_yes_do_not_differ_though_alpha_is_low(good: RubricEvidence) -> None:
    nearly = np.ones((2, good.words.size))
    nearly[0, :4] = nearly[1, 4:8] = 0
    assert ("subjective", 3, "experts differ") not in planted(with_people(good, 3, nearly))


def test_a_judge_that_contradicts_experts_who_agree(good: RubricEvidence) -> None:
    found = failure_modes(with_people(good, 4, 1 - good.answers[:, 4]))
    assert [(each.mode, each.question, each.badge) for each in found] == [
        ("misaligned or rigid", 4, "judge reads it otherwise")
    ]
    assert found[0].value == 0
    assert found[0].measure in ("sensitivity", "specificity")


def test_texts_drawn_for_doubts_count_by_their_chance(good: RubricEvidence) -> None:
    """The judge is wrong about the texts on which it was unsure, of which three times as many were drawn."""
    hard = np.arange(good.words.size) % 2 == 0
    experts = np.where(hard, 1 - good.answers[:, 4], good.answers[:, 4])
    drawn = with_people(good, 4, experts)
    wrong = ("misaligned or rigid", 4, "judge reads it otherwise")
    assert wrong in planted(drawn)
    assert wrong not in planted(replace(drawn, weights=np.where(hard, 1 / 3, 1.0)))
    assert wrong in planted(replace(drawn, weights=np.where(hard, 1.0, 1 / 3)))
    nobody_knows = failure_modes(replace(drawn, weights=np.where(hard, 1.0, 0.0)))
    (counted,) = [each.n for each in nobody_knows if each.badge == wrong[2]]
    assert counted is not None
    assert counted <= hard.sum()


def test_a_yes_that_goes_with_low_ratings(good: RubricEvidence) -> None:
    turned = with_people(with_answers(good, 6, 1 - good.answers[:, 6]), 6, np.nan)
    assert planted(turned)[0] == ("misaligned or rigid", 6, "goes against ratings")


def test_a_judge_whose_repeats_differ_and_one_that_stays_silent(good: RubricEvidence) -> None:
    rng = np.random.default_rng(8)
    judge = good.judge.copy()
    other = rng.random(good.words.size) < 0.3
    judge[1, other, 1] = 1 - judge[0, other, 1]
    judge[:, rng.random(good.words.size) < 0.25, 7] = np.nan
    found = planted(replace(good, judge=judge))
    assert found == [("ungrounded", 1, "judge changes its mind"), ("ungrounded", 7, "often unanswered")]


def test_texts_the_judge_never_saw_are_not_left_unanswered(good: RubricEvidence) -> None:
    judge = good.judge.copy()
    judge[:, :60] = np.nan
    assert planted(replace(good, judge=judge, judged=np.arange(good.words.size) >= 60)) == []


def test_wording_is_evidence_of_its_own_and_says_that_no_answers_were_looked_at(good: RubricEvidence) -> None:
    hints = ((), (("asks-two-things", "Two things are asked at once."), ("too-long", "31 words.")), *((),) * 6)
    (found,) = failure_modes(replace(good, hints=hints))
    assert (found.mode, found.question, found.badge) == ("non-atomic", 1, "asks two things")
    assert (found.value, found.n, found.by_wording) == (None, None, True)
    assert found.evidence == "By its wording alone; no answers were looked at. Two things are asked at once."


def test_two_negations_in_a_question_get_a_badge(good: RubricEvidence) -> None:
    hints = ((("double-negation", "Two negations are hard to answer. Say it positively."),), *((),) * 7)
    (found,) = failure_modes(replace(good, hints=hints))
    assert (found.mode, found.question, found.badge) == ("subjective", 0, "double negation")


def test_attributes_behind_no_question_are_about_the_checklist(good: RubricEvidence) -> None:
    (found,) = failure_modes(replace(good, unserved=4, attributes=60))
    assert (found.mode, found.question, found.badge) == ("missing criteria", None, "4 attributes no question serves")
    assert (found.value, found.n, found.by_wording) == (4, 60, False)


def test_the_most_urgent_comes_first_and_wording_after_what_was_measured(good: RubricEvidence) -> None:
    yes = np.ones(good.words.size)
    several = with_people(with_answers(good, 0, yes), 0, np.nan)
    several = with_people(several, 4, 1 - good.answers[:, 4])
    hints = ((("vague-word", "“good” means something else to everybody."),), *((),) * 7)
    modes = [each.mode for each in failure_modes(replace(several, hints=hints, unserved=1, attributes=2))]
    assert modes == ["misaligned or rigid", "low signal", "subjective", "missing criteria"]


@pytest.mark.parametrize("texts", [0, 1, 4, 8])
def test_too_few_texts_show_nothing(texts: int) -> None:
    few = good_rubric(seed=1, texts=16)
    cut = replace(
        few,
        judge=np.ones_like(few.judge)[:, :texts],
        judged=few.judged[:texts],
        people=few.people[:, :texts],
        words=few.words[:texts],
        ratings=few.ratings[:texts],
        documents=list(few.documents)[:texts],
    )
    assert planted(cut) == []


def test_without_experts_ratings_or_other_questions_nothing_breaks(good: RubricEvidence) -> None:
    alone = replace(
        good,
        judge=good.judge[:1, :, :1],
        people=np.empty((0, good.words.size, 1)),
        ratings=np.full(good.words.size, np.nan),
        hints=((),),
    )
    assert planted(alone) == []
