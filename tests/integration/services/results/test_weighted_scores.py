"""The weighted score's agreement with people, beside the equal one, over the same texts."""

import json
from dataclasses import replace

import pytest
from scipy.stats import spearmanr

from app.domain.project import Dimension
from app.services.checklists.checklists import new_draft, publish, versions_of
from app.services.checklists.draft_edits import QuestionWording, edit_question
from app.services.results.question_analysis import weighted_agreement
from app.services.results.results import Choices, results_of
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.support.fake_llm.behaviour import Answer as Reply
from tests.support.fake_llm.behaviour import all_yes
from tests.support.fake_llm.server import FakeLlm
from tests.support.projects import ready_to_score


def scored(workbench: Workbench, dimension: Dimension) -> int:
    run_id = start_run(workbench, 1, RunOptions((dimension,), "llama:judge"))
    work_on(workbench, run_id, concurrency=1)
    return run_id


def test_the_weighted_figures_are_those_of_the_weighted_scores(workbench: Workbench, llm: FakeLlm) -> None:
    dimension = ready_to_score(workbench, texts=12, questions=3)
    draft = new_draft(workbench, versions_of(workbench, dimension.id)[0].id)
    edit_question(workbench, draft.asked[0], QuestionWording(draft.asked[0].text, "Order", weight=5))
    publish(workbench, draft.id)
    patterns = [("yes", "no", "no"), ("no", "yes", "yes"), ("yes", "yes", "no"), ("no", "no", "yes")] * 3
    llm.script(*(Reply(json.dumps(dict(zip(("q1", "q2", "q3"), answers, strict=True)))) for answers in patterns))
    (result,) = results_of(workbench, scored(workbench, dimension), Choices("dataset", resamples=50))
    found = weighted_agreement(workbench, result)
    assert found is not None
    weighted = [
        1 + 4 * sum(w for w, a in zip((5, 1, 1), answers, strict=True) if a == "yes") / 7 for answers in patterns
    ]
    human = [row.human for row in result.rows]
    assert found.figures["spearman"].value == pytest.approx(spearmanr(weighted, human).statistic)
    equal = [1 + 4 * answers.count("yes") / 3 for answers in patterns]
    assert result.meta.figures["spearman"].value == pytest.approx(spearmanr(equal, human).statistic)
    assert found.signature.checklist == "2 weighted"
    assert weighted_agreement(workbench, replace(result, soft=True)) is None


def test_a_checklist_without_weights_has_nothing_to_show(workbench: Workbench, llm: FakeLlm) -> None:
    llm.usual = Reply(all_yes)
    (result,) = results_of(workbench, scored(workbench, ready_to_score(workbench)))
    assert weighted_agreement(workbench, result) is None
