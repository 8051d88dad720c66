"""A new version is scored by asking only what changed: counted in requests and in questions at a real server."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from app.domain.checklist import Checklist
from app.domain.checklist_score import Answer
from app.domain.project import Dimension
from app.evaluators.checklist import JudgeOptions
from app.services.checklists.checklists import new_draft, publish, versions_of
from app.services.checklists.draft_edits import (
    QuestionWording,
    add_question,
    edit_question,
    remove_question,
    switch_question,
)
from app.services.runtime.workbench import Workbench
from app.services.scoring.forecast import estimate
from app.services.scoring.runs import RunOptions, get_run, start_run, work_on
from tests.support.fake_llm.behaviour import Answer as Reply
from tests.support.fake_llm.behaviour import all_yes
from tests.support.fake_llm.server import FakeLlm, Usual
from tests.support.prepared import Prepared, prepared
from tests.support.projects import ready_to_score, workbench_at

JUDGE = "llama:judge"
TEXTS, QUESTIONS = 6, 5


def all_no(schema: Mapping[str, Any] | None) -> str:
    return json.dumps(dict.fromkeys((schema or {}).get("required", ()), "no"))


@pytest.fixture
def usual() -> Usual:
    return Reply(all_yes)


@pytest.fixture(scope="module")
def ready() -> Prepared[Dimension]:
    return prepared(lambda workbench: ready_to_score(workbench, TEXTS, QUESTIONS))


@pytest.fixture(scope="module")
def scored_once(ready: Prepared[Dimension]) -> Prepared[int]:
    """The same with a run whose judge said yes to everything."""
    with FakeLlm(usual=Reply(all_yes)) as llm:

        def opened(folder: Path) -> Workbench:
            ready.copy(folder)
            return workbench_at(folder, f"{llm.url}/v1")

        return prepared(lambda workbench: scored(workbench, ready.made), opened)


@pytest.fixture
def workbench(request: pytest.FixtureRequest, llm: FakeLlm, tmp_path: Path) -> Iterator[Workbench]:
    """A copy of the project; with the run for a test that takes `first`."""
    there: Prepared[object] = request.getfixturevalue("scored_once" if "first" in request.fixturenames else "ready")
    there.copy(tmp_path)
    made = workbench_at(tmp_path, f"{llm.url}/v1")
    yield made
    made.database.close()


@pytest.fixture
def dimension(ready: Prepared[Dimension]) -> Dimension:
    return ready.made


@pytest.fixture
def first(scored_once: Prepared[int]) -> int:
    return scored_once.made


def scored(workbench: Workbench, dimension: Dimension, judge: str = JUDGE, **options: Any) -> int:
    run_id = start_run(workbench, 1, RunOptions((dimension,), judge, **options))
    work_on(workbench, run_id)
    return run_id


def next_draft(workbench: Workbench, dimension: Dimension) -> Checklist:
    return new_draft(workbench, versions_of(workbench, dimension.id)[0].id)


def reworded(workbench: Workbench, dimension: Dimension, number: int, guidance: str = "") -> Checklist:
    """A new published version in which one question is another."""
    draft = next_draft(workbench, dimension)
    question = draft.asked[number]
    text = question.text if guidance else f"Is this version {draft.version}?"
    edit_question(workbench, question, QuestionWording(text, question.component, guidance))
    return publish(workbench, draft.id)


def questions_asked(llm: FakeLlm, since: int = 0) -> list[int]:
    """How many questions each request after the first `since` holds."""
    return [len(re.findall(r"^q\d+: ", json.dumps(r.body).replace("\\n", "\n"), re.M)) for r in llm.requests[since:]]


def judgments(workbench: Workbench, dimension: Dimension, run: int) -> list[list[tuple[Answer, int | None]]]:
    with workbench.database.read() as work:
        found = work.results.judgments_by_text(run, dimension.id)
    return [[(j.answer, j.origin) for j in by_text] for by_text in found.values()]


def test_only_the_changed_question_is_asked_and_each_answer_says_where_it_comes_from(
    workbench: Workbench, llm: FakeLlm, dimension: Dimension, first: int
) -> None:
    reworded(workbench, dimension, 1)
    llm.usual = Reply(all_no)
    options = RunOptions((dimension,), JUDGE)
    ahead = estimate(workbench, 1, options)
    assert [str(each) for each in ahead.reuse] == [
        f"coherence: asks 1 of 5 questions for {TEXTS} texts; the other answers count again from run 1."
    ]
    before = len(llm.requests)
    second = scored(workbench, dimension)
    assert questions_asked(llm, before) == [1] * TEXTS
    assert ahead.calls == len(llm.requests) - before
    took, new = (Answer.YES, first), (Answer.NO, None)
    assert judgments(workbench, dimension, second) == [[took, new, took, took, took]] * TEXTS
    with workbench.database.read() as work:
        assert {row.score for row in work.results.scored(second, dimension.id)} == {1 + 4 * 4 / 5}
    assert get_run(workbench, second).params["answers_from"] == {str(dimension.id): [first]}


def test_an_answer_taken_over_twice_still_names_the_run_that_asked(
    workbench: Workbench, llm: FakeLlm, dimension: Dimension, first: int
) -> None:
    reworded(workbench, dimension, 0, guidance="One is enough.")  # which makes it another question
    before = len(llm.requests)
    second = scored(workbench, dimension)
    assert questions_asked(llm, before) == [1] * TEXTS
    reworded(workbench, dimension, 1)
    before = len(llm.requests)
    third = scored(workbench, dimension)
    assert questions_asked(llm, before) == [1] * TEXTS
    assert {tuple(origin for _, origin in row) for row in judgments(workbench, dimension, third)} == {
        (second, None, first, first, first)
    }


def test_switched_off_everything_is_asked(workbench: Workbench, llm: FakeLlm, dimension: Dimension, first: int) -> None:
    reworded(workbench, dimension, 1)
    before = len(llm.requests)
    run = scored(workbench, dimension, reuse=False)
    assert questions_asked(llm, before) == [QUESTIONS] * TEXTS
    assert get_run(workbench, run).params["reuse"] is False


def test_a_version_that_only_asks_less_asks_nothing(
    workbench: Workbench, llm: FakeLlm, dimension: Dimension, first: int
) -> None:
    draft = next_draft(workbench, dimension)
    switch_question(workbench, draft.asked[0].id, False)
    remove_question(workbench, draft.asked[1])
    publish(workbench, draft.id)
    before = len(llm.requests)
    run = scored(workbench, dimension)
    assert len(llm.requests) == before
    assert get_run(workbench, run).done == TEXTS


def test_texts_that_the_earlier_run_did_not_score_are_asked_everything(
    workbench: Workbench, llm: FakeLlm, dimension: Dimension
) -> None:
    scored(workbench, dimension, share=0.5)
    draft = next_draft(workbench, dimension)
    add_question(workbench, draft.id, QuestionWording("Is it new?", "Order"))
    publish(workbench, draft.id)
    before, known = len(llm.requests), len(llm.requests)
    scored(workbench, dimension)
    assert sorted(questions_asked(llm, before)) == [1] * known + [QUESTIONS + 1] * (TEXTS - known)


@pytest.mark.parametrize(
    "otherwise",
    [
        {"judge": "llama:another"},
        {"asking": JudgeOptions(reasons=True)},
        {"asking": JudgeOptions(repeats=2)},
        {"use_cache": False},
    ],
)
def test_whoever_is_asked_otherwise_is_asked_everything(
    workbench: Workbench, llm: FakeLlm, dimension: Dimension, first: int, otherwise: dict[str, Any]
) -> None:
    reworded(workbench, dimension, 1)
    found = estimate(workbench, 1, RunOptions((dimension,), **{"judge": JUDGE, **otherwise}))
    assert found.reuse == ()


def test_another_rubric_or_an_unrelated_checklist_takes_nothing_over(
    workbench: Workbench, llm: FakeLlm, dimension: Dimension, first: int
) -> None:
    version = versions_of(workbench, dimension.id)[0]
    with workbench.database.write() as work:
        unrelated = work.checklists.publish(work.checklists.save(dimension.id, version))
    options = RunOptions((dimension,), JUDGE)
    assert unrelated.version == 2
    assert estimate(workbench, 1, options).reuse == ()
    draft = new_draft(workbench, version.id)
    publish(workbench, draft.id)
    assert estimate(workbench, 1, options).reuse[0].left == ((0, TEXTS),)
    with workbench.database.write() as work:
        work.projects.set_dimension(Dimension("coherence", "Another rubric.", id=dimension.id))
    assert estimate(workbench, 1, options).reuse == ()


def test_rules_are_asked_everything_for_they_cost_nothing(workbench: Workbench, dimension: Dimension) -> None:
    scored(workbench, dimension, judge="rules")
    reworded(workbench, dimension, 1)
    run = scored(workbench, dimension, judge="rules")
    assert {origin for row in judgments(workbench, dimension, run) for _, origin in row} == {None}


def test_the_orders_of_the_questions_share_neither_replies_nor_answers(
    workbench: Workbench, llm: FakeLlm, dimension: Dimension, first: int
) -> None:
    scored(workbench, dimension, asking=JudgeOptions(reversed_order=True))
    assert questions_asked(llm) == [QUESTIONS] * TEXTS
    reworded(workbench, dimension, 1)
    by_order = [JudgeOptions(), JudgeOptions(reversed_order=True)]
    ahead = [estimate(workbench, 1, RunOptions((dimension,), JUDGE, asking=asking)) for asking in by_order]
    assert [each.reuse[0].runs for each in ahead] == [(1,), (2,)]
