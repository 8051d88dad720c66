"""What a run and a project cost: tokens as billed, cached ones apart, unknown prices never 0."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.domain.attribute import ContributorKind
from app.errors import WrongSchemaError
from app.services.building.build import build
from app.services.runtime import models
from app.services.runtime.spending import Spending, project_spending, run_spending, total_cost
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from app.services.think_aloud.llm_think_aloud import ask_models
from tests.support.fake_llm.behaviour import Answer, Drop, Fail, Raw, Tokens, all_yes
from tests.support.fake_llm.server import FakeLlm, Usual
from tests.support.projects import ready_to_score, workbench_at

KNOWN, UNKNOWN = "openai:gpt-4o", "llama:judge"


@pytest.fixture
def usual() -> Usual:
    return Answer(all_yes, tokens=Tokens(input=1000, cached=600, output=50))


@pytest.fixture
def workbench(tmp_path: Path, llm: FakeLlm) -> Iterator[Workbench]:
    made = workbench_at(tmp_path, f"{llm.url}/v1", ("openai", "llama"))
    yield made
    made.database.close()


def test_a_run_costs_what_was_billed_and_an_unknown_price_is_named(workbench: Workbench) -> None:
    dimension = ready_to_score(workbench, texts=4)
    run_id = start_run(workbench, 1, RunOptions((dimension,), KNOWN))
    work_on(workbench, run_id)
    spent = run_spending(workbench, run_id)
    assert (spent.calls, spent.input_tokens, spent.cached_tokens, spent.output_tokens) == (4, 4_000, 2_400, 200)
    # 2.50 a million for fresh input, 1.25 for cached, 10.00 for output
    assert spent.cost_usd == pytest.approx((1_600 * 2.5 + 2_400 * 1.25 + 200 * 10) / 1e6)
    work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), KNOWN)))
    answered_before = Spending("judging", KNOWN, 2, calls_cached=4)
    assert run_spending(workbench, 2) == answered_before
    assert project_spending(workbench, 1)[1] == answered_before
    # An unknown price is unknown, and named in the total; a test of the connection is no project's.
    for judge in (UNKNOWN, "rules"):
        work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), judge)))
    asyncio.run(models.test_model(workbench, KNOWN))
    assert run_spending(workbench, 3).cost_usd is None
    assert run_spending(workbench, 4) == Spending("judging", "rules", 4)
    rows = project_spending(workbench, 1)
    assert [(row.run, row.model) for row in rows] == [(1, KNOWN), (2, KNOWN), (3, UNKNOWN)]
    cost, unknown = total_cost(rows)
    assert (cost, unknown) == (pytest.approx(spent.cost_usd), [UNKNOWN])


def test_what_failed_is_paid_and_counted_by_stage_and_model(workbench: Workbench, llm: FakeLlm) -> None:
    """Three useless answers of a stage, then a think-aloud that works at the second attempt."""
    dimension = ready_to_score(workbench)
    with workbench.database.read() as work:
        project = work.projects.by_id(1)
    with workbench.database.write() as work:
        who = work.think_aloud.contributor(1, "Ana", ContributorKind.HUMAN)
        work.think_aloud.add_attributes(dimension.id, who.id, ["Parts follow from each other."])
    llm.usual = Answer("no JSON", tokens=Tokens(100, 0, 10))
    with pytest.raises(WrongSchemaError):
        build(workbench, project, dimension, KNOWN)
    llm.script(Answer("nothing", tokens=Tokens(100, 0, 10)))
    llm.usual = Answer('{"considerations": [{"index": 1, "consideration": "Order"}]}', tokens=Tokens(200, 0, 20))
    ask_models(workbench, project, [dimension], [UNKNOWN])
    usd = pytest.approx((300 * 2.5 + 30 * 10) / 1e6)
    assert project_spending(workbench, 1) == [
        Spending("components", KNOWN, None, 3, 300, 0, 30, usd, 0, 0, usd),
        Spending("think-aloud", UNKNOWN, None, 2, 300, 0, 30, None),
    ]


def test_what_a_lost_reply_cost_is_not_known_and_what_is_known_is_the_least(workbench: Workbench, llm: FakeLlm) -> None:
    dimension = ready_to_score(workbench, texts=4)
    llm.script(Drop(after_headers=True))
    run_id = start_run(workbench, 1, RunOptions((dimension,), KNOWN))
    report = work_on(workbench, run_id, concurrency=1)
    assert (report.run.done, report.tally.cost_usd, report.tally.usage.known) == (4, None, False)
    spent = run_spending(workbench, run_id)
    assert (spent.calls, spent.cost_usd) == (4, None)
    assert spent.at_least_usd == pytest.approx(3 * (400 * 2.5 + 600 * 1.25 + 50 * 10) / 1e6)
    assert total_cost(project_spending(workbench, 1)) == (pytest.approx(spent.at_least_usd), [KNOWN])


def test_a_failure_that_may_be_billed_is_counted_and_a_refused_one_is_not(workbench: Workbench, llm: FakeLlm) -> None:
    dimension = ready_to_score(workbench, texts=2)
    llm.usual = Raw(b'{"choices": 5}')
    lost = start_run(workbench, 1, RunOptions((dimension,), KNOWN))
    assert work_on(workbench, lost, concurrency=1).run.failed == 2
    assert (run_spending(workbench, lost).calls, run_spending(workbench, lost).cost_usd) == (2, None)
    llm.usual = Fail("too-long")
    refused = start_run(workbench, 1, RunOptions((dimension,), KNOWN))
    assert work_on(workbench, refused, concurrency=1).run.failed == 2
    assert (run_spending(workbench, refused).calls, run_spending(workbench, refused).cost_usd) == (0, 0.0)


def test_what_a_method_asks_once_is_counted_with_its_run_and_only_there(workbench: Workbench, llm: FakeLlm) -> None:
    dimension = ready_to_score(workbench, texts=4)
    llm.script(Answer('{"steps": ["Read it."]}', tokens=Tokens(100, 0, 10)))
    llm.usual = Answer("4", tokens=Tokens(100, 0, 10))
    options = RunOptions((dimension,), KNOWN, "g-eval", settings=(("probabilities", "none"),))
    work_on(workbench, start_run(workbench, 1, options))
    assert [(row.run, row.calls, row.input_tokens) for row in project_spending(workbench, 1)] == [(1, 5, 500)]
