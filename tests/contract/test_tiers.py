"""The slower service tier: how it is asked for, what it costs, and what happens where it has no room or isn't sold."""

import asyncio
from pathlib import Path

import pytest

from app.domain.run import RunStatus
from app.errors import NoCapacityError, OverloadedError, ProviderError, TierError
from app.providers.base import ChatReply, Usage
from app.providers.known_prices import known_prices, today
from app.providers.model_options import ModelOptions, TieredModel
from app.providers.registry import open_model
from app.providers.specs import KNOWN_PROVIDERS
from app.services.runtime.spending import run_spending
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from db.unit_of_work import Database
from tests.contract.test_errors import assert_silent
from tests.support.adapter_cases import ADAPTERS, AdapterCase, a_request
from tests.support.fake_llm.behaviour import Answer, Fail
from tests.support.fake_llm.server import FakeLlm
from tests.support.modern_vendors import ModernVendors
from tests.support.projects import ready_to_score

SELLING = [ADAPTERS[prefix] for prefix, spec in KNOWN_PROVIDERS.items() if spec.sells_flex]
FIELDS = {"openai": "service_tier", "google": "serviceTier"}


def asked(case: AdapterCase, server: FakeLlm, tier: str) -> ChatReply:
    async def go() -> ChatReply:
        model = open_model(case.name, case.credentials(server))
        try:
            return await TieredModel(model, tier).complete(a_request())
        finally:
            await model.aclose()

    return asyncio.run(go())


def tiers_sent(case: AdapterCase, server: FakeLlm) -> list[str | None]:
    return [received.body.get(FIELDS[case.prefix]) for received in server.requests]


def test_two_vendors_sell_it() -> None:
    assert {case.prefix for case in SELLING} == set(FIELDS)


@pytest.mark.parametrize("case", SELLING, ids=lambda case: case.prefix)
def test_one_field_asks_for_it_and_the_reply_says_what_is_billed(case: AdapterCase, server: FakeLlm) -> None:
    assert asked(case, server, "flex").tier == "flex"
    assert tiers_sent(case, server) == ["flex"]


@pytest.mark.parametrize("case", SELLING, ids=lambda case: case.prefix)
def test_without_room_it_fails_for_a_passing_reason_or_asks_at_the_standard_price(
    case: AdapterCase, server: FakeLlm
) -> None:
    server.usual = Fail("no-room")
    with pytest.raises((NoCapacityError, OverloadedError)) as caught:
        asked(case, server, "flex")
    assert_silent(caught.value, "")
    assert tiers_sent(case, server) == ["flex"]
    server.requests.clear()
    server.usual = Answer()
    server.script(Fail("no-room"))
    assert asked(case, server, "flex-or-standard").tier == ""
    assert tiers_sent(case, server) == ["flex", None]


@pytest.mark.parametrize("case", SELLING, ids=lambda case: case.prefix)
@pytest.mark.parametrize("tier", ["flex", "flex-or-standard"])
def test_a_model_that_is_not_sold_in_it_says_so(case: AdapterCase, server: FakeLlm, tier: str) -> None:
    server.usual = Fail("no-tier")
    with pytest.raises(TierError, match=r"in the tier “flex”.*Leave the tier out") as caught:
        asked(case, server, tier)
    assert_silent(caught.value, "")
    assert len(server.requests) == 1


def test_a_rate_limit_is_no_reason_to_pay_more(server: FakeLlm) -> None:
    server.usual = Fail("rate-limit")
    with pytest.raises(ProviderError):
        asked(ADAPTERS["openai"], server, "flex-or-standard")
    assert len(server.requests) == 1


@pytest.mark.parametrize("judge", ["openai:gpt-5.4-mini", "google:gemini-3.8-flash"])
def test_a_run_in_it_is_paid_at_its_price(modern: ModernVendors, tmp_path: Path, judge: str) -> None:
    """At the price of the day: vendors announce when theirs change."""
    options = f"tier={judge.partition(':')[0]}"
    database = Database(f"sqlite:///{tmp_path}/workbench.db")
    workbench = Workbench(database, modern.credentials(options))
    dimension = ready_to_score(workbench, texts=6)
    run_id = start_run(workbench, 1, RunOptions((dimension,), judge, budget=1.0, model=ModelOptions(tier="flex")))
    report = work_on(workbench, run_id)
    assert (report.run.status, report.run.done) == (RunStatus.DONE, 6), report.run.message
    sent = modern.bodies(options)
    assert {body[FIELDS[judge.partition(":")[0]]] for body in sent} == {"flex"}
    spent, billed = run_spending(workbench, run_id), modern.state(options)["billed"]
    fresh = billed["input"] - billed["cached"]
    flex = known_prices().of(judge, today(), "flex")
    assert flex is not None
    expected = (fresh * flex.input + billed["cached"] * flex.cached + billed["output"] * flex.output) / 1e6
    assert billed["written"] == 0
    assert spent.cost_usd == pytest.approx(expected)
    usual = known_prices().cost(judge, Usage(billed["input"], billed["cached"], billed["output"]), today(), calls=6)
    assert usual == pytest.approx(2 * expected)
    database.close()
