"""What experts and the judge answered to the same questions about the same texts."""

from collections.abc import Callable

import pytest

from app.domain.checklist_score import Answer
from app.domain.run import RunDimension
from app.services.checklists.answer_draws import draw_texts
from app.services.results.question_analysis import asked_of_experts
from app.services.results.results import Choices, cached_results
from app.services.runtime.workbench import Workbench
from app.services.scoring.evaluators import NO_JUDGE
from tests.support.answering import answer_all

CHECKLIST = 1


@pytest.fixture
def bench(scored_by_rules: Callable[[int], Workbench]) -> Workbench:
    return scored_by_rules(40)


def test_without_experts_there_is_nothing_to_compare(bench: Workbench) -> None:
    (result,) = cached_results(bench, [1], Choices("dataset"))
    assert asked_of_experts(bench, result) is None
    draw_texts(bench, CHECKLIST, 5, seed=3)
    assert asked_of_experts(bench, result) is None


def test_a_question_answered_contrarily_is_ambiguous_and_one_answered_always_alike_cannot_be_told(
    bench: Workbench,
) -> None:
    (result,) = cached_results(bench, [1], Choices("dataset", resamples=50))
    draw = draw_texts(bench, CHECKLIST, 20, seed=3)
    with bench.database.read() as work:
        judged = work.results.answers(1, result.dimension.id)
        questions = [question.id for question in work.checklists.get(CHECKLIST).asked]
    said = {(text, question): given for text in draw.texts for _, question, given in judged[text]}
    flipped = {
        (text, question): Answer.YES if given is Answer.NO else Answer.NO
        for (text, question), given in said.items()
        if question == questions[0]
    }
    answer_all(bench, draw, "Ana", said)
    answer_all(bench, draw, "Ben", said | flipped)
    found = asked_of_experts(bench, result)
    assert found is not None
    assert (found.experts, found.texts, found.judged) == (("Ana", "Ben"), len(draw.texts), len(draw.texts))
    by_question = {question.id: agreement for question, agreement in found.questions}
    contrary = by_question[questions[0]]
    assert contrary.people.value == pytest.approx(-0.95)
    assert contrary.verdict == "ambiguous question"
    for question in questions[1:]:  # the rules say the same of every text, so no agreement beyond chance is seen
        assert by_question[question].people.value is by_question[question].judge.value is None
        assert by_question[question].verdict == "can't be told"


def test_a_method_without_questions_asks_nobody(bench: Workbench) -> None:
    with bench.database.write() as work:
        texts = tuple(work.texts.ids_by_key(1).values())
        work.runs.create(1, "rouge-l", NO_JUDGE, {}, [RunDimension(1, None, (), texts)])
    (result,) = cached_results(bench, [2], Choices("dataset"))
    assert asked_of_experts(bench, result) is None
