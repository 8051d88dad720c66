"""What calls cost, worked out by hand: cached and written input, long requests, tiers, unknown prices."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest

from app.domain.model_call import RenderedPrompt
from app.providers.base import ChatRequest, Turn, Usage
from app.providers.pricing import FLEX, OwnPrices, Price, PriceList, PriceOrigin, estimate_input_tokens, estimate_tokens

DAY = date(2026, 11, 23)
PLAIN = Price(2.0, 0.5, 8.0)
LONG = Price(2.0, 0.5, 8.0, 2.5, longer=((200_000, Price(4.0, 1.0, 12.0, 5.0)),))


def listed(**prices: Price) -> PriceList:
    """Prices by model name, with _ for the colon."""
    return PriceList((OwnPrices("own.yaml", DAY, {name.replace("_", ":"): {"": p} for name, p in prices.items()}),))


LIST = listed(openai_m=PLAIN)


class Kept:
    """A source that knows one model, at half the price in flex."""

    source = PriceOrigin("kept")

    def of(self, model: str, day: date, tier: str) -> Price | None:
        return {"": Price(10.0, 1.0, 50.0), FLEX: Price(5.0, 0.5, 25.0)}[tier] if model == "openai:kept" else None

    def names(self, day: date) -> Sequence[str]:
        return ["openai:kept", "openai:m"]


def test_cost_counts_cached_input_apart() -> None:
    usage = Usage(input_tokens=1_000_000, cached_tokens=400_000, output_tokens=100_000)
    assert LIST.cost("openai:m", usage, DAY) == pytest.approx(0.6 * 2.0 + 0.4 * 0.5 + 0.1 * 8.0)


def test_what_is_written_to_a_cache_has_a_price_of_its_own() -> None:
    usage = Usage(input_tokens=1_000_000, cached_tokens=400_000, output_tokens=0, cache_write_tokens=100_000)
    dearer = listed(anthropic_m=Price(2.0, 0.5, 8.0, written=2.5))
    assert dearer.cost("anthropic:m", usage, DAY) == pytest.approx(0.5 * 2.0 + 0.4 * 0.5 + 0.1 * 2.5)
    assert LIST.cost("openai:m", usage, DAY) == pytest.approx(0.6 * 2.0 + 0.4 * 0.5), "as other input else"


def test_a_long_request_is_dearer_from_its_first_token_on() -> None:
    within = Usage(200_000, 50_000, 1_000, 10_000)
    assert LONG.cost(within) == pytest.approx((140_000 * 2 + 50_000 * 0.5 + 10_000 * 2.5 + 1_000 * 8) / 1e6)
    above = Usage(200_001, 50_000, 1_000, 10_000)
    assert LONG.cost(above) == pytest.approx((140_001 * 4 + 50_000 * 1 + 10_000 * 5 + 1_000 * 12) / 1e6)


def test_many_short_requests_are_no_long_one() -> None:
    usage = Usage(1_000_000, 0, 10_000)
    assert LONG.cost(usage, calls=5) == pytest.approx(1.0 * 2 + 0.01 * 8)
    assert LONG.cost(usage, calls=4) == pytest.approx(1.0 * 4 + 0.01 * 12)


def test_an_unknown_price_is_unknown_even_for_nothing() -> None:
    assert LIST.cost("openai:other", Usage(10, 0, 10), DAY) is None
    assert LIST.cost("openai:other", Usage(), DAY) is None
    assert LIST.cost("llama:llama3.1", Usage(10, 0, 10), DAY) is None
    assert LIST.cost("openai:m", Usage(known=False), DAY) is None


@pytest.mark.parametrize("name", ["rules", "replay:calls.jsonl", "replay:C:/x/calls.jsonl"])
def test_what_calls_no_provider_is_free(name: str) -> None:
    assert LIST.cost(name, Usage(10, 0, 10), DAY) == 0.0


@pytest.mark.parametrize("snapshot", ["openai:m-2026-01-02", "openai:m-20260102"])
def test_a_snapshot_costs_what_its_model_costs(snapshot: str) -> None:
    assert LIST.of(snapshot, DAY) == LIST.of("openai:m", DAY)


@pytest.mark.parametrize("other", ["openai:m-mini", "openai:m-2026", "openai:mm", "llama:m"])
def test_a_similar_name_is_another_model(other: str) -> None:
    assert LIST.of(other, DAY) is None


def test_ones_own_file_is_laid_over_the_shipped_one_and_both_over_what_is_kept() -> None:
    mine = OwnPrices("mine", DAY, {"openai:kept": {"": Price(1.0, 1.0, 1.0)}})
    shipped = OwnPrices("shipped", DAY, {"openai:kept": {"": Price(2.0, 2.0, 2.0)}, "openai:m": {"": PLAIN}})
    found = PriceList((mine, shipped), Kept())
    assert found.of("openai:kept", DAY) == Price(1.0, 1.0, 1.0)
    assert found.of("openai:m", DAY) == PLAIN
    assert PriceList((), Kept()).of("openai:kept", DAY) == Price(10.0, 1.0, 50.0)
    assert found.names(DAY) == ["openai:kept", "openai:m"]


def test_a_tier_has_its_own_price_else_a_share_of_the_standard_one_else_none() -> None:
    shared = PriceList((OwnPrices("own", DAY, {"google:m": {"": LONG}}, {"google": {FLEX: 0.5}}),), Kept())
    usage = Usage(1_000_000, 0, 1_000_000)
    assert shared.cost("openai:kept", usage, DAY, FLEX) == pytest.approx(5 + 25)
    assert shared.cost("google:m", usage, DAY, FLEX, calls=10) == pytest.approx(1 + 4)
    assert shared.cost("google:m", usage, DAY, FLEX) == pytest.approx(2 + 6), "a long request in flex"
    assert shared.of("google:other", DAY, FLEX) is None
    assert LIST.of("openai:m", DAY, FLEX) is None, "never the standard price in its place"


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("word", 1), ("words", 2), ("a" * 400, 100), ("你好世界", 4), ("日本語 text", 5), ("สวัสดี", 6)],
)
def test_estimated_tokens(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def test_a_schema_what_is_given_and_earlier_turns_are_read_too() -> None:
    """`{"type":"object"}` are 17 characters, 5 tokens; the others have 4 each."""
    alone = ChatRequest(RenderedPrompt("name", 1, "digest", "be", "fair", {}))
    assert estimate_input_tokens(alone) == 3
    assert estimate_input_tokens(replace(alone, schema={"type": "object"})) == 3 + 5
    assert estimate_input_tokens(replace(alone, given="a" * 16)) == 3 + 4
    assert estimate_input_tokens(replace(alone, turns=(Turn("b" * 16, "c" * 16),))) == 3 + 4 + 4
