"""What a run says that it used is what the vendor billed, to the token: whatever came of the replies."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from app.domain.project import Dimension
from app.providers.known_prices import known_prices, today
from app.providers.retry import RetryPolicy
from app.services.runtime import models
from app.services.runtime.spending import run_spending
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, RunReport, set_budget, start_run, work_on
from app.settings import settings
from db.unit_of_work import Database
from tests.support.modern_vendors import ModernVendors
from tests.support.prepared import Prepared, prepared
from tests.support.projects import ready_to_score

JUDGES = ("openai:gpt-6-sol", "openai:gpt-4o", "anthropic:claude-sonnet-5", "google:gemini-3.8-flash")

OWN_PRICES = "checked: 2026-11-01\nmodels: {'llama:qwen3.6:8b': {input: 2.5, cached: 1.25, output: 10}}\n"
MIXES = ("think=900,refuse=4", "filter=3,over=2", "dup=5,e500=2", "heavy=3:9000,flaky=5")
LOST = ("cut=2", "html=2", "err200=2")
BUDGETS = ("think=3000", "heavy=4:9000")


TEXTS = 8


def each_once(mixes: Sequence[str]) -> list[object]:
    """(judge, mix): each mix once in `make test`, with the judges in turn; all pairs in `make test-all`."""
    return [
        pytest.param(judge, mix, marks=() if number % len(JUDGES) == place else pytest.mark.long)
        for place, judge in enumerate(JUDGES)
        for number, mix in enumerate(mixes)
    ]


@pytest.fixture(scope="module")
def ready() -> Prepared[Dimension]:
    return prepared(lambda workbench: ready_to_score(workbench, TEXTS))


@pytest.fixture
def database(ready: Prepared[Dimension], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """One with eight texts."""
    monkeypatch.setattr(models, "PATIENCE", RetryPolicy(first=0.01, longest=0.05))
    ready.copy(tmp_path)
    made = Database(f"sqlite:///{tmp_path}/workbench.db")
    yield made
    made.close()


def planned(
    database: Database, vendors: ModernVendors, options: str, judge: str, budget: float | None = None
) -> tuple[Workbench, int]:
    workbench = Workbench(database, vendors.credentials(options))
    with database.read() as work:
        dimension = work.projects.dimension_by_id(1)
    return workbench, start_run(workbench, 1, RunOptions((dimension,), judge, budget=budget))


def check_billed(workbench: Workbench, vendors: ModernVendors, options: str, reports: list[RunReport]) -> None:
    billed, run = vendors.state(options)["billed"], reports[0].run
    usage = [report.tally.usage for report in reports]
    assert sum(used.input_tokens for used in usage) == billed["input"]
    assert sum(used.output_tokens for used in usage) == billed["output"]
    assert sum(used.cached_tokens for used in usage) == billed["cached"]
    assert sum(used.cache_write_tokens for used in usage) == billed["written"]
    spent = run_spending(workbench, run.id)
    assert (spent.input_tokens, spent.output_tokens) == (billed["input"], billed["output"])
    price = known_prices().of(run.judge, today())
    assert (spent.cost_usd is None) == (price is None)
    if spent.cost_usd is not None:
        assert math.isclose(spent.cost_usd, sum(report.tally.cost_usd or 0 for report in reports))


@pytest.mark.parametrize(("judge", "mix"), each_once(MIXES))
def test_tokens_and_cost_are_those_that_were_billed(
    database: Database, vendors: ModernVendors, judge: str, mix: str
) -> None:
    options = f"{mix},mark={judge.replace(':', '-')}"
    workbench, run_id = planned(database, vendors, options, judge)
    reports = [work_on(workbench, run_id), work_on(workbench, run_id)]
    check_billed(workbench, vendors, options, reports)


@pytest.mark.parametrize(("judge", "mix"), each_once(LOST))
def test_replies_that_were_lost_have_no_known_cost_and_what_came_is_counted(
    database: Database, vendors: ModernVendors, judge: str, mix: str
) -> None:
    options = f"{mix},lost={judge.replace(':', '-')}"
    workbench, run_id = planned(database, vendors, options, judge)
    report = work_on(workbench, run_id)
    assert report.run.done == TEXTS
    assert report.tally.cost_usd is None
    spent, billed = run_spending(workbench, run_id), vendors.state(options)["billed"]
    assert spent.cost_usd is None
    assert spent.at_least_usd > 0
    assert 0 < spent.input_tokens < billed["input"]


@pytest.mark.parametrize("judge", [JUDGES[0], *(pytest.param(judge, marks=pytest.mark.long) for judge in JUDGES[1:])])
def test_a_budget_stops_where_a_reply_was_lost(database: Database, vendors: ModernVendors, judge: str) -> None:
    options = f"cut=1,budget={judge.replace(':', '-')}"
    workbench, run_id = planned(database, vendors, options, judge, budget=50.0)
    assert "budget can't be kept" in work_on(workbench, run_id).run.message
    assert run_spending(workbench, run_id).cost_usd is None
    assert vendors.state(options)["ok"] == 2  # the lost one, and the same once more


@pytest.mark.parametrize("mix", ["usage=none", "usage=zero"])
def test_usage_that_is_not_said_has_no_known_cost(database: Database, vendors: ModernVendors, mix: str) -> None:
    settings().own_prices.parent.mkdir(parents=True, exist_ok=True)
    settings().own_prices.write_text(OWN_PRICES)
    workbench, run_id = planned(database, vendors, mix, "llama:qwen3.6:8b")
    assert work_on(workbench, run_id).tally.cost_usd is None
    assert run_spending(workbench, run_id).cost_usd is None


def test_a_budget_stops_where_nobody_says_what_replies_took(database: Database, vendors: ModernVendors) -> None:
    settings().own_prices.parent.mkdir(parents=True, exist_ok=True)
    settings().own_prices.write_text(OWN_PRICES)
    options = "usage=null,budget"
    workbench, run_id = planned(database, vendors, options, "llama:qwen3.6:8b", budget=5.0)
    report = work_on(workbench, run_id)
    assert "budget can't be kept" in report.run.message
    assert report.tally.cost_usd is None
    assert run_spending(workbench, run_id).cost_usd is None
    assert "budget can't be kept" in work_on(workbench, run_id).run.message
    assert vendors.state(options)["ok"] == 1


@pytest.mark.parametrize(("judge", "mix"), each_once(BUDGETS))
def test_a_budget_holds_whatever_is_in_flight(database: Database, vendors: ModernVendors, judge: str, mix: str) -> None:
    """With all texts at once: as many answers as it pays for, and the run goes on where it is raised."""
    options = f"{mix},slow=0.05,budget={judge.replace(':', '-')}"
    workbench, run_id = planned(database, vendors, options, judge, budget=1000.0)
    price = known_prices().of(judge, today())
    assert price is not None
    budget = TEXTS / 2 * (3000 * price.output + 400 * price.input) / 1e6
    set_budget(workbench, run_id, budget)
    first = work_on(workbench, run_id)
    assert first.tally.cost_usd is not None
    assert first.tally.cost_usd <= budget * (1 if mix.startswith("think") else 1.5)  # one may be longer than any before
    set_budget(workbench, run_id, 100.0)
    second = work_on(workbench, run_id)
    assert second.run.done == TEXTS
    check_billed(workbench, vendors, options, [first, second])
    assert vendors.state(options)["ok"] == first.tally.calls + second.tally.calls
