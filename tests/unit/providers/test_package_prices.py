"""What genai-prices knows, read as our prices: by day, by length, by tier, by name."""

import json
import subprocess
import sys
from datetime import date
from typing import Any

import pytest

from app.errors import FileFormatError
from app.providers.base import Usage
from app.providers.package_prices import VENDORS, bundled_prices, parse_price_file
from app.providers.pricing import BATCH, FLEX, Price

DAY = date(2026, 11, 23)
KEPT = bundled_prices({})


def file_of(**changed: Any) -> list[dict[str, Any]]:
    """A file of three vendors with a model each, as an update brings it."""
    model = {
        "id": "gpt-9",
        "match": {"or": [{"equals": "gpt-9"}, {"starts_with": "gpt-9-2"}]},
        "prices": [
            {"prices": {"input_mtok": 4, "output_mtok": 20}},
            {
                "constraint": {"type": "start_date", "start_date": "2026-12-01"},
                "prices": {
                    "input_mtok": {"base": 2, "tiers": [{"start": 272000, "price": 4}]},
                    "cache_read_mtok": {"base": 0.2, "tiers": [{"start": 272000, "price": 0.4}]},
                    "cache_write_mtok": 2.5,
                    "output_mtok": {"base": 10, "tiers": [{"start": 272000, "price": 15}]},
                },
            },
        ],
        "price_variants": [
            {
                "when": {"service_tier": "flex"},
                "constraint": {"type": "start_date", "start_date": "2026-12-10"},
                "prices": {"input_mtok": 1, "output_mtok": 5},
            }
        ],
    } | changed
    claude = {"id": "claude-9", "match": {"equals": "claude-9"}, "prices": {"input_mtok": 1, "output_mtok": 5}}
    gemini = {"id": "gemini-9", "match": {"equals": "gemini-9"}, "prices": {"input_mtok": 1, "output_mtok": 5}}
    mistral = {"id": "mistral-9", "match": {"equals": "mistral-9"}, "prices": {"input_mtok": 1, "output_mtok": 5}}
    return [
        {"id": vendor, "name": vendor, "api_pattern": vendor, "models": [m]}
        for vendor, m in zip(VENDORS.values(), (model, claude, gemini, mistral), strict=True)
    ]


def written(file: object) -> bytes:
    return json.dumps(file).encode()


def test_a_price_holds_from_its_day_on() -> None:
    kept = parse_price_file(written(file_of()), DAY)
    assert kept.of("openai:gpt-9", date(2026, 11, 30), "") == Price(4.0, 4.0, 20.0)
    later = kept.of("openai:gpt-9", date(2026, 12, 1), "")
    assert later == Price(2.0, 0.2, 10.0, 2.5, ((272_000, Price(4.0, 0.4, 15.0, 2.5)),))
    assert later.origin is not None
    assert (later.origin.source, later.origin.day, later.origin.since) == ("genai-prices", DAY, date(2026, 12, 1))
    usage = Usage(300_000, 100_000, 2_000)
    assert later.cost(usage) == pytest.approx((200_000 * 4 + 100_000 * 0.4 + 2_000 * 15) / 1e6)


def test_a_tier_without_a_price_of_its_own_is_unknown() -> None:
    kept = parse_price_file(written(file_of()), DAY)
    assert kept.of("openai:gpt-9", date(2026, 12, 9), FLEX) is None
    found = kept.of("openai:gpt-9", date(2026, 12, 10), FLEX)
    assert found is not None
    assert (found.input, found.output) == (1.0, 5.0)
    assert kept.of("anthropic:claude-9", DAY, FLEX) is None
    assert kept.of("openai:gpt-9", date(2026, 12, 10), BATCH) is None


@pytest.mark.parametrize("name", ["openai:gpt-9-mini", "openai:claude-9", "llama:gpt-9", "openai:", "gpt-9"])
def test_what_it_does_not_know_has_no_price(name: str) -> None:
    assert parse_price_file(written(file_of()), DAY).of(name, DAY, "") is None


def test_a_model_without_a_price_for_text_has_none_and_is_not_listed() -> None:
    kept = parse_price_file(written([*file_of()[1:], *file_of()[:1]]), DAY)
    assert kept.names(DAY) == ["openai:gpt-9", "anthropic:claude-9", "google:gemini-9", "mistral:mistral-9"]
    heard = file_of()
    heard[0]["models"].append({"id": "gpt-8", "match": {"equals": "gpt-8"}, "prices": {"input_mtok": 3}})
    kept = parse_price_file(written(heard), DAY)
    assert kept.of("openai:gpt-8", DAY, "") is None
    assert "openai:gpt-8" not in kept.names(DAY)


@pytest.mark.parametrize("content", [b"", b"<html>", b"{}", b"[]", b'[{"id": "openai"}]', written(file_of()[:2])])
def test_what_is_no_such_file_is_refused(content: bytes) -> None:
    with pytest.raises(FileFormatError, match="genai-prices"):
        parse_price_file(content, DAY)


@pytest.mark.parametrize(
    ("name", "tier", "price"),
    [
        ("openai:gpt-4o", "", Price(2.5, 1.25, 10.0)),
        ("openai:gpt-4o-2024-11-20", "", Price(2.5, 1.25, 10.0)),
        ("anthropic:claude-haiku-4-5-20251001", "", Price(1.0, 0.1, 5.0, 1.25)),
        ("anthropic:claude-opus-5-5", BATCH, Price(2.0, 0.1, 10.0, 2.5)),
        ("openai:gpt-5-mini", FLEX, Price(0.125, 0.0125, 1.0)),
        ("openai:gpt-4o", FLEX, None),
        ("openai:gpt-5.4-mini-of-somebody", "", None),
    ],
)
def test_prices_that_came_with_the_package(name: str, tier: str, price: Price | None) -> None:
    assert KEPT.of(name, DAY, tier) == price


def test_its_day_is_known_for_the_release_that_was_compared_alone() -> None:
    release = KEPT.source.source.removeprefix("genai-prices ")
    assert KEPT.source.day is None
    assert bundled_prices({"version": release, "day": DAY}).source.day == DAY
    assert bundled_prices({"version": "0.0.1", "day": DAY}).source.day is None


def test_the_list_is_of_models_for_questions_with_plausible_prices() -> None:
    names = KEPT.names(DAY)
    assert {name.partition(":")[0] for name in names} == set(VENDORS)
    for name in names:
        price = KEPT.of(name, DAY, "")
        assert price is not None
        assert 0 < price.cached <= price.input <= price.output, name
        assert not any(word in name for word in ("tts", "image", "audio", "embed", "realtime")), name
    assert names.index("openai:gpt-6.1-sol") < names.index("openai:gpt-5.5") < names.index("openai:gpt-4o")


def test_nothing_is_read_before_a_price_is_asked_for() -> None:
    script = (
        "import sys\nfrom app.providers.known_prices import known_prices, today\nfound = known_prices()\n"
        "found.of('rules', today())\nprint('genai_prices' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
