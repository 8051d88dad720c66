"""What a comparison of ways of asking says follows, by the figures it has."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.meta_evaluation.judges.asking_ways import (
    AskingComparison,
    AskingWayAnswers,
    asking_cautions,
    asking_verdict,
    compare_asking,
    position_verdict,
    repeat_inconsistency_words,
)
from app.meta_evaluation.judges.powered_estimates import EstimatedFigure

TEXTS = 40


@pytest.fixture(scope="module")
def rated() -> AskingComparison:
    rng = np.random.default_rng(0)
    human = rng.normal(size=TEXTS)
    scores = np.stack([human + rng.normal(size=TEXTS) for _ in range(3)])
    answers = (rng.random((3, TEXTS, 4)) < 0.5) * 1.0
    documents = [f"d{n}" for n in range(TEXTS)]
    asked = AskingWayAnswers(answers, scores, human, np.full((TEXTS, 4), np.nan), documents)
    return compare_asking(asked, level="dataset", resamples=50)


def with_difference(
    found: AskingComparison, value: float, low: float, high: float, p: float = 0.01
) -> AskingComparison:
    assert found.comparison is not None
    tested = found.comparison.differences["spearman"]
    figure = replace(tested.figure, difference=value, low=low, high=high)
    changed = replace(tested, figure=figure, permutation=replace(tested.permutation, p=p))
    differences = found.comparison.differences | {"spearman": changed}
    return replace(found, comparison=replace(found.comparison, differences=differences))


def with_experts(found: AskingComparison, documents: int = 20, **figure: Any) -> AskingComparison:
    return replace(found, accuracy=EstimatedFigure(**figure), experts=80, expert_texts=20, expert_documents=documents)


def test_what_follows_from_each_kind_of_difference(rated: AskingComparison) -> None:
    shown = "(Spearman over all texts, one call less one each: {}; 40 texts)"
    for ends, kind, choice, said in (
        (
            (-0.01, -0.06, 0.04),
            "no better alone",
            "together",
            "Asking each question alone agrees no better with people "
            f"{shown.format('-.01, 95 % -.06 to .04')} and costs 6.2 times as much: keep one call.",
        ),
        ((0.2, 0.1, 0.3), "together better", "together", "One call for all questions agrees better with people"),
        ((-0.2, -0.3, -0.1), "alone better", "alone", "and costs 6.2 times as much: ask each alone."),
        ((-0.05, -0.09, -0.01), "little", "together", "one call will do, unless that little matters to you."),
        (
            (0.05, -0.2, 0.2),
            "open",
            None,
            "40 texts can't tell which way agrees better with people (Spearman over all texts, one call less one "
            "each: .05, 95 % -.20 to .20): about 160 would. Until then one call is the cheaper way.",
        ),
    ):
        found = asking_verdict(with_difference(rated, *ends), 6.2)
        assert (found.kind, found.choice) == (kind, choice)
        assert said in found.sentence


def test_an_interval_that_a_permutation_test_does_not_bear_out_advises_nothing(rated: AskingComparison) -> None:
    assert asking_verdict(with_difference(rated, -0.2, -0.3, -0.1, p=0.2), 2.0).kind == "open"
    assert asking_verdict(with_difference(rated, 0.2, 0.1, 0.3, p=0.2), 2.0).kind == "no better alone"


def test_an_unknown_cost_is_not_made_up(rated: AskingComparison) -> None:
    found = asking_verdict(with_difference(rated, 0.0, -0.02, 0.02), None)
    assert found.sentence.endswith("40 texts): keep one call.")
    assert "costs" not in found.sentence


def test_experts_decide_where_ratings_can_not_and_only_then(rated: AskingComparison) -> None:
    worse = {"value": -0.2, "low": -0.3, "high": -0.1}
    unclear = with_experts(with_difference(rated, 0.0, -0.4, 0.4), **worse)
    assert asking_verdict(unclear, 2.0).kind == "alone better"
    assert "answers like most experts'" in asking_verdict(unclear, 2.0).sentence
    clear = with_experts(with_difference(rated, 0.0, -0.02, 0.02), **worse)
    assert asking_verdict(clear, 2.0).kind == "no better alone"


def test_few_documents_decide_nothing(rated: AskingComparison) -> None:
    few = with_experts(replace(rated, comparison=None), documents=3, value=0.2, low=0.1, high=0.3)
    found = asking_verdict(few, 2.0)
    assert (found.kind, found.choice) == ("open", None)
    assert "its texts come from 3 documents, and 10 are the least" in found.sentence


def test_without_people_only_the_change_is_said(rated: AskingComparison) -> None:
    found = asking_verdict(replace(rated, comparison=None, problem="Nobody has rated these texts."), 3.0)
    assert (found.kind, found.choice) == ("no people", None)
    assert "of the answers change; one call each costs 3.0 times as much." in found.sentence
    assert "have people rate some of these texts" in found.sentence


def test_position_in_words(rated: AskingComparison) -> None:
    leaning = replace(rated, position=EstimatedFigure(0.124, 0.05, 0.19), reordered=EstimatedFigure(0.2, 0.1, 0.3))
    assert position_verdict(leaning) == (
        "Turned round, the order changes 20 % (95 % 10 to 30) of the answers. Where a question stands matters: the "
        "same question gets a yes more often in the first half than in the second, by 12 points (95 % 5 to 19)."
    )
    level = replace(rated, position=EstimatedFigure(0.01, -0.03, 0.05))
    assert "No lean towards earlier or later questions was found (+1 points, 95 % -3 to 5)." in position_verdict(level)
    assert "no order" in position_verdict(replace(rated, position=EstimatedFigure(None)))
    assert "can't be told" in position_verdict(replace(rated, position=EstimatedFigure(0.1)))


def test_the_judges_own_wavering_stands_beside() -> None:
    assert "isn't known until a run asks the same twice" in repeat_inconsistency_words(None, None)
    said = repeat_inconsistency_words(EstimatedFigure(0.06, 0.03, 0.09), 12)
    assert "changes 6 % (95 % 3 to 9) of its answers (run 12, at temperature 1" in said


def test_cautions_speak_of_the_figures_shown_and_of_no_other_test(rated: AskingComparison) -> None:
    said = asking_cautions(rated)
    assert not any("Fisher" in each for each in said)
    assert said[-1] == "This holds for this checklist, this judge and texts like these."
    assert asking_cautions(replace(rated, comparison=None, problem="Nobody rated."))[0] == "Nobody rated."
