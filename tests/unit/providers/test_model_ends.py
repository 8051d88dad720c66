import re
from datetime import date

import pytest

from app.providers import known_prices as prices
from app.providers.adapters.vendor_models import ends_in
from app.providers.known_prices import end_label, end_of, end_warning, known_ends, known_prices, note_ends
from app.providers.specs import KNOWN_PROVIDERS
from tests.support.repository import ROOT, project_files

OPENAI = KNOWN_PROVIDERS["openai"].listing
assert OPENAI is not None


TEXT = (".md", ".py", ".sh", ".jinja", ".ipynb", ".html", ".txt", ".toml", ".yaml", ".yml", ".json", ".example", "")
TABLES = ("model_ends.yaml", "prices.yaml")
"""Of data about models, which name them all."""


@pytest.fixture(autouse=True)
def _nothing_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prices, "_LISTED", {})


def on(monkeypatch: pytest.MonkeyPatch, day: date) -> None:
    monkeypatch.setattr(prices, "today", lambda: day)


def test_a_model_of_the_table_has_its_end_and_successor() -> None:
    end = end_of("openai:gpt-4o")
    assert end is not None
    assert (end.day, end.successor) == (date(2027, 1, 14), "openai:gpt-6-luna")


def test_a_snapshot_ends_with_its_model() -> None:
    assert end_of("openai:gpt-4o-2024-11-20") == end_of("openai:gpt-4o")


@pytest.mark.parametrize("model", ["openai:gpt-6-luna", "rules", "llama:gpt-4o", "openai:gpt-4o-nova"])
def test_other_models_have_no_end(model: str) -> None:
    assert (end_of(model), end_label(model), end_warning(model)) == (None, "", "")


def test_a_label_tells_a_coming_end_from_a_past_one(monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, date(2027, 1, 13))
    assert end_label("openai:gpt-4o") == "until 14 Jan 2027"
    on(monkeypatch, date(2027, 1, 14))
    assert end_label("openai:gpt-4o") == "removed 14 Jan 2027"


def test_a_vendors_list_is_believed_before_the_table() -> None:
    listed = {"data": [{"id": "gpt-4o", "shutdown_date": "2027-03-01"}, {"id": "gpt-6-luna", "shutdown_date": None}]}
    note_ends("openai", ends_in(OPENAI, listed))
    end = end_of("openai:gpt-4o")
    assert end is not None
    assert (end.day, end.successor) == (date(2027, 3, 1), "openai:gpt-6-luna")
    assert end_of("openai:gpt-6-luna") is None


@pytest.mark.parametrize("answer", [None, [], {"data": 3}, {"data": [3, {"id": "x", "shutdown_date": "soon"}]}])
def test_a_list_without_readable_ends_teaches_nothing(answer: object) -> None:
    assert ends_in(OPENAI, answer) == {}


def test_successors_have_a_price_and_no_end() -> None:
    prices = known_prices()
    for end in known_ends().values():
        if end.successor and not end.successor.endswith("transcribe"):
            assert prices.of(end.successor, date(2026, 11, 25)) is not None, end.successor
        assert end_of(end.successor) is None


@pytest.mark.parametrize("prefix", ["openai", "anthropic", "google", "mistral"])
def test_defaults_have_no_end(prefix: str) -> None:
    spec = KNOWN_PROVIDERS[prefix]
    names = [spec.example, *(f"{prefix}:{name}" for name in (*spec.transcribers, *spec.embeddings))]
    assert [name for name in names if end_of(name)] == []


def test_no_document_or_example_names_a_model_that_ends() -> None:
    names = "|".join(re.escape(name.replace(":", "|").split("|")[1]) for name in known_ends())
    mention = re.compile(rf"(?:openai|anthropic|google)[:/](?:chat:)?(?:{names})(?![\w.-]*\w)")
    told = [path for path in project_files() if path.suffix in TEXT and path.name not in TABLES]
    shown = [path for path in told if path.relative_to(ROOT).parts[0] != "tests" and "adr" not in path.parts]
    read = {path.relative_to(ROOT).parts[0] for path in shown}
    assert {"docs", "app", "pages", "prompts", "deploy", "README.md"} <= read
    assert [str(path) for path in shown if mention.search(path.read_text(encoding="utf-8"))] == []
