from datetime import date
from pathlib import Path

import pytest

from app.errors import FileFormatError, NotFoundError
from app.providers.base import Usage
from app.providers.model_name import parse_model_name
from app.providers.pricing import Price, PriceList, estimate_tokens, read_prices, shipped_prices

LIST = PriceList(date(2026, 1, 1), {"openai:m": Price(2.0, 0.5, 8.0)})


def test_cost_counts_cached_input_apart() -> None:
    usage = Usage(input_tokens=1_000_000, cached_tokens=400_000, output_tokens=100_000)
    assert LIST.cost("openai:m", usage) == pytest.approx(0.6 * 2.0 + 0.4 * 0.5 + 0.1 * 8.0)


def test_what_is_written_to_a_cache_has_a_price_of_its_own() -> None:
    usage = Usage(input_tokens=1_000_000, cached_tokens=400_000, output_tokens=0, cache_write_tokens=100_000)
    dearer = PriceList(date(2026, 1, 1), {"anthropic:m": Price(2.0, 0.5, 8.0, written=2.5)})
    assert dearer.cost("anthropic:m", usage) == pytest.approx(0.5 * 2.0 + 0.4 * 0.5 + 0.1 * 2.5)
    assert LIST.cost("openai:m", usage) == pytest.approx(0.6 * 2.0 + 0.4 * 0.5), "as other input where none is listed"


def test_the_shipped_list_knows_who_asks_more_for_writing() -> None:
    for name, price in shipped_prices().prices.items():
        dearer = name.startswith(("anthropic:", "openai:gpt-5.6", "openai:gpt-6"))
        assert price.written == (pytest.approx(1.25 * price.input) if dearer else None), name


def test_an_unknown_price_is_unknown_even_for_nothing() -> None:
    assert LIST.cost("openai:other", Usage(10, 0, 10)) is None
    assert LIST.cost("openai:other", Usage()) is None
    assert LIST.cost("llama:llama3.1", Usage(10, 0, 10)) is None


@pytest.mark.parametrize("name", ["rules", "replay:calls.jsonl", "replay:C:/x/calls.jsonl"])
def test_what_calls_no_provider_is_free(name: str) -> None:
    assert LIST.cost(name, Usage(10, 0, 10)) == 0.0


@pytest.mark.parametrize("snapshot", ["openai:m-2026-01-02", "openai:m-20260102"])
def test_a_snapshot_costs_what_its_model_costs(snapshot: str) -> None:
    assert LIST.of(snapshot) == LIST.of("openai:m")


@pytest.mark.parametrize("other", ["openai:m-mini", "openai:m-2026", "openai:mm", "llama:m"])
def test_a_similar_name_is_another_model(other: str) -> None:
    assert LIST.of(other) is None


def test_the_shipped_prices_are_dated_and_plausible() -> None:
    shipped = shipped_prices()
    assert shipped.checked >= date(2026, 11, 1)
    assert {parse_model_name(name).provider for name in shipped.prices} == {"openai", "anthropic", "google"}
    for name, price in shipped.prices.items():
        assert 0 < price.cached <= price.input < price.output, name


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("models: {a: {input: 1, output: 1}}", "checked"),
        ("checked: 2026-01-01", "list of models"),
        ("checked: 2026-01-01\nmodels: {'openai:x': {input: 1}}", "openai:x"),
        ("checked: 2026-01-01\nmodels: {'openai:x': {input: -1, output: 1}}", "openai:x"),
        ("checked: 2026-01-01\nmodels: {'openai:x': {input: .nan, output: 1}}", "openai:x"),
        ("checked: 2026-01-01\nmodels: {'openai:x': free}", "openai:x"),
        ("{", "YAML"),
        ("!!python/object/apply:os.system ['true']", "YAML"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, content: str, problem: str) -> None:
    own = tmp_path / "prices.yaml"
    own.write_text(content)
    with pytest.raises(FileFormatError, match=problem):
        read_prices(own)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"none\.yaml"):
        read_prices(tmp_path / "none.yaml")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("word", 1), ("words", 2), ("a" * 400, 100), ("你好世界", 4), ("日本語 text", 5), ("สวัสดี", 6)],
)
def test_estimated_tokens(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens
