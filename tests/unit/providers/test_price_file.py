"""Files of prices: what they may hold, and what is wrong with one that is refused."""

from datetime import date
from pathlib import Path

import pytest

from app.errors import FileFormatError, NotFoundError
from app.providers.known_prices import SHIPPED, read_prices
from app.providers.pricing import FLEX, Price

WHOLE = """
checked: 2026-01-31
models:
  "llama:big": {input: 2, output: 8, cached: .5, longer: {100000: {input: 4, output: 12}}, flex: {input: 1, output: 4}}
shares: {google: {flex: 0.5}}
"""


def test_everything_that_a_file_may_say(tmp_path: Path) -> None:
    own = tmp_path / "mine.yaml"
    own.write_text(WHOLE)
    found = read_prices(own)
    assert (found.name, found.checked, found.shares) == ("mine.yaml", date(2026, 1, 31), {"google": {"flex": 0.5}})
    price = found.of("llama:big", "")
    assert price == Price(2.0, 0.5, 8.0, None, ((100_000, Price(4.0, 4.0, 12.0)),))
    assert price.origin is not None
    assert (price.origin.source, price.origin.day) == ("mine.yaml", date(2026, 1, 31))
    assert found.of("llama:big", FLEX) == Price(1.0, 1.0, 4.0)
    assert found.of("llama:other", "") is None


def test_the_shipped_file_can_be_read() -> None:
    assert read_prices(SHIPPED).checked >= date(2026, 11, 1)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("models: {a: {input: 1, output: 1}}", "checked"),
        ("checked: 2026-01-01", "list of models"),
        ("checked: 2026-01-01\nmodels: {'openai:x': {input: 1}}", "openai:x"),
        ("checked: 2026-01-01\nmodels: {'openai:x': {input: -1, output: 1}}", "openai:x"),
        ("checked: 2026-01-01\nmodels: {'openai:x': {input: .nan, output: 1}}", "openai:x"),
        ("checked: 2026-01-01\nmodels: {'openai:x': free}", "openai:x"),
        (
            "checked: 2026-01-01\nmodels: {'openai:x': {input: 1, output: 1, longer: {a: {input: 1}}}}",
            "openai:x",
        ),
        ("checked: 2026-01-01\nmodels: {}\nshares: {google: half}", "shares"),
        ("checked: 2026-01-01\nmodels: {}\nshares: {google: {flex: -1}}", "share"),
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
