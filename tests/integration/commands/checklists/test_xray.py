"""`checklist xray`: a table for people, every figure as JSON, and what is said where there is nothing to look at."""

import json
from collections.abc import Callable

from app.domain.run import RunDimension
from app.services.results.results import cached_result
from app.services.results.rubric_xray import rubric_xray
from app.services.runtime.workbench import open_workbench
from app.services.scoring.evaluators import NO_JUDGE
from tests.support.projects import ready_to_score

Run = Callable[..., tuple[int, str, str]]
HERE = ("checklist", "xray", "--project", "Ready", "--dimension", "coherence")


def test_findings_with_all_their_figures(run: Run) -> None:
    workbench = open_workbench()
    dimension = ready_to_score(workbench, texts=88)
    status, _, err = run(*HERE)
    assert status == 2
    assert "No text of this project has been scored yet." in err
    scored = ("--project", "Ready", "--dimension", "coherence")
    assert run("score", *scored, "--evaluator", "checklist", "--judge", "rules")[0] == 0
    status, out, err = run(*HERE, "--json")
    assert status == 0, err
    found = json.loads(out)
    result = cached_result(workbench, 1, dimension.id)
    assert result is not None
    xray = rubric_xray(workbench, result)
    assert xray is not None
    assert found == {"dimension": "coherence", "run": 1, "judge": "rules", "version": 1} | xray.to_json()
    assert {"mode", "question", "badge", "evidence", "advice", "value", "low", "high", "n", "limit"} <= set(
        found["findings"][0]
    )
    status, out, _ = run(*HERE, "--run", "1")
    assert status == 0
    assert "question 1, says little" in out.splitlines()[0]
    assert "Keep it only if texts to come may be answered otherwise" in out
    assert "To look further: have two experts answer" in out


def test_a_run_without_questions_says_what_to_do(run: Run) -> None:
    workbench = open_workbench()
    dimension = ready_to_score(workbench)
    with workbench.database.write() as work:
        texts = tuple(work.texts.ids_by_key(1).values())
        work.runs.create(1, "rouge-l", NO_JUDGE, {}, [RunDimension(dimension.id, None, (), texts)])
    status, _, err = run(*HERE, "--run", "1")
    assert status == 2
    assert "Run 1 has asked no questions of a checklist about coherence." in err
    assert run(*HERE, "--run", "9")[0] == 2
