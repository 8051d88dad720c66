"""Several judges of one checklist beside what most experts say."""

import pytest

from app.domain.checklist_score import Answer
from app.services.checklists.answer_draws import draw_texts
from app.services.results.quality_cost import judge_panel
from app.services.results.results import Choices, cached_results
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.support.answering import answer_all
from tests.support.fake_llm.behaviour import Answer as Reply
from tests.support.fake_llm.behaviour import all_yes
from tests.support.fake_llm.server import Usual
from tests.support.projects import ready_to_score

CHECKLIST = 1


@pytest.fixture
def usual() -> Usual:
    return Reply(all_yes)


def test_the_newest_run_of_each_judge_is_weighed_against_what_most_experts_say(workbench: Workbench) -> None:
    dimension = ready_to_score(workbench, texts=12)
    for judge in ("rules", "llama:one", "llama:two"):
        if judge == "llama:one":
            assert judge_panel(workbench, 1, cached_results(workbench, [1], Choices("dataset"))[0]) is None
        work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), judge)))
    draw = draw_texts(workbench, CHECKLIST, 12, seed=3)
    with workbench.database.read() as work:
        questions = [question.id for question in work.checklists.get(CHECKLIST).asked]
    said = {text: Answer.YES if place % 4 else Answer.NO for place, text in enumerate(draw.texts)}
    answer_all(workbench, draw, "Ana", {(text, question): said[text] for text in said for question in questions})
    result = cached_results(workbench, [2], Choices("dataset"))[0]
    found = judge_panel(workbench, 1, result)
    assert found is not None
    by_judge = {judge.judge: judge.accuracy for judge in found.panel.judges}
    assert by_judge["llama:one"] == by_judge["llama:two"] == pytest.approx(0.75)
    assert (found.panel.n, found.panel.documents) == (12 * len(questions), 12)
    costs = dict(zip(by_judge, found.costs, strict=True))
    assert (costs["rules"].per_1000, costs["llama:one"].per_1000) == (0.0, None)
