"""What a run and a project cost: tokens as billed, cached ones apart, unknown prices never 0."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from app.domain.run import StageRun
from app.providers.credentials import Access, Credentials
from app.services.scoring import RunOptions, start_run, work_on
from app.services.spending import Spending, project_spending, run_spending, total_cost
from app.services.workbench import Workbench
from db.unit_of_work import Database
from tests.support.fake_llm.behaviour import Answer, Tokens
from tests.support.fake_llm.server import FakeLlm
from tests.support.projects import ready_to_score

KNOWN, UNKNOWN = "openai:gpt-4o", "llama:judge"


def all_yes(schema: Mapping[str, Any] | None) -> str:
    return json.dumps(dict.fromkeys((schema or {}).get("required", ()), "yes"))


@pytest.fixture
def workbench(tmp_path: Path) -> Iterator[Workbench]:
    with FakeLlm(usual=Answer(all_yes, tokens=Tokens(input=1000, cached=600, output=50))) as llm:
        access = Access(SecretStr("planted-key"), f"{llm.url}/v1", "the test")
        database = Database(f"sqlite:///{tmp_path}/workbench.db")
        yield Workbench(database, Credentials(openai=access, llama=access))
        database.close()


def test_a_run_costs_what_was_billed_with_the_cached_part_at_its_own_price(workbench: Workbench) -> None:
    dimension = ready_to_score(workbench, texts=10)
    run_id = start_run(workbench, 1, RunOptions((dimension,), KNOWN))
    work_on(workbench, run_id)
    spent = run_spending(workbench, run_id)
    assert (spent.calls, spent.input_tokens, spent.cached_tokens, spent.output_tokens) == (10, 10_000, 6_000, 500)
    # 2.50 a million for fresh input, 1.25 for cached, 10.00 for output
    assert spent.cost_usd == pytest.approx((4_000 * 2.5 + 6_000 * 1.25 + 500 * 10) / 1e6)
    work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), KNOWN)))
    assert run_spending(workbench, 2) == Spending("judging", KNOWN, 2)  # all of it was answered before


def test_an_unknown_price_is_unknown_and_named_in_the_total(workbench: Workbench) -> None:
    dimension = ready_to_score(workbench, texts=4)
    for judge in (UNKNOWN, KNOWN, "rules"):
        work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), judge)))
    assert run_spending(workbench, 1).cost_usd is None
    assert run_spending(workbench, 3) == Spending("judging", "rules", 3)
    rows = project_spending(workbench, 1)
    assert [(row.run, row.model) for row in rows] == [(1, UNKNOWN), (2, KNOWN)]
    cost, unknown = total_cost(rows)
    assert (cost, unknown) == (pytest.approx(run_spending(workbench, 2).cost_usd), [UNKNOWN])


def test_stages_are_added_up_by_model(workbench: Workbench) -> None:
    dimension = ready_to_score(workbench)
    with workbench.database.write() as work:
        for model, tokens in ((KNOWN, 1_000_000), (KNOWN, 1_000_000), ("rules", 0)):
            work.runs.add_stage(dimension.id, StageRun("components", model, input_tokens=tokens))
        work.runs.add_stage(dimension.id, StageRun("think-aloud", UNKNOWN, input_tokens=7, output_tokens=3))
    assert project_spending(workbench, 1) == [
        Spending("components", KNOWN, None, 2, 2_000_000, 0, 0, 5.0),
        Spending("think-aloud", UNKNOWN, None, 1, 7, 0, 3, None),
    ]
