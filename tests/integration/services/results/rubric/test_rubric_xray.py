"""What a project's own answers show against its questions, and what belongs to that evidence."""

from collections.abc import Callable

import pytest

from app.domain.checklist import Checklist, ChecklistStatus, Component, Question, QuestionOrigin
from app.domain.checklist_score import Answer
from app.domain.run import RunDimension
from app.services.checklists.answer_draws import draw_texts
from app.services.results.report import report_html
from app.services.results.result_files import verdicts_of
from app.services.results.results import Choices, cached_results
from app.services.results.rubric_xray import RubricXray, rubric_xray
from app.services.runtime.workbench import Workbench
from app.services.scoring.evaluators import NO_JUDGE
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.support.answering import answer_all
from tests.support.projects import ready_to_score

CHECKLIST, TEXTS, DRAWN = 1, 88, 44
CHOICES = Choices("dataset", resamples=100)


@pytest.fixture
def bench(scored_by_rules: Callable[[int], Workbench]) -> Workbench:
    """The rules say yes to each of three questions about every text."""
    return scored_by_rules(TEXTS)


def _xray(bench: Workbench) -> RubricXray:
    found = rubric_xray(bench, cached_results(bench, [1], CHOICES)[0])
    assert found is not None
    return found


def _badges(found: RubricXray) -> dict[int | None, list[str]]:
    return {place: [each.badge for each in found.of_question(place)] for place in range(len(found.questions))}


def test_without_experts_the_judges_answers_and_the_wording_are_looked_at(bench: Workbench) -> None:
    found = _xray(bench)
    assert _badges(found) == {place: ["says little"] for place in range(3)}
    assert found.flagged == 3
    assert "question 1, says little" in found.summary
    assert (found.texts, found.rated, found.repeats, found.answered) == (TEXTS, TEXTS, 1, 0)
    assert len(found.further) == 2
    assert "two experts" in found.further[0]
    document = found.to_json()
    assert document["findings"][0]["text"] == "Is part 0 in its place?"
    assert document["findings"][0]["n"] == TEXTS
    assert document["unserved"] == []


def test_experts_answers_count_as_soon_as_they_are_given(bench: Workbench) -> None:
    assert _badges(_xray(bench))[0] == ["says little"]
    draw = draw_texts(bench, CHECKLIST, DRAWN, seed=3)
    with bench.database.read() as work:
        first, second, third = [question.id for question in work.checklists.get(CHECKLIST).asked]
    by_turns = [Answer.YES, Answer.NO]
    for expert in ("Ana", "Ben"):
        given: dict[tuple[int, int], Answer] = {}
        for place, text in enumerate(draw.texts):
            given[text, first], given[text, third] = Answer.NO, Answer.YES
            given[text, second] = by_turns[(place + (expert == "Ben") * (place // 2)) % 2]
        answer_all(bench, draw, expert, given)
    found = _xray(bench)
    assert found.answered == len(draw.texts)
    assert _badges(found) == {
        0: ["judge reads it otherwise", "says little"],
        1: ["experts differ", "says little"],
        2: ["says little"],
    }
    contradicted = found.findings[0]
    assert (contradicted.measure, contradicted.value, contradicted.n) == ("specificity", 0.0, len(draw.texts))
    assert "question 1, judge reads it otherwise" in found.summary


def test_a_method_without_questions_has_none_to_look_at(bench: Workbench) -> None:
    with bench.database.write() as work:
        texts = tuple(work.texts.ids_by_key(1).values())
        work.runs.create(1, "rouge-l", NO_JUDGE, {}, [RunDimension(1, None, (), texts)])
    assert rubric_xray(bench, cached_results(bench, [2], CHOICES)[0]) is None


def test_the_report_shows_it_to_the_letter(workbench: Workbench) -> None:
    dimension = ready_to_score(workbench, texts=12)
    asked = Question("Is <b>it</b> dated, and is it named?", "Order", origin=QuestionOrigin.ADDED)
    draft = Checklist("coherence", 0, ChecklistStatus.DRAFT, "comb", "", (Component("Order"),), (asked,))
    with workbench.database.write() as work:
        work.checklists.publish(work.checklists.save(dimension.id, draft))
    work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), "rules")))
    results = cached_results(workbench, [1], CHOICES)
    with workbench.database.read() as work:
        project = work.projects.by_id(1)
    xrays = [rubric_xray(workbench, result) for result in results]
    verdicts = verdicts_of(workbench, results)
    page = report_html(project, results, verdicts, xrays).decode()
    assert "1. Is &lt;b&gt;it&lt;/b&gt; dated, and is it named?" in page
    assert "<b>it" not in page
    assert "<strong>asks two things</strong>" in page
    assert "By its wording alone; no answers were looked at." in page
    assert "X-rayed" not in report_html(project, results, verdicts).decode()
