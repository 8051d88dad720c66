"""A judge's shares corrected by experts who answered some of its texts, and whether it may stand in for one."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from app.domain.checklist_score import Answer
from app.domain.expert_answer import AnswerDraw
from app.services.checklists.answer_draws import draw_texts
from app.services.results import corrected_shares as shares_module
from app.services.results.corrected_shares import corrected_shares
from app.services.results.question_analysis import expert_side
from app.services.results.results import Choices, cached_results
from app.services.runtime.workbench import Workbench
from tests.support.answering import answer_all

CHECKLIST, TEXTS, DRAWN = 1, 60, 36


@pytest.fixture
def bench(scored_by_rules: Callable[[int], Workbench]) -> Workbench:
    return scored_by_rules(TEXTS)


def _answers(bench: Workbench, *experts: str) -> dict[int, list[Answer]]:
    """All experts say no to the first question on every third text, and on the rest what the judge says."""
    draw = draw_texts(bench, CHECKLIST, DRAWN, seed=3)
    with bench.database.read() as work:
        judged = work.results.answers(1, 1)
    given: dict[int, list[Answer]] = {}
    answers: dict[tuple[int, int], Answer] = {}
    for place, text in enumerate(draw.texts):
        for number, (_, question, said) in enumerate(judged[text]):
            own = Answer.NO if number == 0 and place % 3 == 0 else said
            given.setdefault(question, []).append(own)
            answers[text, question] = own
    for expert in experts:
        answer_all(bench, draw, expert, answers)
    return given


def test_without_experts_there_is_nothing_to_correct(bench: Workbench) -> None:
    (result,) = cached_results(bench, [1], Choices("dataset"))
    assert corrected_shares(bench, result) is None


def test_shares_and_mean_score_rest_on_what_most_experts_say(bench: Workbench) -> None:
    given = _answers(bench, "Ana", "Ben", "Cleo")
    (result,) = cached_results(bench, [1], Choices("dataset"))
    found = corrected_shares(bench, result)
    assert found is not None
    assert found.experts == ("Ana", "Ben", "Cleo")
    for share in found.questions:
        said = given[share.question.id]
        assert share.estimate is not None
        assert (share.estimate.n, share.estimate.n_human) == (TEXTS, len(said))
        assert share.estimate.human_only.value == pytest.approx(np.mean([one is Answer.YES for one in said]))
    first = found.questions[0].estimate
    assert first is not None
    assert first.judge_only.value == 1, "the rules say yes to all: people's no on a third is all that is known"
    assert first.bias == pytest.approx(12 / 36)
    assert found.score is not None
    assert found.score.n_human == DRAWN
    assert found.score.bias is not None
    assert found.score.bias > 0
    by_question = found.questions[0].stand_in
    assert by_question is not None
    assert [person.n for person in by_question.annotators] == [DRAWN] * 3
    assert found.stand_in is not None
    assert [person.n for person in found.stand_in.annotators] == [DRAWN * len(found.questions)] * 3


def test_texts_drawn_with_unequal_probabilities_are_weighed(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every third text, where people say no to the first question, was drawn four times as likely; one by no chance."""
    _answers(bench, "Ana")
    (result,) = cached_results(bench, [1], Choices("dataset"))
    side = expert_side(bench, result)
    assert side is not None
    place = np.arange(TEXTS)
    chances = np.where(place % 3 == 0, 0.8, 0.2)
    chances[place == 1] = np.nan
    monkeypatch.setattr(shares_module, "expert_side", lambda *_: replace(side, probability=chances))
    found = corrected_shares(bench, result)
    assert found is not None
    first = found.questions[0].estimate
    assert first is not None
    assert (first.n, first.n_human, first.weighted) == (TEXTS, DRAWN - 1, True)
    assert first.human_only.value == pytest.approx(23 * 4 / (23 * 4 + 12))
    assert found.score is not None
    assert found.score.weighted


def test_an_expert_alone_has_nobody_to_be_compared_with_and_split_experts_leave_no_truth(bench: Workbench) -> None:
    draw = draw_texts(bench, CHECKLIST, DRAWN, seed=3)
    with bench.database.read() as work:
        questions = [question.id for question in work.checklists.get(CHECKLIST).asked]
    answer_all(bench, draw, "Ana", {(text, questions[0]): Answer.YES for text in draw.texts})
    (result,) = cached_results(bench, [1], Choices("dataset"))
    found = corrected_shares(bench, result)
    assert found is not None
    assert found.stand_in is None
    assert found.score is None
    assert "0 of 60 texts" in found.reason
    answer_all(bench, draw, "Ben", {(text, questions[0]): Answer.NO for text in draw.texts})
    found = corrected_shares(bench, result)
    assert found is not None
    assert found.questions[0].estimate is None
    assert "0 of 60 texts" in found.questions[0].reason


def test_answers_are_weighed_by_how_likely_their_texts_were_drawn(bench: Workbench) -> None:
    first = draw_texts(bench, CHECKLIST, 20, seed=3)
    _say_no(bench, first, first.texts)
    (result,) = cached_results(bench, [1], Choices("dataset"))
    side = expert_side(bench, result)
    assert side is not None
    assert side.probability is None, "all were drawn alike"
    left = [text for text in side.texts if text not in first.texts]
    with bench.database.write() as work:
        chances = {text: 0.75 if text <= 12 else 0.25 for text in side.texts}
        drawn = work.expert_answers.add_wave(first.id, left[:20], chances, design="uncertain", seed=3, tau=0.25)
    side = expert_side(bench, result)
    assert side is not None
    assert side.probability is None, "nobody has answered a text of the second wave"
    _say_no(bench, drawn, drawn.waves[1].texts[:10])
    side = expert_side(bench, result)
    assert side is not None
    assert side.probability is not None
    # 20 of 60 drawn first, and of what that left half of the second wave answered.
    chance = np.where([text <= 12 for text in side.texts], 0.75, 0.25)
    assert side.probability == pytest.approx(1 / 3 + 2 / 3 * chance / 2)
    found = corrected_shares(bench, result)
    assert found is not None
    assert found.questions[0].estimate is not None
    assert found.questions[0].estimate.weighted


def _say_no(bench: Workbench, draw: AnswerDraw, texts: Sequence[int]) -> None:
    answer_all(bench, draw, "Ana", {(text, 1): Answer.NO if text % 3 else Answer.YES for text in texts})
